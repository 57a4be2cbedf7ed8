import { EVENT_RETENTION } from '../domain/event/event.ts';
import type { Acknowledgement } from '../domain/rule/acknowledgement-view.ts';
import { isWithinQueueDelay } from '../domain/rule/escalation.ts';
import type { Deps } from '../runtime/deps.ts';
import { alarmChecks } from './alarm-check.ts';
import type { withdrawing } from './operation.ts';

/**
 * Withdraws the acknowledgement of a hit, continues its escalation, and returns the hit. If nobody was notified of it, the
 * alarm is checked again. Null if there is no such hit; `refused` if the acknowledgement must not be withdrawn.
 */
export const withdrawAcknowledgement = async (
  { store, enqueue, now, log, settings }: Deps<(typeof withdrawing)[number]>,
  hitKey: { customerId: number; hitId: number },
  isAllowed: (acknowledgement: Acknowledgement) => boolean,
) => {
  const hit = await store.acknowledgements.withdraw(hitKey, isAllowed, now() - EVENT_RETENTION, now());
  if (hit === null || hit === 'refused') return hit;
  const { at, open } = hit.escalation ?? { at: Number.POSITIVE_INFINITY };
  const delaySeconds = open ? 0 : (at - now()) / 1_000;
  // The hit is in the due index as well, where the sweep finds it.
  const leaveToSweep = (error: unknown) => log('warn', 'an escalation is left to the sweep', hitKey, error);
  if (isWithinQueueDelay(at, now()))
    await enqueue([{ type: 'escalate', ...hitKey }], { delaySeconds }).catch(leaveToSweep);
  const checkAt = Math.max(now(), hit.createDate + settings.UNNOTIFIED_AFTER_SECONDS * 1_000);
  await enqueue(alarmChecks(hitKey.customerId, hit, checkAt), { delaySeconds: (checkAt - now()) / 1_000 });
  return hit;
};
