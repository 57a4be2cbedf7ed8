import { type Delivery, LEASE_SECONDS, type Next } from '../domain/delivery.ts';
import type { Table, TableReader } from './client.ts';
import { dueAt, dueNames, GRACE } from './due.ts';
import { absent, type Changes, changes, where } from './request.ts';
import { items } from './table.ts';

/** Deliveries, and with them what a receiver got, are kept this long, ms. */
const KEPT = 30 * 86_400_000;

const keyOf = ({ customerId, webhookId, id }: Pick<Delivery, 'customerId' | 'webhookId' | 'id'>) =>
  items.delivery({ customerId, webhookId, deliveryId: id });

const claiming = (now: number): Changes => ({
  UpdateExpression:
    'SET #state = :sending, leaseUntil = :lease, attempts = attempts + :one, sendTryTimes = list_append(sendTryTimes, :start)',
  ConditionExpression:
    '(#state IN (:pending, :retrying) AND nextAttempt <= :now) OR (#state = :sending AND leaseUntil < :now)',
  ExpressionAttributeNames: { '#state': 'state' },
  ExpressionAttributeValues: {
    ':sending': 'sending',
    ':pending': 'pending',
    ':retrying': 'retrying',
    ':lease': now + LEASE_SECONDS * 1_000,
    ':one': 1,
    ':start': [now],
    ':now': now,
  },
  ReturnValues: 'ALL_NEW',
});

export const deliveryReads = (table: TableReader) => ({
  get: (customerId: number, webhookId: string, deliveryId: string) =>
    table.get<Delivery>(items.delivery({ customerId, webhookId, deliveryId })),
});

export const deliveryWrites = (table: Table) => ({
  /** Writes a delivery that waits for its first attempt; nothing when it is there. */
  create: async (delivery: Delivery): Promise<void> => {
    const due = dueAt(delivery.id, (delivery.nextAttempt ?? delivery.createDate) + GRACE);
    const ttl = Math.ceil((delivery.createDate + KEPT) / 1_000);
    await table.write({ put: { ...delivery, ...keyOf(delivery), ...due, ttl }, where: absent });
  },

  /**
   * Claims a delivery that is due, or whose claim lapsed: its attempt is counted and its start noted before anything
   * is sent. Null: somebody else has it, or it isn't due, or it is finished.
   */
  claim: async (key: Pick<Delivery, 'customerId' | 'webhookId' | 'id'>, now: number): Promise<Delivery | null> => {
    const claimed = await table.update(keyOf(key), claiming(now));
    return claimed as Delivery | null;
  },

  /** Records what came of the claimed attempt. Nothing when the claim lapsed and another attempt is under way. */
  record: async (delivery: Delivery, next: Next, now: number, bellWillRing: boolean): Promise<void> => {
    const mine = where('#state = :sending AND #attempts = :mine', { sending: 'sending', mine: delivery.attempts });
    const end = { state: next.state, updateDate: now, reason: next.state === 'failed' ? next.reason : undefined };
    const update =
      next.state === 'retrying'
        ? changes({
            set: {
              ...end,
              nextAttempt: next.nextAttempt,
              ...dueAt(delivery.id, next.nextAttempt + (bellWillRing ? GRACE : 0)),
            },
            remove: ['leaseUntil'],
            if: mine,
          })
        : changes({ set: { ...end, nextAttempt: null }, remove: [...dueNames, 'leaseUntil'], if: mine });
    await table.update(keyOf(delivery), update);
  },

  /** Moves the first attempt to `time` (ms); false when it is there already or the attempt was made. */
  postpone: async (key: Pick<Delivery, 'customerId' | 'webhookId' | 'id'>, time: number): Promise<boolean> => {
    const waits = where('#state = :pending AND #nextAttempt < :time', { pending: 'pending', time });
    const set = { nextAttempt: time, ...dueAt(key.id, time + GRACE) };
    return (await table.update(keyOf(key), changes({ set, if: waits }))) !== null;
  },

  /** Parks or ends a delivery that nobody is sending, without an attempt. */
  shelve: async (
    key: Pick<Delivery, 'customerId' | 'webhookId' | 'id'>,
    state: 'held' | 'failed',
    reason: string,
    now: number,
  ): Promise<void> => {
    const idle = where('#state IN (:pending, :retrying) OR (#state = :sending AND #leaseUntil < :now)', {
      pending: 'pending',
      retrying: 'retrying',
      sending: 'sending',
      now,
    });
    const set = { state, reason, updateDate: now, nextAttempt: null };
    await table.update(keyOf(key), changes({ set, remove: dueNames, if: idle }));
  },
});
