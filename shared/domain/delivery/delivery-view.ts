import * as z from 'zod';
import { timeOfUlid } from '../ids.ts';
import { channelKinds } from '../people/channel.ts';
import { id, int64, millis, uuid } from '../values.ts';
import { lastAttemptOf } from './attempt.ts';
import { AttemptLog, LastAttempt } from './attempt-log.ts';
import type { Delivery } from './delivery.ts';
import { deliveryStates } from './states.ts';

/** A delivery id: a ULID. */
export const deliveryIdText = z.string().regex(/^[0-9a-hjkmnp-tv-z]{26}$/);

/** A delivery in API responses. */
export const DeliveryView = z
  .object({
    id: deliveryIdText,
    webhookId: uuid.nullable().meta({ description: 'null for a delivery to a person' }),
    userId: id.nullable().meta({ description: 'null for a delivery to a webhook' }),
    userName: z.string().nullable().meta({ description: 'the name when the delivery was created' }),
    by: z.enum(['webhook', ...channelKinds]),
    eventId: int64,
    eventUuid: uuid,
    event: z.string().meta({ description: 'type/action' }),
    sensorId: z.string(),
    sensorName: z.string().meta({ description: 'the name when the delivery was created' }),
    ruleId: id.nullable(),
    ruleName: z
      .string()
      .nullable()
      .meta({ description: 'the name when the delivery was created; null without a rule' }),
    ruleHitId: id.nullable(),
    state: z.enum(deliveryStates),
    reason: z
      .string()
      .nullable()
      .meta({
        description:
          "held: webhook_disabled; failed: gone (410, or the person's address no longer exists or was refused " +
          'permanently), exhausted (the last attempt failed), not_reachable (the user has not verified this channel, ' +
          'or was deleted, or this service cannot send through the channel), limit_reached (SMS per day), ' +
          'undeliverable (the mail or SMS service accepted the message, but later reported that it did not arrive), ' +
          'expired (held for too long), canceled (the replay was canceled, or the alarm was acknowledged before this ' +
          'step was sent), replayed (a redelivery is held instead), deleted (the webhook was deleted); delivered: ' +
          'redelivered (a redelivery succeeded while this delivery was queued), otherwise null',
      }),
    attempts: int64,
    lastAttempt: LastAttempt.nullable().meta({
      description: 'the last completed attempt; null before the first one',
    }),
    createDate: millis.meta({ description: 'ms; when the event was received or the redelivery requested' }),
    updateDate: millis,
    nextAttempt: millis.nullable(),
    replayOf: deliveryIdText.nullable().meta({ description: 'the delivery resent by this one' }),
  })
  .meta({ id: 'Delivery' });
export type DeliveryView = z.output<typeof DeliveryView>;

/** A delivery with the attempt log. */
export const DeliveryDetail = DeliveryView.extend({ attemptLog: z.array(AttemptLog) }).meta({ id: 'DeliveryDetail' });

/** The request as the receiver gets it, without authentication and signature headers. */
export const DeliveryMessage = z
  .object({
    headers: z.record(z.string(), z.string()).meta({ description: 'headers that are the same in every attempt' }),
    body: z.string().nullable().meta({
      description: 'the text, without the acknowledgement link; null if the device message is no longer stored',
    }),
  })
  .meta({ id: 'DeliveryMessage' });

/** The delivery fields used by lists to show, filter, sort and count. */
export type DeliveryRow = Pick<
  Delivery,
  | 'id'
  | 'webhookId'
  | 'person'
  | 'createDate'
  | 'updateDate'
  | 'state'
  | 'reason'
  | 'attempts'
  | 'log'
  | 'nextAttempt'
  | 'hit'
  | 'replayOf'
  | 'isTest'
> & {
  snapshot: {
    event: Pick<Delivery['snapshot']['event'], 'id' | 'uuid' | 'type' | 'action'>;
    sensor: Pick<Delivery['snapshot']['sensor'], 'id' | 'name'>;
    rule: Pick<NonNullable<Delivery['snapshot']['rule']>, 'id' | 'name'> | null;
  };
};

export const deliveryView = (delivery: DeliveryRow): DeliveryView => {
  const { snapshot, hit, state, reason, log = [], replayOf = null, nextAttempt, person, ...rest } = delivery;
  const { event, sensor, rule } = snapshot;
  const hasNextAttempt = state === 'pending' || state === 'retrying';
  return {
    ...rest,
    userId: person?.userId ?? null,
    userName: person?.name ?? null,
    by: person?.by ?? 'webhook',
    // Lists filter by this time. The stored `createDate` is later if an outage delayed the write.
    createDate: timeOfUlid(delivery.id),
    eventId: event.id,
    eventUuid: event.uuid,
    event: `${event.type}/${event.action}`,
    sensorId: sensor.id,
    sensorName: sensor.name,
    ruleId: rule?.id ?? null,
    ruleName: rule?.name ?? null,
    ruleHitId: hit?.id ?? null,
    state,
    reason: reason ?? null,
    lastAttempt: lastAttemptOf(rest.attempts, log, state === 'sending'),
    nextAttempt: hasNextAttempt ? nextAttempt : null,
    replayOf,
  };
};
