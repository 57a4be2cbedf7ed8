import { entryOf, type Result } from '#shared/domain/delivery/attempt.ts';
import type { Delivery, Next } from '#shared/domain/delivery/delivery.ts';
import { dueDelivery, dueNames } from '../engine/due.ts';
import { type Changes, changes, where } from '../engine/request.ts';
import { leaseNames, REDELIVERED } from './delivery-item.ts';

/** Until when (ms) an attempt holds the delivery, and a random text that tells this claim from any other. */
type Lease = { until: number; claim: string };

/**
 * An attempt begins and leases the delivery. One whose lease ended before `lapsed` (ms) is taken over. One
 * without a time was to be fetched: who claims it knows that its webhook has an address by now.
 */
export const claiming = (now: number, lapsed: number, lease: Lease): Changes => ({
  UpdateExpression:
    'SET #state = :sending, leaseUntil = :until, claim = :claim, attempts = attempts + :one, sendTryTimes = list_append(sendTryTimes, :start) REMOVE duePk, dueAt',
  ConditionExpression:
    '(#state IN (:pending, :retrying) AND (nextAttempt <= :now OR nextAttempt = :none)) OR (#state = :sending AND leaseUntil < :lapsed)',
  ExpressionAttributeNames: { '#state': 'state' },
  ExpressionAttributeValues: {
    ':sending': 'sending',
    ':pending': 'pending',
    ':retrying': 'retrying',
    ':until': lease.until,
    ':claim': lease.claim,
    ':one': 1,
    ':start': [now],
    ':now': now,
    ':none': null,
    ':lapsed': lapsed,
  },
  ReturnValues: 'ALL_NEW',
});

/** The same change, and a line in the log of attempts. */
export const noting = ({ attempts }: Delivery, result: Result, { UpdateExpression, ...rest }: Changes): Changes => ({
  ...rest,
  UpdateExpression: UpdateExpression.replace('SET ', 'SET #log = list_append(if_not_exists(#log, :none), :entry), '),
  ExpressionAttributeNames: { ...rest.ExpressionAttributeNames, '#log': 'log' },
  ExpressionAttributeValues: {
    ...rest.ExpressionAttributeValues,
    ':none': [],
    ':entry': [entryOf(attempts, result)],
  },
});

/**
 * The end of a claimed attempt. Only its holder can write it: another attempt has another number. `isQueued`: the next
 * attempt waits in a queue; else in the due index.
 */
export const recording = (delivery: Delivery, next: Next, now: number, isQueued: boolean): Changes => {
  const mine = where('#state = :sending AND #attempts = :mine', { sending: 'sending', mine: delivery.attempts });
  const end = { state: next.state, updateDate: now, reason: next.state === 'failed' ? next.reason : undefined };
  if (next.state !== 'retrying')
    return changes({ set: { ...end, nextAttempt: null }, remove: [...dueNames, ...leaseNames], if: mine });
  const due = !isQueued && dueDelivery(delivery, next.nextAttempt);
  return changes({ set: { ...end, nextAttempt: next.nextAttempt, ...due }, remove: leaseNames, if: mine });
};

/** What came of an attempt during which a repetition was taken: that ended the delivery, and is told beside it. */
export const overtaken = ({ attempts }: Delivery, now: number): Changes => {
  const mine = { ...REDELIVERED, mine: attempts };
  return changes({
    set: { updateDate: now },
    if: where('#state = :state AND #reason = :reason AND #attempts = :mine', mine),
  });
};
