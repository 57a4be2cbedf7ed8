import { type Delivery, KEPT, type WebhookDelivery } from '#shared/domain/delivery/delivery.ts';
import { packSnapshot, unpackSnapshot } from '#shared/domain/delivery/packed-snapshot.ts';
import { dueDelivery, dueNames, GRACE } from '../engine/due.ts';
import { absent, changes, type Write, where } from '../engine/request.ts';
import type { Key } from '../key.ts';
import { items } from '../table.ts';

export type DeliveryKey = Pick<Delivery, 'customerId' | 'webhookId' | 'id' | 'requestId'>;

/** A delivery that its replay counts, if it is part of one. */
export type Counted = DeliveryKey & Pick<Delivery, 'replay'>;

/** The same of a delivery to a webhook. */
export type WebhookDeliveryKey = DeliveryKey & { webhookId: string };

export const keyOf = ({ customerId, webhookId, id: deliveryId }: DeliveryKey) =>
  webhookId === null
    ? items.personDelivery({ customerId, deliveryId })
    : items.delivery({ customerId, webhookId, deliveryId });

/** A delivery as it is kept: which one it is, and whose, is in its key alone. A small item is cheap to write. */
export type DeliveryItem = Omit<Delivery, 'customerId' | 'webhookId' | 'id' | 'snapshot'> & { snapshot: string };

/** One that waits for an attempt, or is at it. */
export type Waiting = DeliveryItem & { leaseUntil?: number; claim?: string; duePk?: string };

/** The delivery that an item of the table is. */
export const deliveryOf = (item: DeliveryItem & Key): Delivery => {
  const toPerson = items.personDelivery.read(item);
  const { customerId = '', webhookId = '', deliveryId = '' } = items.delivery.read(item) ?? {};
  const snapshot = unpackSnapshot(item.snapshot);
  const place = { customerId: Number(toPerson?.customerId ?? customerId), webhookId: toPerson ? null : webhookId };
  return { ...item, ...place, id: toPerson?.deliveryId ?? deliveryId, snapshot };
};

/** The same of an item among those of a webhook. */
export const webhookDeliveryOf = (item: DeliveryItem & Key): WebhookDelivery => ({
  ...deliveryOf(item),
  webhookId: items.delivery.read(item)?.webhookId ?? '',
});

/** Deliveries, and what receivers said to them, go away by themselves. */
export const ttlOf = (createDate: number) => Math.ceil((createDate + KEPT) / 1_000);

/**
 * The write of a delivery that waits for its first attempt. `isDue`: in the due index too, where whoever makes it is not
 * repeated until it is on a queue.
 */
export const putDelivery = (delivery: Delivery, isDue: boolean): Write => {
  const { id, customerId, webhookId, requestId, ...rest } = delivery;
  const item = { ...rest, snapshot: packSnapshot(rest.snapshot) };
  const due = isDue && dueDelivery(delivery, (item.nextAttempt ?? item.createDate) + GRACE);
  return { put: { ...item, ...keyOf(delivery), ...due, ttl: ttlOf(item.createDate) }, where: absent };
};

/** How many characters of the id of a delivery are its time. */
const TIME = 10;
/**
 * The place of a delivery in a feed: by its time, and of one time by the ids of the events, which follow each other as
 * their sensor made them.
 */
export const lineKey = ({ customerId, webhookId, id: deliveryId, snapshot }: WebhookDelivery) =>
  items.feedLine({ customerId, webhookId, time: deliveryId.slice(0, TIME), eventId: snapshot.event.id, deliveryId });
export const putLine = (delivery: WebhookDelivery): Write => ({
  put: { ...lineKey(delivery), ttl: ttlOf(delivery.createDate) },
});

/** It waits for its next attempt. */
export const waiting = { pending: 'pending', retrying: 'retrying' };
export const states = { ...waiting, sending: 'sending' };
/** It has not ended, and nobody is sending it. */
export const idle = (now: number) =>
  where('#state IN (:pending, :retrying) OR (#state = :sending AND #leaseUntil < :now)', { ...states, now });

/** How a delivery ends of which a repetition was taken. */
export const REDELIVERED = { state: 'delivered', reason: 'redelivered' } as const;

/** The end of the lease (ms), and which claim of the delivery has it. */
export const leaseNames = ['leaseUntil', 'claim'] as const;
/** What a delivery loses when it ends. */
export const waitNames = [...dueNames, ...leaseNames, 'heldUntil', 'listPk', 'listSk'] as const;

/** The count of a replay that one of its deliveries has ended; nothing for other deliveries. */
export const counting = ({ customerId, webhookId, replay }: Counted, end: 'sent' | 'failed', now: number): Write[] =>
  replay === undefined || webhookId === null
    ? []
    : [
        {
          update: items.replay({ customerId, webhookId, replayId: replay }),
          changes: changes({ set: { updateDate: now }, add: { [end]: 1 } }),
        },
      ];
