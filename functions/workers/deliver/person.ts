import { getLinkKey } from '#shared/api/link-key.ts';
import { verifiedChannelsOf } from '#shared/api/verified-channels.ts';
import { inBatches } from '#shared/concurrency/in-batches.ts';
import { gatheredNotification } from '#shared/delivery/gathered.ts';
import { notificationFor } from '#shared/delivery/message.ts';
import { isAccepted, isGone, type PersonOutcome } from '#shared/delivery/targets/person.ts';
import { resultWithoutRequest } from '#shared/domain/delivery/attempt.ts';
import {
  type AttemptOutcome,
  type Delivery,
  messageUuidOf,
  type NextState,
  nextStateAfter,
  PERSON_DELAYS,
  plainFailure,
} from '#shared/domain/delivery/delivery.ts';
import { isGathered } from '#shared/domain/delivery/gathering.ts';
import { type Channel, smsLimitOf } from '#shared/domain/people/channel.ts';
import { withLogContext } from '#shared/observability/log.ts';
import type { Deliver } from '#shared/queue/task.ts';
import type { DeliveryKey } from '#shared/store/deliveries/delivery-item.ts';
import { updateChannels } from './channel-changes.ts';
import { type DeliverDeps, randomFraction } from './deps.ts';
import { electGatherer, gatherFor } from './gather.ts';
import { lease } from './lease.ts';
import { notifyFailed } from './managers.ts';
import { recordAttempt } from './record.ts';
import type { Outcome } from './schedule.ts';

/** Why a person is not notified, and no retry would help. */
type Refusal = { kind: 'refused'; reason: 'not_reachable' | 'limit_reached' };
/** The result of an attempt. */
type Answer = Refusal | { kind: 'sent'; outcome: PersonOutcome };

/**
 * Returns the channel for the person. Access and channel are read at each attempt, because either may have been removed.
 */
const channelFor = async (
  { store, quotas, now, measure }: DeliverDeps,
  { customerId, person, attempts }: Delivery,
): Promise<Refusal | { kind: 'found'; channel: Channel }> => {
  const channels = person && (await verifiedChannelsOf(store, customerId, person.userId));
  const channel = channels?.find(({ by }) => by === person?.by);
  if (!channel) return { kind: 'refused', reason: 'not_reachable' };
  // A delivery counts once: attempts that the service did not accept sent nothing.
  if (channel.by !== 'sms' || attempts > 1) return { kind: 'found', channel };
  const { subject, windowSeconds } = smsLimitOf(customerId);
  const { count } = await store.limits.countFailure(subject, windowSeconds, now());
  if (count <= quotas.smsPerDay) return { kind: 'found', channel };
  measure('SmsLimitReached');
  return { kind: 'refused', reason: 'limit_reached' };
};

/** Returns the error of an attempt, or null if the service accepted the notification. */
const errorOf = (answer: Answer): string | null => {
  if (answer.kind === 'refused') return answer.reason;
  const { outcome } = answer;
  if (isAccepted(outcome)) return null;
  return isGone(outcome) ? 'gone' : outcome.retry;
};

/** Returns the reason that the service gave because of which no retry would help, or ''. */
const reasonOf = (answer: Answer): string =>
  answer.kind === 'sent' && typeof answer.outcome === 'object' && 'gone' in answer.outcome ? answer.outcome.gone : '';

const outcomeOf = (outcome: PersonOutcome): AttemptOutcome => {
  if (isAccepted(outcome)) return { what: 'accepted' };
  return isGone(outcome) ? { what: 'gone' } : { ...plainFailure, retryAfterSeconds: outcome.afterSeconds ?? 0 };
};

const nextState = (answer: Answer, { attempts }: Delivery, time: { now: number; random: number }): NextState =>
  answer.kind === 'refused'
    ? { state: 'failed', reason: answer.reason }
    : nextStateAfter(attempts, outcomeOf(answer.outcome), PERSON_DELAYS, time);

/** Records the answer for each delivery that the message stands for. All succeed, or are retried together. */
const recordAnswer = async (
  deps: DeliverDeps,
  [first, ...others]: readonly [Delivery, ...Delivery[]],
  answer: Answer,
  durationMs: number,
): Promise<Outcome> => {
  const result = resultWithoutRequest(errorOf(answer), durationMs, reasonOf(answer));
  const time = { now: deps.now(), random: randomFraction(deps) };
  const recordFor = async (delivery: Delivery, hasTask: boolean): Promise<NextState> => {
    const next = nextState(answer, delivery, time);
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
 * Attempts once to notify a person, without circuit breaker and slots, because the services are not the customer's. That several
 * sensors are offline or online again is one message.
 */
export const notifyPerson = async (deps: DeliverDeps, key: DeliveryKey, task: Deliver): Promise<Outcome> => {
  const { now } = deps;
  // A task of the sweep has only the key of its delivery.
  if (task.isGathered || task.by === undefined) {
    const election = await electGatherer(deps, key);
    if (election !== 'elected') return election;
  }
  // Before the lease, because an attempt whose acknowledgement link cannot be signed must not be counted.
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
  const answer: Answer =
    target.kind === 'found' ? { kind: 'sent', outcome: await deps.person(target.channel, message) } : target;
  deps.failpoint('deliver.sent');
  const state = await recordAnswer(deps, deliveries, answer, now() - start);
  if (channel && answer.kind === 'sent') await updateChannels(deps, deliveries, channel, answer.outcome);
  return state;
};
