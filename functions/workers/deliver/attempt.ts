import type { Deps } from '../../../shared/deps.ts';
import type { Result } from '../../../shared/domain/attempt.ts';
import { isNewsOfSuccess, openUntilAfter, slowUntil, verdictOn } from '../../../shared/domain/breaker.ts';
import { afterAttempt, type Delivery, messageOf, type Next, type Outcome } from '../../../shared/domain/delivery.ts';
import { isFinished } from '../../../shared/domain/replay.ts';
import type { WebhookRecord } from '../../../shared/domain/webhook.ts';
import { noteContext } from '../../../shared/log.ts';
import { deliverTask, MAX_DELAY_SECONDS } from '../../../shared/queue/encode.ts';
import type { DeliveryKey } from '../../../shared/store/deliveries.ts';
import type { deliver } from './contract.ts';
import { measureAttempt } from './measure.ts';
import { MISSING, send } from './send.ts';
import type { RequestSlot } from './slots.ts';

export type DeliverDeps = Deps<(typeof deliver)['uses'][number]>;

/** A number in [0, 1). */
export const chanceOf = ({ random }: DeliverDeps): number => Buffer.from(random(4)).readUInt32BE() / 2 ** 32;

/** The retry schedule of the webhook, or else of the stage. Null stands for the built-in one. */
export const scheduleOf = ({ settings }: DeliverDeps, { retrySchedule }: WebhookRecord): readonly number[] | null =>
  retrySchedule ?? (settings.RETRY_SCHEDULE.length > 0 ? settings.RETRY_SCHEDULE : null);

/**
 * Puts a delivery on the queue for a time (ms). Queues count in seconds, so the task may come up to a second early; it
 * carries the exact time. When the time is further away than a queue can delay, the task is put on the queue again then.
 */
export const enqueueAt = async ({ now, enqueue }: DeliverDeps, key: DeliveryKey, time: number): Promise<void> => {
  const notBefore = Math.ceil(time);
  const delaySeconds = Math.floor((notBefore - now()) / 1_000);
  await enqueue([{ ...deliverTask(key), isRetry: true, notBefore }], { delaySeconds });
};

/** Puts a delivery on the queue for a time (ms), unless that is later than a queue can delay: then the due index has it. */
export const enqueueIfSoon = async (deps: DeliverDeps, key: DeliveryKey, time: number): Promise<void> => {
  if (isSoon(time, deps.now())) await enqueueAt(deps, key, time);
};

/**
 * Puts a delivery that could not be claimed back on the queue, until it has ended or is in the due index: the current
 * task may be the last one of that delivery.
 */
export const comeAgain = async (deps: DeliverDeps, key: DeliveryKey): Promise<void> => {
  const { delivery, until } = await deps.store.deliveries.inQueue(key);
  if (until !== null) await enqueueAt(deps, key, Math.max(until, deps.now() + SOONEST_MS));
  // The task may have come again because the attempt was not reported to a rule hit yet.
  else if (delivery?.state === 'delivered') await report(deps, delivery, delivery.sendTryTimes.slice(-1), true);
};
/** How long (ms) a task waits when another task works on the same delivery. */
const SOONEST_MS = 500;

export const isSoon = (time: number, now: number): boolean => time - now <= MAX_DELAY_SECONDS * 1_000;

/** Records success or failure at the webhook, and warns or switches it off after days of failures. */
const noteHealth = async (
  deps: DeliverDeps,
  webhook: WebhookRecord,
  { surplus }: RequestSlot,
  { durationMs }: Result,
  next: Next,
): Promise<void> => {
  const { store, now, log, measure } = deps;
  const { customerId, id: webhookId } = webhook;
  if (next.state === 'delivered') {
    const slow = slowUntil(durationMs, now());
    const holds = surplus();
    if (holds.length > 0 || slow !== null || isNewsOfSuccess(webhook, now()))
      await store.health.worked(webhook, now(), slow, holds);
    return;
  }
  const wait = next.state === 'retrying' ? next.nextAttempt - now() : 0;
  const openUntil = openUntilAfter(webhook.consecutiveFailures + 1, wait, now());
  if (openUntil !== null && webhook.openUntil === undefined) measure('BreakersOpened');
  const after = await store.health.failed(webhook, now(), openUntil, surplus());
  if (next.state === 'failed' && next.reason === 'gone') return store.health.disable(webhook, 'gone');
  const verdict = after && verdictOn(after, now());
  if (verdict === 'disable') {
    log('warn', 'a webhook was switched off: it has failed for days', { customerId, webhookId });
    return store.health.disable(webhook, 'failing');
  }
  if (after && verdict === 'warn' && (await store.health.warn(after, now())))
    log('warn', 'a webhook will be switched off if it goes on failing', { customerId, webhookId });
};

/** Reports the attempts that began at these times (ms) to the rule hits of a delivery. */
const report = async (
  { store, now }: DeliverDeps,
  { customerId, hit, alsoHits = [] }: Delivery,
  tries: readonly number[],
  sent: boolean,
): Promise<void> => {
  for (const { id, message } of hit ? [hit, ...alsoHits] : [])
    await store.ruleHits.report(customerId, id, message, tries, sent, now());
};

/** Ends the original deliveries of a redelivery that the receiver accepted, if they still wait to be sent. */
const endOriginals = async ({ store, now }: DeliverDeps, delivery: Delivery): Promise<Delivery[]> => {
  const { customerId, webhookId, replayOf, repeats } = delivery;
  const ids = [replayOf, repeats].filter((id) => id !== undefined);
  const ended = ids.map((id) => store.repetitions.endOriginal({ customerId, webhookId, id }, now()));
  return (await Promise.all(ended)).filter((one) => one !== null);
};

/** Finishes a replay when its last delivery has ended. */
const endReplay = async ({ store, now }: DeliverDeps, { customerId, webhookId, replay }: Delivery): Promise<void> => {
  const job = replay === undefined ? null : await store.replays.get(customerId, webhookId, replay);
  if (job?.state === 'running' && isFinished(job)) await store.replays.finish(job, 'completed', now());
};

/**
 * Writes down the result of an attempt: first what follows from it, last the delivery itself. A crash before that repeats
 * the attempt and everything after it. Returns the error when a rule hit could not be told, else undefined.
 */
const record = async (deps: DeliverDeps, delivery: Delivery, result: Result, next: Next): Promise<unknown> => {
  const { store, now } = deps;
  const { sendTryTimes, log = [] } = delivery;
  // An attempt whose process died left no line in the log. Its start is reported with the next attempt.
  const unreported = sendTryTimes.slice(log.at(-1)?.[0] ?? 0);
  const sent = next.state === 'delivered';
  // When a hit cannot be written, the receiver is not called again: the task comes again for the hit alone.
  let missed: unknown;
  await report(deps, delivery, unreported, sent).catch((error: unknown) => {
    missed = error;
  });
  deps.failpoint('deliver.reported');
  const ended = sent ? await endOriginals(deps, delivery) : [];
  deps.failpoint('deliver.originals_ended');
  const time = next.state === 'retrying' ? next.nextAttempt : 0;
  await store.deliveries.record(delivery, result, next, now(), isSoon(time, now()));
  deps.failpoint('deliver.recorded');
  if (next.state === 'retrying') await enqueueIfSoon(deps, delivery, time);
  else for (const one of [delivery, ...ended]) await endReplay(deps, one);
  return missed;
};

/** What the log tells of an attempt: nothing that a receiver said. */
const toldOf = ({ id, attempts }: Delivery, { status, error, durationMs }: Result, { state }: Next) => ({
  ...{ deliveryId: id, attempt: attempts, status, reason: error, durationMs, state },
});

/** The webhook with its secrets opened. */
const unlocked = async ({ openSecret }: DeliverDeps, webhook: WebhookRecord): Promise<WebhookRecord> => {
  const open = async (kept: string | null) => (kept === null ? null : openSecret(kept, webhook.id));
  const [token, secretKey, previousSecret] = await Promise.all([
    openSecret(webhook.token, webhook.id),
    open(webhook.secretKey),
    open(webhook.previousSecret ?? null),
  ]);
  return { ...webhook, token, secretKey, previousSecret };
};

/** Has the webhook another URL by now? Then a 410 of the old URL says nothing about the new one. */
const hasOtherUrl = async ({ store }: DeliverDeps, { customerId, id, url }: WebhookRecord): Promise<boolean> => {
  const current = await store.webhooks.get(customerId, id);
  return current !== null && current.url !== url;
};

/** Makes one attempt in a slot, if the delivery can still be claimed. */
export const attempt = async (
  deps: DeliverDeps,
  key: DeliveryKey,
  webhook: WebhookRecord,
  slot: RequestSlot,
): Promise<void> => {
  const { store, now } = deps;
  // The secrets come first: an attempt that cannot be signed must not be counted.
  const open = await unlocked(deps, webhook);
  const claimed = await store.deliveries.claim(key, now(), chanceOf(deps), deps.aloneSince);
  if (!claimed) return comeAgain(deps, key);
  const delivery = { ...key, ...claimed };
  const { requestId } = delivery;
  noteContext({ uuid: messageOf(delivery.snapshot), ...(requestId !== undefined && { requestId }) });
  deps.failpoint('deliver.claimed');
  const { result, outcome } = await send(deps, delivery, open);
  slot.release();
  deps.failpoint('deliver.sent');
  const isMoved = outcome.what === 'gone' && (await hasOtherUrl(deps, webhook));
  const effective: Outcome = isMoved ? { what: 'failed', isOverloaded: false, retryAfterSeconds: 0 } : outcome;
  const next = afterAttempt(delivery.attempts, effective, scheduleOf(deps, webhook), now(), chanceOf(deps));
  const missed = await record(deps, delivery, result, next);
  measureAttempt(deps, delivery, webhook, next);
  deps.log('info', 'an attempt was made', toldOf(delivery, result, next));
  deps.failpoint('deliver.rescheduled');
  // When no request was made, nothing was learnt about the receiver's health.
  if (result.error !== MISSING) await noteHealth(deps, webhook, slot, result, next);
  if (missed) throw missed;
};
