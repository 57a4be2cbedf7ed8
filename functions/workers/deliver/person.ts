import { mailManagers, mailSubject, notifyFailed } from '#shared/api/failed-delivery.ts';
import { getLinkKey } from '#shared/api/link-key.ts';
import { verifiedChannelsOf } from '#shared/api/verified-channels.ts';
import { inBatches } from '#shared/concurrency/in-batches.ts';
import { gatheredNotification } from '#shared/delivery/gathered.ts';
import { notificationFor } from '#shared/delivery/message.ts';
import { isAccepted, isFinal, type Notification, type PersonOutcome } from '#shared/delivery/targets/person.ts';
import { type AttemptResult, resultWithoutRequest } from '#shared/domain/delivery/attempt.ts';
import {
  type Delivery,
  messageUuidOf,
  type NextState,
  nextStateAfter,
  nextStateAfterHostFailure,
  PERSON_DELAYS,
  plainFailure,
} from '#shared/domain/delivery/delivery.ts';
import { isGathered } from '#shared/domain/delivery/gathering.ts';
import type { Channel } from '#shared/domain/people/channel.ts';
import { isNearSmsLimit, SMS_WINDOW_SECONDS, smsLimitOf, smsPurposeOf } from '#shared/domain/people/sms-quota.ts';
import { withLogContext } from '#shared/observability/log.ts';
import type { Deliver } from '#shared/queue/task.ts';
import type { DeliveryKey } from '#shared/store/deliveries/delivery-item.ts';
import { updateChannels } from './channel-changes.ts';
import { type DeliverDeps, randomFraction } from './deps.ts';
import { electGatherer, gatherFor } from './gather.ts';
import { lease } from './lease.ts';
import { recordAttempt } from './record.ts';
import type { Outcome } from './schedule.ts';

/** Why a person is not notified. Retries would not help. */
type Refusal = { kind: 'refused'; reason: 'not_reachable' | 'limit_reached' };
/** The attempt result. */
type Answer = Refusal | { kind: 'sent'; outcome: PersonOutcome; isNearLimit?: boolean };

const DAY_SECONDS = 86_400;

/** Counts an SMS. Refused if the customer has none left for this purpose. */
const countSms = async (
  { store, quotas, now, measure }: DeliverDeps,
  delivery: Delivery,
): Promise<Refusal | { kind: 'counted'; isNearLimit: boolean }> => {
  const purpose = smsPurposeOf(delivery);
  const { subject, limit } = smsLimitOf(delivery.customerId, purpose, quotas);
  const count = await store.limits.countWithin(subject, limit, SMS_WINDOW_SECONDS, now());
  if (count !== null) return { kind: 'counted', isNearLimit: purpose !== 'test' && isNearSmsLimit(count, quotas) };
  // Once a day per customer, so that one customer with no SMS left does not hide the next.
  if (purpose !== 'test' && (await store.limits.take(`sms:reached:${delivery.customerId}`, 1, DAY_SECONDS, now())))
    measure('SmsLimitReached');
  return { kind: 'refused', reason: 'limit_reached' };
};

/** The channel for a person. `isNearLimit`: the customer has few SMS left. */
type Target = Refusal | { kind: 'found'; channel: Channel; isNearLimit: boolean };

/**
 * Returns the channel for the person. Access and channel are read at each attempt, because either may have been
 * removed. The host may also no longer support the channel.
 */
const channelFor = async (deps: DeliverDeps, delivery: Delivery): Promise<Target> => {
  const { customerId, person, attempts } = delivery;
  const canSend = person !== undefined && deps.settings.CHANNEL_KINDS.includes(person.by);
  const channels = canSend ? await verifiedChannelsOf(deps.store, customerId, person.userId) : null;
  const channel = channels?.find(({ by }) => by === person?.by);
  if (!channel) return { kind: 'refused', reason: 'not_reachable' };
  // Each delivery is counted only once, because attempts not accepted by the messaging service did not send anything.
  if (channel.by !== 'sms' || attempts > 1) return { kind: 'found', channel, isNearLimit: false };
  const counted = await countSms(deps, delivery);
  return counted.kind === 'refused' ? counted : { kind: 'found', channel, isNearLimit: counted.isNearLimit };
};

const send = async (
  deps: DeliverDeps,
  { customerId, id: deliveryId, attempts: attempt }: Delivery,
  target: Target,
  message: Notification,
): Promise<Answer> => {
  if (target.kind === 'refused') return target;
  const outcome = await deps.person(target.channel, message, { customerId, deliveryId, attempt });
  return { kind: 'sent', outcome, isNearLimit: target.isNearLimit };
};

/** Returns the result, without an error if the messaging service accepted the notification. */
const resultOf = (answer: Answer, durationMs: number): AttemptResult => {
  if (answer.kind === 'refused') return resultWithoutRequest(answer.reason, durationMs);
  const { outcome } = answer;
  if (isAccepted(outcome)) return resultWithoutRequest(null, durationMs);
  if (outcome === 'gone') return resultWithoutRequest(outcome, durationMs);
  return resultWithoutRequest('retry' in outcome ? outcome.retry : outcome.refused, durationMs, outcome.answer);
};

/** Whether the notification was only written to a file. */
const isInOutbox = ({ settings }: DeliverDeps, { person }: Delivery, answer: Answer): boolean =>
  answer.kind === 'sent' &&
  isAccepted(answer.outcome) &&
  person !== undefined &&
  settings.OUTBOX_KINDS.includes(person.by);

const nextState = (delivery: Delivery, answer: Answer, at: { now: number; random: number }): NextState => {
  if (answer.kind === 'refused') return { state: 'failed', reason: answer.reason };
  const { outcome } = answer;
  if (isFinal(outcome)) return { state: 'failed', reason: 'gone' };
  if (isAccepted(outcome)) return { state: 'delivered' };
  if (outcome.isOfHost) return nextStateAfterHostFailure(delivery, at);
  const failure = { ...plainFailure, retryAfterSeconds: outcome.afterSeconds ?? 0 };
  return nextStateAfter(delivery.attempts, failure, PERSON_DELAYS, at);
};

/** Emails the rule managers, once a day, that the customer has used most of its SMS. */
const warnOfSmsLimit = async (deps: DeliverDeps, delivery: Delivery): Promise<void> => {
  const { store, now } = deps;
  if (await store.limits.take(`sms:warned:${delivery.customerId}`, 1, DAY_SECONDS, now()))
    await mailManagers(deps, null, 'sms_nearly_used', mailSubject(delivery));
};

/**
 * Records the response for each delivery covered by the message. Either all of them succeed, or they are retried
 * together.
 */
const recordAnswer = async (
  deps: DeliverDeps,
  [first, ...others]: readonly [Delivery, ...Delivery[]],
  answer: Answer,
  durationMs: number,
): Promise<Outcome> => {
  const result = {
    ...resultOf(answer, durationMs),
    ...(isInOutbox(deps, first, answer) && { outbox: true as const }),
  };
  const at = { now: deps.now(), random: randomFraction(deps) };
  const recordFor = async (delivery: Delivery, hasTask: boolean): Promise<NextState> => {
    const next = nextState(delivery, answer, at);
    if (next.state === 'failed') await notifyFailed(deps, null, delivery);
    const reportError = await recordAttempt(deps, null, delivery, { result, next, hasTask });
    if (reportError !== undefined) throw reportError;
    return next;
  };
  await inBatches(others, (other) =>
    withLogContext({ uuid: messageUuidOf(other.snapshot), requestId: other.requestId }, () => recordFor(other, true)),
  );
  return (await recordFor(first, false)).state;
};

/**
 * Attempts once to notify a person. There is no circuit breaker and there are no slots, because customers do not
 * run the messaging services. Several deliveries about offline sensors become a single message.
 */
export const notifyPerson = async (deps: DeliverDeps, key: DeliveryKey, task: Deliver): Promise<Outcome> => {
  const { now } = deps;
  // Tasks from the sweep contain only the delivery key.
  if (task.isGathered || task.by === undefined) {
    const election = await electGatherer(deps, key);
    if (election !== 'elected') return election;
  }
  // Done before the lease, because an attempt whose acknowledgement link cannot be signed must not be counted.
  const addressKey = await getLinkKey(deps);
  const leased = await lease(deps, key);
  if (leased.kind !== 'leased') return leased.kind;
  const { delivery } = leased;
  const target = await channelFor(deps, delivery);
  const channel = target.kind === 'found' ? target.channel : null;
  const others = isGathered(delivery) ? await gatherFor(deps, delivery, channel) : [];
  const deliveries = [delivery, ...others] as const;
  const message = others.length > 0 ? gatheredNotification(deliveries) : notificationFor(delivery, addressKey);
  const start = now();
  const answer = await send(deps, delivery, target, message);
  deps.failpoint('deliver.sent');
  if (answer.kind === 'sent' && answer.isNearLimit) await warnOfSmsLimit(deps, delivery);
  const state = await recordAnswer(deps, deliveries, answer, now() - start);
  if (channel && answer.kind === 'sent') await updateChannels(deps, deliveries, channel, answer.outcome);
  return state;
};
