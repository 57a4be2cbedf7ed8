import { alarmChecks } from '#shared/api/alarm-check.ts';
import { checkFailedRound } from '#shared/api/delivery-results.ts';
import { notifyFailed } from '#shared/api/failed-delivery.ts';
import { type Delivery, UNDELIVERABLE } from '#shared/domain/delivery/delivery.ts';
import type { Undeliverable } from '#shared/queue/undeliverable.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import { RetryLater } from '#shared/worker/failure.ts';
import type { undeliverable } from './contract.ts';

type UndeliverableDeps = Deps<(typeof undeliverable)['uses'][number]>;
/** A delivery to a person, and when (ms) the message that did not arrive was sent. */
type SentDelivery = { delivery: Delivery; sentAt: number };

/** Marks the channel as undeliverable, unless it was verified or its address changed after the message was sent. */
const markChannel = async (
  { store, now }: UndeliverableDeps,
  { delivery: { customerId, person }, sentAt }: SentDelivery,
  reason: string,
): Promise<void> => {
  const user = person && (await store.recipients.person(customerId, person.userId));
  if (!user) return;
  const owner = { customerId: user.customerId, userId: person.userId };
  await store.channels.markUndeliverable(owner, person.by, { sentAt, date: now(), reason });
};

/** Withdraws the success from the rule hits. Without another success, their alarms have reached no one. */
const withdrawFromHits = async (
  { store, now, enqueue }: UndeliverableDeps,
  { delivery: { customerId, hit, alsoHits = [] }, sentAt }: SentDelivery,
): Promise<void> => {
  for (const { id: hitId, message: at } of hit ? [hit, ...alsoHits] : []) {
    const after = await store.hitReports.reportUndeliverable({ customerId, hitId, at, sentAt }, now());
    if (after) await enqueue(alarmChecks(customerId, after, now()));
  }
};

/**
 * Ends a delivery whose message did not arrive. The delivery itself is written last, so all steps are repeated after a
 * crash. If the delivery has been attempted again since, only the last attempt counts.
 */
export const endDelivery = async (
  deps: UndeliverableDeps,
  { customerId, deliveryId, attempt, reason }: Undeliverable,
): Promise<void> => {
  const { store, now, log, measure } = deps;
  const delivery = await store.deliveries.get(customerId, null, deliveryId);
  const sentAt = delivery?.sendTryTimes[attempt - 1];
  if (!delivery || sentAt === undefined) return log('info', 'an event names a delivery that does not exist');
  if (delivery.reason === UNDELIVERABLE) return checkFailedRound(deps, delivery);
  const isLastAttempt = attempt === delivery.attempts;
  if (delivery.state === 'sending' && isLastAttempt)
    throw new RetryLater('the attempt that was undeliverable is not recorded yet');

  const sent = { delivery, sentAt };
  await markChannel(deps, sent, reason);
  if (delivery.state !== 'delivered' || !isLastAttempt) return;
  await withdrawFromHits(deps, sent);
  deps.failpoint('undeliverable.withdrawn');
  const end = () => store.attempts.recordUndeliverable(delivery, reason, now());
  if (!(await notifyFailed(deps, null, delivery, end))) throw new RetryLater('the delivery changed meanwhile');
  await checkFailedRound(deps, delivery);
  measure('Undeliverable');
  log('warn', 'a notification was undeliverable', { by: delivery.person?.by, attempt });
};
