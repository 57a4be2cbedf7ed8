import { getLinkKey } from '#shared/api/link-key.ts';
import { verifiedChannelsOf } from '#shared/api/verified-channels.ts';
import { notificationFor } from '#shared/delivery/message.ts';
import type { PersonOutcome } from '#shared/delivery/targets/person.ts';
import { resultWithoutRequest } from '#shared/domain/delivery/attempt.ts';
import {
  type Delivery,
  type NextState,
  nextStateAfter,
  PERSON_DELAYS,
  plainFailure,
} from '#shared/domain/delivery/delivery.ts';
import { type Channel, smsLimitOf } from '#shared/domain/people/channel.ts';
import type { DeliveryKey } from '#shared/store/deliveries/delivery-item.ts';
import { type DeliverDeps, randomFraction } from './deps.ts';
import { lease } from './lease.ts';
import { notifyFailed } from './managers.ts';
import { recordAttempt } from './record.ts';
import type { Outcome } from './schedule.ts';

/** Why a person is not notified, and no retry would help. */
type Refusal = { kind: 'refused'; reason: 'not_reachable' | 'limit_reached' };
/** The result of an attempt. */
type Answer = Refusal | { kind: 'sent'; outcome: PersonOutcome };

/**
 * Returns the channel for the person. Access and channel are read at each attempt, because either may have been removed, as
 * may the service that the host sends by.
 */
const channelFor = async (
  { store, quotas, settings, now, measure }: DeliverDeps,
  { customerId, person, attempts }: Delivery,
): Promise<Refusal | { kind: 'found'; channel: Channel }> => {
  if (!person || !settings.CHANNEL_KINDS.includes(person.by)) return { kind: 'refused', reason: 'not_reachable' };
  const channels = await verifiedChannelsOf(store, customerId, person.userId);
  const channel = channels?.find(({ by }) => by === person.by);
  if (!channel) return { kind: 'refused', reason: 'not_reachable' };
  // A delivery counts once: attempts that the service did not accept sent nothing.
  if (channel.by !== 'sms' || attempts > 1) return { kind: 'found', channel };
  const { subject, windowSeconds } = smsLimitOf(customerId);
  const { count } = await store.limits.countFailure(subject, windowSeconds, now());
  if (count <= quotas.smsPerDay) return { kind: 'found', channel };
  measure('SmsLimitReached');
  return { kind: 'refused', reason: 'limit_reached' };
};

const send = async (deps: DeliverDeps, delivery: Delivery, addressKey: string | null): Promise<Answer> => {
  const target = await channelFor(deps, delivery);
  if (target.kind === 'refused') return target;
  return { kind: 'sent', outcome: await deps.person(target.channel, notificationFor(delivery, addressKey)) };
};

/** Returns the error of an attempt, or null if the service accepted the notification. */
const errorOf = (answer: Answer): string | null => {
  if (answer.kind === 'refused') return answer.reason;
  const { outcome } = answer;
  if (outcome === 'accepted') return null;
  return outcome === 'gone' ? outcome : outcome.retry;
};

/** Whether the notification became a file, and was sent to nobody. */
const isInOutbox = ({ settings }: DeliverDeps, { person }: Delivery, answer: Answer): boolean =>
  answer.kind === 'sent' &&
  answer.outcome === 'accepted' &&
  person !== undefined &&
  settings.OUTBOX_KINDS.includes(person.by);

const nextState = (deps: DeliverDeps, { attempts }: Delivery, answer: Answer): NextState => {
  if (answer.kind === 'refused') return { state: 'failed', reason: answer.reason };
  const { outcome } = answer;
  const effective = typeof outcome === 'string' ? { what: outcome } : plainFailure;
  return nextStateAfter(attempts, effective, PERSON_DELAYS, { now: deps.now(), random: randomFraction(deps) });
};

/** Attempts once to notify a person, without circuit breaker and slots, because the services are not the customer's. */
export const notifyPerson = async (deps: DeliverDeps, key: DeliveryKey): Promise<Outcome> => {
  const { now } = deps;
  // Before the lease, because an attempt whose acknowledgement link cannot be signed must not be counted.
  const addressKey = await getLinkKey(deps);
  const leased = await lease(deps, key);
  if (leased.kind !== 'leased') return leased.kind;
  const { delivery } = leased;
  const start = now();
  const answer = await send(deps, delivery, addressKey);
  deps.failpoint('deliver.sent');
  const result = {
    ...resultWithoutRequest(errorOf(answer), now() - start),
    ...(isInOutbox(deps, delivery, answer) && { outbox: true as const }),
  };
  const next = nextState(deps, delivery, answer);
  if (next.state === 'failed') await notifyFailed(deps, null, delivery);
  const reportError = await recordAttempt(deps, null, delivery, { result, next });
  if (reportError !== undefined) throw reportError;
  return next.state;
};
