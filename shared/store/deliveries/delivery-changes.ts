import { type AttemptResult, packAttempt } from '#shared/domain/delivery/attempt.ts';
import { LEASE_MS } from '#shared/domain/delivery/breaker.ts';
import type { Delivery, NextState } from '#shared/domain/delivery/delivery.ts';
import { latestAhead } from '#shared/domain/state/clock.ts';
import { dueAttributes, dueDelivery } from '../engine/due.ts';
import { type Changes, changes, where } from '../engine/request.ts';
import { leaseAttributes, REDELIVERED } from './delivery-item.ts';

/** The end of a lease (ms), and a random string identifying the claim. */
type Lease = { until: number; claim: string };

/**
 * Starts an attempt, which leases the delivery. A lease that ended before `lapsed` (ms) is taken over. So is a lease
 * that is longer than possible because the clock has since been set back. A delivery without a next attempt was waiting
 * in a feed, and its webhook now has a URL again. `insteadOf`: the attempt is early, and replaces the one planned for
 * that time (ms).
 */
export const claimChanges = (now: number, lapsed: number, lease: Lease, insteadOf?: number): Changes => ({
  UpdateExpression: `SET #state = :sending, leaseUntil = :until, claim = :claim, attempts = attempts + :one, sendTryTimes = list_append(sendTryTimes, :start) REMOVE duePk, dueAt${insteadOf === undefined ? '' : ' ADD earlyAttempts :one'}`,
  ConditionExpression: `(#state IN (:pending, :retrying) AND (nextAttempt <= :now OR nextAttempt = :none${insteadOf === undefined ? '' : ' OR nextAttempt = :insteadOf'})) OR (#state = :sending AND (leaseUntil < :lapsed OR leaseUntil > :latest))`,
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
    ':latest': latestAhead(now, LEASE_MS),
    ...(insteadOf !== undefined && { ':insteadOf': insteadOf }),
  },
  ReturnValues: 'ALL_NEW',
});

/** Adds an attempt log entry to a change. */
export const withLogEntry = (
  { attempts, webhookId }: Delivery,
  result: AttemptResult,
  { UpdateExpression, ...rest }: Changes,
): Changes => ({
  ...rest,
  UpdateExpression: UpdateExpression.replace('SET ', 'SET #log = list_append(if_not_exists(#log, :none), :entry), '),
  ExpressionAttributeNames: { ...rest.ExpressionAttributeNames, '#log': 'log' },
  ExpressionAttributeValues: {
    ...rest.ExpressionAttributeValues,
    ':none': [],
    ':entry': [packAttempt(attempts, result, webhookId === null)],
  },
});

/**
 * Returns the changes that end a claimed attempt. Only the claim holder can write them, because another attempt has a
 * different number. `isQueued`: the task for the next attempt is in a queue; otherwise the delivery goes into the due
 * index.
 */
export const resultChanges = (delivery: Delivery, next: NextState, now: number, isQueued: boolean): Changes => {
  const mine = where('#state = :sending AND #attempts = :mine', { sending: 'sending', mine: delivery.attempts });
  const end = { state: next.state, updateDate: now, reason: next.state === 'failed' ? next.reason : undefined };
  if (next.state !== 'retrying')
    return changes({ set: { ...end, nextAttempt: null }, remove: [...dueAttributes, ...leaseAttributes], if: mine });
  const due = !isQueued && dueDelivery(delivery, next.nextAttempt);
  const { nextAttempt, retryAfterDate } = next;
  return changes({ set: { ...end, nextAttempt, retryAfterDate, ...due }, remove: leaseAttributes, if: mine });
};

/**
 * Returns the changes that end an attempt during which a redelivery was accepted. The redelivery has already ended the
 * delivery, so only the log entry is new.
 */
export const lateResultChanges = ({ attempts }: Delivery, now: number): Changes => {
  const mine = { ...REDELIVERED, mine: attempts };
  return changes({
    set: { updateDate: now },
    if: where('#state = :state AND #reason = :reason AND #attempts = :mine', mine),
  });
};
