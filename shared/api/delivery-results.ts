import { type Delivery, messageUuidOf } from '../domain/delivery/delivery.ts';
import { isFinished } from '../domain/delivery/replay.ts';
import { urgentSituationOf } from '../domain/rule/alarm.ts';
import type { Deps } from '../runtime/deps.ts';

/** Reports attempts, by their start times (ms), to the rule hits of a delivery. */
export const reportAttempts = async (
  { store, now }: Deps<'hitReports.report'>,
  { customerId, hit, alsoHits = [] }: Delivery,
  tries: readonly number[],
  sent: boolean | 'outbox',
): Promise<void> => {
  for (const { id, message } of hit ? [hit, ...alsoHits] : [])
    await store.hitReports.report({ customerId, hitId: id, at: message, tries, sent }, now());
};

/** The shortest time (ms) after which an alarm counts as unnotified (`UNNOTIFIED_AFTER_SECONDS`). */
const MIN_UNNOTIFIED_MS = 30_000;

/**
 * Ends the alarm of an event that nobody was notified of, if a late delivery to a webhook of the customer or to an
 * emergency contact succeeded.
 */
export const endAlarmOfEvent = async (
  { store, now }: Deps<'eventAlarms.end'>,
  { customerId, createDate, snapshot, isTest, person, hit }: Delivery,
): Promise<void> => {
  const { webhook, event } = snapshot;
  const isOfEvent = webhook?.isCustomerHook || (person && !hit);
  if (isOfEvent && !isTest && urgentSituationOf(event) !== null && now() - createDate >= MIN_UNNOTIFIED_MS)
    await store.eventAlarms.end(customerId, event.uuid);
};

/** Ends the pending original deliveries of a redelivery that the receiver accepted. */
export const endOriginals = async (
  { store, now }: Deps<'repetitions.endOriginal'>,
  { customerId, webhookId, replayOf, repeats }: Delivery,
): Promise<Delivery[]> => {
  const ids = [replayOf, repeats].filter((id) => id !== undefined);
  const ended = ids.map((id) => store.repetitions.endOriginal({ customerId, webhookId, id }, now()));
  return (await Promise.all(ended)).filter((result) => result !== null);
};

/** Finishes a replay when its last delivery has ended. */
export const endReplay = async (
  { store, now }: Deps<'replays.get' | 'replays.finish'>,
  { customerId, webhookId, replay }: Delivery,
): Promise<void> => {
  const job =
    replay === undefined || webhookId === null ? null : await store.replays.get(customerId, webhookId, replay);
  if (job?.state === 'running' && isFinished(job)) await store.replays.finish(job, 'completed', now());
};

/** The longest time (ms) from a hit to a step of its escalation. */
const MAX_STEP_MS = 86_400_000;

/**
 * Enqueues a check of whether all deliveries of a round have failed, after this delivery has failed. If so, the next
 * step of the escalation is due at once. Called after the failure is recorded, and again if the task of the delivery is
 * retried.
 */
export const checkFailedRound = async (
  { enqueue, now }: Deps<'enqueue:timers'> & Pick<Deps<'hitReports.report'>, 'now'>,
  { id: deliveryId, customerId, webhookId, createDate, hit, alsoHits = [], replayOf, requestId, snapshot }: Delivery,
): Promise<void> => {
  if (!hit || replayOf !== undefined || now() - createDate > MAX_STEP_MS) return;
  const trace = { uuid: messageUuidOf(snapshot), ...(requestId !== undefined && { requestId }) };
  const failed = { webhookId, deliveryId };
  await enqueue([hit, ...alsoHits].map(({ id: hitId }) => ({ type: 'escalate', customerId, hitId, ...trace, failed })));
};
