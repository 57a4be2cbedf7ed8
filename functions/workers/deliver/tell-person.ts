import { addressKeyOf } from '#shared/api/address-key.ts';
import { channelsOf } from '#shared/api/channels-of.ts';
import { letterOf } from '#shared/delivery/message.ts';
import type { PersonOutcome } from '#shared/delivery/targets/person.ts';
import type { Result } from '#shared/domain/delivery/attempt.ts';
import { afterAttempt, type Delivery, type Next, PERSON_DELAYS } from '#shared/domain/delivery/delivery.ts';
import { smsOf } from '#shared/domain/people/channel.ts';
import type { DeliveryKey } from '#shared/store/deliveries/delivery-item.ts';
import { toldOf } from './attempt.ts';
import { claim } from './claim.ts';
import { chanceOf, type DeliverDeps } from './deps.ts';
import { measureAttempt } from './measure.ts';
import { record } from './record.ts';
import { tellFailed } from './tell-managers.ts';

type Refusal = 'not_reachable' | 'limit_reached';

/** The channel by which the person is to be told; or why the person is not. */
const channelFor = async ({ store, quotas, now, measure }: DeliverDeps, { customerId, person, attempts }: Delivery) => {
  // Whoever has lost access to the customer since the hit is not told of what happens there.
  const channels = person && (await channelsOf(store, customerId, person.userId));
  const channel = channels?.find(({ by }) => by === person?.by);
  if (!channel) return 'not_reachable';
  // A delivery is counted once: an attempt that the service did not take has sent nothing.
  if (channel.by !== 'sms' || attempts > 1) return channel;
  const { subject, windowSeconds } = smsOf(customerId);
  const { count } = await store.limits.countFailure(subject, windowSeconds, now());
  if (count <= quotas.smsPerDay) return channel;
  measure('SmsLimitReached');
  return 'limit_reached';
};

const send = async (
  deps: DeliverDeps,
  delivery: Delivery,
  addressKey: string | null,
): Promise<PersonOutcome | Refusal> => {
  const channel = await channelFor(deps, delivery);
  return typeof channel === 'string' ? channel : deps.person(channel, letterOf(delivery, addressKey));
};

const errorOf = (outcome: PersonOutcome | Refusal): string | null => {
  if (outcome === 'accepted') return null;
  return typeof outcome === 'string' ? outcome : outcome.retry;
};

const nextAfter = (deps: DeliverDeps, { attempts }: Delivery, outcome: PersonOutcome | Refusal): Next => {
  if (outcome === 'not_reachable' || outcome === 'limit_reached') return { state: 'failed', reason: outcome };
  const made =
    typeof outcome === 'string'
      ? { what: outcome }
      : { what: 'failed' as const, isOverloaded: false, retryAfterSeconds: 0 };
  return afterAttempt(attempts, made, PERSON_DELAYS, { now: deps.now(), random: chanceOf(deps) });
};

/** Makes one attempt to tell a person, if the delivery can still be claimed. */
export const tellPerson = async (deps: DeliverDeps, key: DeliveryKey): Promise<void> => {
  const { now } = deps;
  // The key comes first: an attempt whose address cannot be signed must not be counted.
  const addressKey = await addressKeyOf(deps);
  const delivery = await claim(deps, key);
  if (!delivery) return;
  const start = now();
  const outcome = await send(deps, delivery, addressKey);
  deps.failpoint('deliver.sent');
  const result: Result = {
    status: null,
    error: errorOf(outcome),
    responseBody: '',
    durationMs: now() - start,
    timings: { dns: null, connect: null, tls: null, firstByte: null },
  };
  const next = nextAfter(deps, delivery, outcome);
  if (next.state === 'failed') await tellFailed(deps, null, delivery);
  const missed = await record(deps, delivery, result, next);
  measureAttempt(deps, delivery, null, next);
  deps.log('info', 'an attempt was made', toldOf(delivery, result, next));
  deps.failpoint('deliver.rescheduled');
  if (missed) throw missed;
};
