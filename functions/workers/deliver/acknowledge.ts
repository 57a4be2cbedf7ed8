import { sendNotice } from '#shared/api/notices.ts';
import type { AttemptOutcome, Delivery } from '#shared/domain/delivery/delivery.ts';
import { RETENTION } from '#shared/domain/event/event.ts';
import { nameFrom } from '#shared/domain/rule/acknowledgement.ts';
import type { DeliverDeps } from './deps.ts';

/**
 * Acknowledges the hits of a delivery when its receiver said who takes care of them. It is done before the attempt is
 * recorded: when it fails, the attempt is made again, so that no answer of a person is lost.
 */
export const acknowledgeHits = async (
  deps: DeliverDeps,
  { customerId, hit, alsoHits = [] }: Delivery,
  outcome: AttemptOutcome,
): Promise<void> => {
  const { store, now } = deps;
  const name = outcome.what === 'accepted' && outcome.acknowledgedBy ? nameFrom(outcome.acknowledgedBy) : null;
  if (name === null || !hit) return;
  for (const { id: hitId } of [hit, ...alsoHits]) {
    const given = { userId: null, name, date: now() };
    const made = await store.acknowledgements.make({ customerId, hitId }, given, now() - RETENTION);
    deps.failpoint('deliver.acknowledged');
    if (made?.notice) await sendNotice(deps, made.notice);
  }
};
