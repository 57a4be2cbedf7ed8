import { type Delivery, messageUuidOf } from '../domain/delivery/delivery.ts';
import { isFinished } from '../domain/delivery/replay.ts';
import { urgentSituationOf } from '../domain/rule/alarm.ts';
import type { Deps } from '../runtime/deps.ts';

/** Records the start times (ms) of attempts in the rule hits behind a delivery. */
export const reportAttempts = async (
  { store, now }: Deps<'hitReports.report'>,
  { customerId, hit, alsoHits = [] }: Delivery,
  tries: readonly number[],
  sent: boolean | 'outbox',
): Promise<void> => {
  for (const { id, message } of hit ? [hit, ...alsoHits] : [])
    await store.hitReports.report({ customerId, hitId: id, at: message, tries, sent }, now());
};

/** The minimum time (ms) before an alarm counts as unnotified (`UNNOTIFIED_AFTER_SECONDS`). */
const MIN_UNNOTIFIED_MS = 30_000;

/**
 * Ends an event alarm that no one was notified of, once a late delivery to a customer webhook or an emergency contact
 * has succeeded.
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

/** Ends the pending originals after the receiver has accepted a redelivery. */
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

/** The maximum time (ms) from a hit to an escalation step. */
const MAX_STEP_MS = 86_400_000;

/**
 * After this delivery has failed, enqueues a check of whether all deliveries in the round have failed. If so, the next
 * escalation step is due at once. Called after the failure is recorded, and again if the task is retried.
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
