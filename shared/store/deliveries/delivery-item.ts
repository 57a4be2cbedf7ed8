import { LEASE_MS } from '#shared/domain/delivery/breaker.ts';
import { DELIVERY_RETENTION, type Delivery, type WebhookDelivery } from '#shared/domain/delivery/delivery.ts';
import { packSnapshot, unpackSnapshot } from '#shared/domain/delivery/packed-snapshot.ts';
import { isAlarmAboutPerson } from '#shared/domain/rule/alarm.ts';
import { latestAhead } from '#shared/domain/state/clock.ts';
import { dueAttributes, dueDelivery, GRACE_MS } from '../engine/due.ts';
import { absent, changes, type Write, where } from '../engine/request.ts';
import type { Key } from '../key.ts';
import { items } from '../table.ts';

export type DeliveryKey = Pick<Delivery, 'customerId' | 'webhookId' | 'id' | 'requestId'>;

/** A delivery key, and the replay it belongs to, if any. */
export type DeliveryWithReplay = DeliveryKey & Pick<Delivery, 'replay'>;

export type WebhookDeliveryKey = DeliveryKey & { webhookId: string };

export const deliveryItemKey = ({ customerId, webhookId, id: deliveryId }: DeliveryKey) =>
  webhookId === null
    ? items.personDelivery({ customerId, deliveryId })
    : items.delivery({ customerId, webhookId, deliveryId });

/** A delivery as stored. The ids are only in the key, because small items are cheaper to write. */
export type DeliveryItem = Omit<Delivery, 'customerId' | 'webhookId' | 'id' | 'snapshot'> & { snapshot: string };

/** An unfinished delivery: an attempt is pending or in progress. */
export type OpenDeliveryItem = DeliveryItem & { leaseUntil?: number; claim?: string; duePk?: string };

/** Returns the delivery stored in an item. */
export const deliveryOf = (item: DeliveryItem & Key): Delivery => {
  const toPerson = items.personDelivery.read(item);
  const { customerId = '', webhookId = '', deliveryId = '' } = items.delivery.read(item) ?? {};
  const snapshot = unpackSnapshot(item.snapshot);
  return {
    ...item,
    customerId: Number(toPerson?.customerId ?? customerId),
    webhookId: toPerson ? null : webhookId,
    id: toPerson?.deliveryId ?? deliveryId,
    snapshot,
  };
};

/** Returns the delivery stored in a webhook delivery item. */
export const webhookDeliveryOf = (item: DeliveryItem & Key): WebhookDelivery => ({
  ...deliveryOf(item),
  webhookId: items.delivery.read(item)?.webhookId ?? '',
});

/** Returns when (s) a delivery created at `createDate` (ms) and its response bodies expire. */
export const deliveryTtl = (createDate: number) => Math.ceil((createDate + DELIVERY_RETENTION) / 1_000);

/**
 * Returns the write for a pending delivery. `isDue` also puts the delivery into the due index, so that its task is
 * queued even if the caller dies.
 */
export const putDelivery = (delivery: Delivery, isDue: boolean): Write => {
  const { id, customerId, webhookId, requestId, ...rest } = delivery;
  const item = { ...rest, snapshot: packSnapshot(rest.snapshot) };
  const due = isDue && dueDelivery(delivery, (item.nextAttempt ?? item.createDate) + GRACE_MS);
  return { put: { ...item, ...deliveryItemKey(delivery), ...due, ttl: deliveryTtl(item.createDate) }, where: absent };
};

/** The number of characters encoding the time at the start of a delivery id. */
const TIME_LENGTH = 10;
/**
 * Returns the feed key for a delivery. Keys sort by time, and within a millisecond by event id, which follows the order
 * of events at the sensor.
 */
export const feedLineKey = ({ customerId, webhookId, id: deliveryId, snapshot }: WebhookDelivery) =>
  items.feedLine({
    customerId,
    webhookId,
    time: deliveryId.slice(0, TIME_LENGTH),
    eventId: snapshot.event.id,
    deliveryId,
  });
/**
 * A place in a feed. `isAlarm`: the delivery is an alarm about a person. Earlier code versions do not write `isAlarm`.
 */
export type FeedLine = Key & { isAlarm?: true };
export const putFeedLine = (delivery: WebhookDelivery): Write => {
  const isAlarm = isAlarmAboutPerson(delivery.snapshot.event) && { isAlarm: true };
  return { put: { ...feedLineKey(delivery), ...isAlarm, ttl: deliveryTtl(delivery.createDate) } };
};

/** The states of a delivery pending its next attempt. */
export const unsentStates = { pending: 'pending', retrying: 'retrying' };
export const openStates = { ...unsentStates, sending: 'sending' };
/** Returns the values for `LAPSED`. */
export const lapsedAt = (now: number) => ({ now, latest: latestAhead(now, LEASE_MS) });
/**
 * Requires the lease on a delivery to have ended. A lease that is longer than possible dates from before the clock was
 * set back.
 */
export const LAPSED = '#state = :sending AND (#leaseUntil < :now OR #leaseUntil > :latest)';
/** Requires a delivery to be unfinished and not being sent. */
export const notSending = (now: number) =>
  where(`#state IN (:pending, :retrying) OR (${LAPSED})`, { ...openStates, ...lapsedAt(now) });

/** How a delivery ends when its redelivery was accepted. */
export const REDELIVERED = { state: 'delivered', reason: 'redelivered' } as const;

/** The end of the lease (ms), and the claim holding it. */
export const leaseAttributes = ['leaseUntil', 'claim'] as const;
/** The attributes removed when a delivery ends. */
export const openAttributes = [...dueAttributes, ...leaseAttributes, 'heldUntil', 'listPk', 'listSk'] as const;

/** Returns the writes that count an ended delivery in its replay, or none for a delivery without a replay. */
export const replayCount = (
  { customerId, webhookId, replay }: DeliveryWithReplay,
  end: 'sent' | 'failed',
  now: number,
): Write[] =>
  replay === undefined || webhookId === null
    ? []
    : [
        {
          update: items.replay({ customerId, webhookId, replayId: replay }),
          changes: changes({ set: { updateDate: now }, add: { [end]: 1 } }),
        },
      ];
