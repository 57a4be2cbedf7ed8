import type { Deps } from '../../../shared/deps.ts';
import type { Result } from '../../../shared/domain/attempt.ts';
import { isNewsOfSuccess, openUntilAfter, slowUntil, verdictOn } from '../../../shared/domain/breaker.ts';
import { afterAttempt, type Delivery, type Next, type Outcome } from '../../../shared/domain/delivery.ts';
import { isFinished } from '../../../shared/domain/replay.ts';
import type { WebhookRecord } from '../../../shared/domain/webhook.ts';
import { deliverTask, MAX_DELAY_SECONDS } from '../../../shared/queue/task.ts';
import type { DeliveryKey } from '../../../shared/store/deliveries.ts';
import type { deliver } from './contract.ts';
import { measureAttempt } from './measure.ts';
import { MISSING, send } from './send.ts';
import type { RequestSlot } from './slots.ts';

export type DeliverDeps = Deps<(typeof deliver)['uses'][number]>;

/** A number in [0, 1). */
export const chanceOf = ({ random }: DeliverDeps): number => Buffer.from(random(4)).readUInt32BE() / 2 ** 32;

/** Delays of a webhook, else of the stage; null: the built-in retry schedule. */
export const scheduleOf = ({ settings }: DeliverDeps, { retrySchedule }: WebhookRecord): readonly number[] | null =>
  retrySchedule ?? (settings.RETRY_SCHEDULE.length > 0 ? settings.RETRY_SCHEDULE : null);

/**
 * Puts a delivery on the queue for a time (ms). Queues count in seconds: the task comes early by less than one, and says
 * when the time has come. One that is further away than a queue can wait goes on the queue again then.
 */
export const enqueueAt = async ({ now, enqueue }: DeliverDeps, key: DeliveryKey, time: number): Promise<void> => {
  const notBefore = Math.ceil(time);
  const delaySeconds = Math.floor((notBefore - now()) / 1_000);
  await enqueue([{ ...deliverTask(key), isRetry: true, notBefore }], { delaySeconds });
};

/** The same of a delivery that is in the due index too when that is later than a queue can wait: then that is enough. */
export const enqueueIfSoon = async (deps: DeliverDeps, key: DeliveryKey, time: number): Promise<void> => {
  if (isSoon(time, deps.now())) await enqueueAt(deps, key, time);
};

/**
 * A delivery that is not to be had now stays on the queue until it has ended, or waits elsewhere: the task that is worked
 * on now may be the only one that is left of it.
 */
export const comeAgain = async (deps: DeliverDeps, key: DeliveryKey): Promise<void> => {
  const { delivery, until } = await deps.store.deliveries.inQueue(key);
  if (until !== null) await enqueueAt(deps, key, Math.max(until, deps.now() + SOONEST_MS));
  // Perhaps it comes again because a rule hit does not know of it yet.
  else if (delivery?.state === 'delivered') await report(deps, delivery, delivery.sendTryTimes.slice(-1), true);
};
/** What two tasks want at the same time, one of them leaves alone for so long. */
const SOONEST_MS = 500;

export const isSoon = (time: number, now: number): boolean => time - now <= MAX_DELAY_SECONDS * 1_000;

/** Notes how the receiver is doing, and draws the consequences of long trouble. */
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

/** Tells the rule hits of a delivery of attempts that began at these times (ms). */
const report = async (
  { store, now }: DeliverDeps,
  { customerId, hit, alsoHits = [] }: Delivery,
  tries: readonly number[],
  sent: boolean,
): Promise<void> => {
  for (const { id, message } of hit ? [hit, ...alsoHits] : [])
    await store.ruleHits.report(customerId, id, message, tries, sent, now());
};

/** Ends what a repetition that was taken repeats, if that still waits to be sent. */
const endOriginals = async ({ store, now }: DeliverDeps, delivery: Delivery): Promise<Delivery[]> => {
  const { customerId, webhookId, replayOf, repeats } = delivery;
  const ids = [replayOf, repeats].filter((id) => id !== undefined);
  const ended = ids.map((id) => store.repetitions.endOriginal({ customerId, webhookId, id }, now()));
  return (await Promise.all(ended)).filter((one) => one !== null);
};

/** The last delivery of a replay ends it. */
const endReplay = async ({ store, now }: DeliverDeps, { customerId, webhookId, replay }: Delivery): Promise<void> => {
  const job = replay === undefined ? null : await store.replays.get(customerId, webhookId, replay);
  if (job?.state === 'running' && isFinished(job)) await store.replays.finish(job, 'completed', now());
};

/**
 * Writes down what came of an attempt, in itself last of all: a crash before that repeats the attempt, and with it what
 * follows from it. Gives the error by which a rule hit does not know of it; undefined: all know.
 */
const record = async (deps: DeliverDeps, delivery: Delivery, result: Result, next: Next): Promise<unknown> => {
  const { store, now } = deps;
  const { sendTryTimes, log = [] } = delivery;
  // Attempts whose process died have left no line in the log; their starts are reported with the next one.
  const unreported = sendTryTimes.slice(log.at(-1)?.[0] ?? 0);
  const sent = next.state === 'delivered';
  // Where hits cannot be written, a receiver is told no more often for that: the task comes again for the hit alone.
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

/** A webhook whose secrets can be used. */
const unlocked = async ({ openSecret }: DeliverDeps, webhook: WebhookRecord): Promise<WebhookRecord> => {
  const open = async (kept: string | null) => (kept === null ? null : openSecret(kept, webhook.id));
  const [token, secretKey, previousSecret] = await Promise.all([
    openSecret(webhook.token, webhook.id),
    open(webhook.secretKey),
    open(webhook.previousSecret ?? null),
  ]);
  return { ...webhook, token, secretKey, previousSecret };
};

/** Does its owner send to another receiver by now? That one is not gone: what its predecessor refused is for it. */
const hasOtherUrl = async ({ store }: DeliverDeps, { customerId, id, url }: WebhookRecord): Promise<boolean> => {
  const current = await store.webhooks.get(customerId, id);
  return current !== null && current.url !== url;
};

/** One attempt in a slot, if the delivery is still to be had. */
export const attempt = async (
  deps: DeliverDeps,
  key: DeliveryKey,
  webhook: WebhookRecord,
  slot: RequestSlot,
): Promise<void> => {
  const { store, now } = deps;
  // First of all: without its secrets no attempt is worth being counted.
  const open = await unlocked(deps, webhook);
  const delivery = await store.deliveries.claim(key, now(), chanceOf(deps), deps.aloneSince);
  if (!delivery) return comeAgain(deps, key);
  deps.failpoint('deliver.claimed');
  const { result, outcome } = await send(deps, delivery, open);
  slot.release();
  deps.failpoint('deliver.sent');
  const isMoved = outcome.what === 'gone' && (await hasOtherUrl(deps, webhook));
  const effective: Outcome = isMoved ? { what: 'failed', isOverloaded: false, retryAfterSeconds: 0 } : outcome;
  const next = afterAttempt(delivery.attempts, effective, scheduleOf(deps, webhook), now(), chanceOf(deps));
  const missed = await record(deps, delivery, result, next);
  measureAttempt(deps, delivery, webhook, next);
  deps.failpoint('deliver.rescheduled');
  // Without a request there is nothing to say of the receiver's health.
  if (result.error !== MISSING) await noteHealth(deps, webhook, slot, result, next);
  if (missed) throw missed;
};
