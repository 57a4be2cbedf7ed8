import * as z from 'zod';
import { AttemptLog } from './attempt.ts';
import type { Delivery } from './delivery.ts';
import { timeOfUlid } from './ids.ts';
import { id, int64, millis, uuid } from './values.ts';

export const deliveryStates = ['pending', 'sending', 'delivered', 'retrying', 'held', 'failed'] as const;

/** The id of a delivery: a ULID. */
export const deliveryIdText = z.string().regex(/^[0-9a-hjkmnp-tv-z]{26}$/);

/** A delivery as its owner sees it. */
export const DeliveryView = z
  .object({
    id: deliveryIdText,
    webhookId: uuid,
    eventId: int64,
    event: z.string().meta({ description: 'type/action' }),
    ruleHitId: id.nullable(),
    state: z.enum(deliveryStates),
    reason: z
      .string()
      .nullable()
      .meta({
        description:
          'held: webhook_disabled; failed: gone (410), exhausted (the last attempt), expired (held for too long), ' +
          'canceled (with its replay), replayed (another is held in its place), deleted (its webhook is); ' +
          'delivered: redelivered (a repetition was taken, and ended its waiting), else null',
      }),
    attempts: int64,
    createDate: millis.meta({ description: 'ms; when its event came in, or when it was to be sent again' }),
    updateDate: millis,
    nextAttempt: millis.nullable(),
    replayOf: deliveryIdText.nullable().meta({ description: 'the delivery that this one repeats' }),
  })
  .meta({ id: 'Delivery' });
export type DeliveryView = z.output<typeof DeliveryView>;

/** The same with its attempts. */
export const DeliveryDetail = DeliveryView.extend({ attemptLog: z.array(AttemptLog) }).meta({ id: 'DeliveryDetail' });

/** What a receiver is sent, but for what authenticates and signs it. */
export const DeliveryMessage = z
  .object({
    headers: z.record(z.string(), z.string()).meta({ description: 'those that are the same at every attempt' }),
    body: z.string().nullable().meta({ description: 'its exact text; null: the message of the device is gone' }),
  })
  .meta({ id: 'DeliveryMessage' });

/** What of a delivery its list shows, and what it is cut, sorted and counted by. */
export type DeliveryRow = Pick<
  Delivery,
  | 'id'
  | 'webhookId'
  | 'createDate'
  | 'updateDate'
  | 'state'
  | 'reason'
  | 'attempts'
  | 'nextAttempt'
  | 'hit'
  | 'replayOf'
  | 'isTest'
> & { snapshot: { event: Pick<Delivery['snapshot']['event'], 'id' | 'type' | 'action'> } };

export const deliveryView = (delivery: DeliveryRow): DeliveryView => {
  const { snapshot, hit, state, reason, replayOf = null, nextAttempt, ...rest } = delivery;
  const { type, action, id: eventId } = snapshot.event;
  const waits = state === 'pending' || state === 'retrying';
  return {
    ...rest,
    // The time that lists are cut by: one that was written late, after an outage, would not be found by its own date.
    createDate: timeOfUlid(delivery.id),
    eventId,
    event: `${type}/${action}`,
    ruleHitId: hit?.id ?? null,
    state,
    reason: reason ?? null,
    nextAttempt: waits ? nextAttempt : null,
    replayOf,
  };
};
