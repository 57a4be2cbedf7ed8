import {
  checkFailedRound,
  endAlarmOfEvent,
  endOriginals,
  endReplay,
  reportAttempts,
} from '#shared/api/delivery-results.ts';
import { sendNotice } from '#shared/api/notices.ts';
import { isOfCanary } from '#shared/domain/canary.ts';
import type { AttemptResult } from '#shared/domain/delivery/attempt.ts';
import {
  type AttemptOutcome,
  type Delivery,
  type NextState,
  nextStateAfter,
  plainFailure,
} from '#shared/domain/delivery/delivery.ts';
import { isEarlyAttempt, needsRelease } from '#shared/domain/delivery/early.ts';
import { isGathered } from '#shared/domain/delivery/gathering.ts';
import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import { EVENT_RETENTION } from '#shared/domain/event/event.ts';
import type { StoredAuditEntry } from '#shared/domain/identity/audit.ts';
import { auditIdOf } from '#shared/domain/identity/audit-id.ts';
import { timeOfUlid } from '#shared/domain/ids.ts';
import { nameFrom } from '#shared/domain/rule/acknowledgement.ts';
import { FIRST_ATTEMPT_SECONDS } from '#shared/observability/metrics.ts';
import type { AdmittedRequest } from './circuit.ts';
import { type DeliverDeps, randomFraction } from './deps.ts';
import { recordHealth } from './health.ts';
import { enqueueIfSoon, fitsQueue, type Outcome, retrySchedule } from './schedule.ts';
import type { Answer } from './send.ts';

/** Returns the audit line for an acknowledgement by a receiver, under the name in the response. */
const acknowledgementLine = (
  { now, random }: DeliverDeps,
  { delivery, webhook, hitId, name }: { delivery: Delivery; webhook: WebhookRecord; hitId: number; name: string },
): StoredAuditEntry => ({
  id: auditIdOf(now(), random(6)),
  actor: { kind: 'receiver', id: webhook.id, name },
  address: webhook.url === null ? '' : new URL(webhook.url).hostname,
  operation: 'acknowledgeRuleHit',
  object: { kind: 'rule_hit', id: String(hitId) },
  changes: [],
  requestId: delivery.id,
  refused: false,
});

/**
 * Acknowledges the hits behind a delivery if the receiver named the person acknowledging the alarm. This happens before
 * the attempt is recorded. If it fails, the attempt is retried, so no acknowledgement is lost.
 */
const acknowledgeHits = async (
  deps: DeliverDeps,
  webhook: WebhookRecord,
  delivery: Delivery,
  outcome: AttemptOutcome,
): Promise<void> => {
  const { store, now } = deps;
  const { customerId, hit, alsoHits = [] } = delivery;
  const name = outcome.what === 'accepted' && outcome.acknowledgedBy ? nameFrom(outcome.acknowledgedBy) : null;
  if (name === null || !hit) return;
  for (const { id: hitId } of [hit, ...alsoHits]) {
    const acknowledgement = { userId: null, name, date: now() };
    const line = acknowledgementLine(deps, { delivery, webhook, hitId, name });
    const since = now() - EVENT_RETENTION;
    const made = await store.acknowledgements.make({ customerId, hitId }, acknowledgement, since, line);
    deps.failpoint('deliver.acknowledged');
    if (made?.notice) await sendNotice(deps, made.notice);
  }
};

/** Whether the webhook has a new URL, which makes a 410 response from the old URL meaningless. */
const hasMoved = async ({ store }: DeliverDeps, { customerId, id, url }: WebhookRecord): Promise<boolean> => {
  const current = await store.webhooks.get(customerId, id);
  return current !== null && current.url !== url;
};

/**
 * Whether a 410 response disables the webhook. Receivers may briefly respond with 410 during a deployment, so this
 * requires GONE_AFTER_SECONDS of nothing but 410 responses, and the webhook must still have that URL.
 */
const isGoneForGood = async (deps: DeliverDeps, webhook: WebhookRecord): Promise<boolean> => {
  const { goneSince = deps.now() } = webhook;
  if (deps.now() - goneSince < deps.settings.GONE_AFTER_SECONDS * 1_000) return false;
  return !(await hasMoved(deps, webhook));
};

/** Returns the state resulting from a response. */
const nextState = async (
  deps: DeliverDeps,
  webhook: WebhookRecord,
  delivery: Delivery,
  outcome: AttemptOutcome,
): Promise<NextState> => {
  const isTemporary = outcome.what === 'gone' && !(await isGoneForGood(deps, webhook));
  const effective = isTemporary ? plainFailure : outcome;
  const { attempts, earlyAttempts = 0, nextAttempt } = delivery;
  return nextStateAfter(attempts - earlyAttempts, effective, retrySchedule(deps, webhook), {
    now: deps.now(),
    random: randomFraction(deps),
    planned: isEarlyAttempt(delivery) ? nextAttempt : null,
  });
};

/** The attempt result and the resulting state. `hasTask`: the delivery has another task besides the current one. */
type AttemptEnd = { result: AttemptResult; next: NextState; hasTask?: boolean };

/**
 * Writes the attempt result. The delivery itself is written last, so after a crash, the attempt and all its
 * consequences are repeated. Returns the error if the result could not be reported to a rule hit, otherwise undefined.
 */
const write = async (
  deps: DeliverDeps,
  delivery: Delivery,
  { result, next, hasTask = false }: AttemptEnd,
): Promise<unknown> => {
  const { store, now } = deps;
  const { sendTryTimes, log = [] } = delivery;
  // If the process died, the attempt left no line in the delivery log, and its start is reported with the next attempt.
  const unreported = sendTryTimes.slice(log.at(-1)?.[0] ?? 0);
  const isSent = next.state === 'delivered';
  // If a hit cannot be written, the receiver is not called again. The task is retried only for the hit.
  let reportError: unknown;
  const sent = isSent && result.outbox ? 'outbox' : isSent;
  await reportAttempts(deps, delivery, unreported, sent).catch((error: unknown) => {
    reportError = error;
  });
  deps.failpoint('deliver.reported');
  if (isSent) await endAlarmOfEvent(deps, delivery);
  const ended = isSent ? await endOriginals(deps, delivery) : [];
  deps.failpoint('deliver.originals_ended');
  const time = next.state === 'retrying' ? next.nextAttempt : 0;
  await store.attempts.recordResult(delivery, { result, next }, now(), fitsQueue(time, now()));
  deps.failpoint('deliver.recorded');
  if (next.state === 'failed') await checkFailedRound(deps, delivery);
  if (next.state === 'retrying') {
    if (!hasTask) await enqueueIfSoon(deps, delivery, time);
  } else for (const finished of [delivery, ...ended]) await endReplay(deps, finished);
  return reportError;
};

const metrics = {
  delivered: 'DeliveriesDelivered',
  retrying: 'DeliveriesRetried',
  failed: 'DeliveriesFailed',
} as const;

/**
 * Whether a delivery may be late because it waits for others, is a test or a redelivery, was held, or is delayed by a
 * retry schedule.
 */
const mayBeLate = (deps: DeliverDeps, delivery: Delivery, webhook: WebhookRecord | null): boolean => {
  const { id, isTest = false, replayOf, replay, body } = delivery;
  const wasHeld = timeOfUlid(id) <= (webhook?.releasedUntil ?? 0);
  const [firstSeconds = 0] = (webhook && retrySchedule(deps, webhook)) ?? [];
  const isRedelivery = replayOf !== undefined || replay !== undefined;
  return isGathered(delivery) || isTest || isRedelivery || body !== undefined || wasHeld || firstSeconds > 0;
};

/** Counts an attempt by result, and measures the time from accepting the message to the alarm. */
const measureAttempt = (
  deps: DeliverDeps,
  delivery: Delivery,
  webhook: WebhookRecord | null,
  next: NextState,
): void => {
  const { measure, now } = deps;
  measure(metrics[next.state]);
  if (isOfCanary(webhook, deps.settings.PUBLIC_URL) || mayBeLate(deps, delivery, webhook)) return;
  // A delivery id begins with the acceptance time of the message.
  const since = now() - timeOfUlid(delivery.id);
  // Attempts whose process died or froze left no line, so the first line is the first completed attempt.
  const { log = [] } = delivery;
  if (log.length === 0) {
    measure('TimeToFirstAttempt', since);
    if (since > FIRST_ATTEMPT_SECONDS * 1_000) measure('AttemptsLate');
  }
  if (next.state === 'delivered') measure('TimeToReceiver', since);
};

/**
 * Records an attempt and reports it. `webhook` is null for a delivery to a person. Returns the error if the result
 * could not be reported to a rule hit, otherwise undefined. Callers throw this error last, so the task is retried.
 */
export const recordAttempt = async (
  deps: DeliverDeps,
  webhook: WebhookRecord | null,
  delivery: Delivery,
  end: AttemptEnd,
): Promise<unknown> => {
  const { result, next } = end;
  const reportError = await write(deps, delivery, end);
  measureAttempt(deps, delivery, webhook, next);
  // Nothing from the response is logged, because it may name people.
  const { status, error: reason, durationMs } = result;
  const { id: deliveryId, attempts: attempt } = delivery;
  deps.log('info', 'an attempt was made', { deliveryId, attempt, status, reason, durationMs, state: next.state });
  deps.failpoint('deliver.rescheduled');
  return reportError;
};

/** Disables a webhook that is gone, and reports that a delivery failed permanently. Loaded with the first failure. */
const reportFailure = async (
  deps: DeliverDeps,
  webhook: WebhookRecord,
  delivery: Delivery,
  { reason }: Extract<NextState, { state: 'failed' }>,
): Promise<void> => {
  const [{ disableWebhook }, { notifyFailed }] = await Promise.all([
    import('./disable-webhook.ts'),
    import('#shared/api/failed-delivery.ts'),
  ]);
  if (reason === 'gone') await disableWebhook(deps, webhook, delivery, 'gone');
  await notifyFailed(deps, webhook, delivery);
};

/** Records the response from a receiver, and the consequences for the delivery, the rule hits and the webhook. */
export const record = async (
  deps: DeliverDeps,
  admitted: AdmittedRequest,
  delivery: Delivery,
  { kind, result, outcome }: Answer,
): Promise<Outcome> => {
  const { webhook } = admitted;
  await acknowledgeHits(deps, webhook, delivery, outcome);
  const next = await nextState(deps, webhook, delivery, outcome);
  const { durationMs } = result;
  const recordReceiver = async (): Promise<void> => {
    if (kind === 'sent')
      await recordHealth(deps, admitted, { delivery, durationMs, isGone: outcome.what === 'gone', next });
  };
  // Done before recording the delivery, because the task is retried only until the delivery has ended.
  if (next.state === 'failed') await reportFailure(deps, webhook, delivery, next);
  // Changes in the receiver's health are also recorded first. After a crash, only another attempt would record them.
  const isNews = next.state !== 'delivered' || needsRelease(webhook, deps.now());
  if (isNews) await recordReceiver();
  const reportError = await recordAttempt(deps, webhook, delivery, { result, next });
  if (!isNews) await recordReceiver();
  if (reportError !== undefined) throw reportError;
  return next.state;
};
