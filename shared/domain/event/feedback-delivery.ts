import * as z from 'zod';
import type { Delivery, Service } from '../delivery/delivery.ts';
import { derivedUlid, uuidV5 } from '../ids.ts';
import { deviceIdOf, type SensorRecord } from '../sensor/sensor.ts';
import { int64, millis } from '../values.ts';
import { Feedback } from './feedback.ts';

/** The payload for feedback forwarded to the sensor's maker. All keys are always present. */
export const FeedbackPayload = z
  .strictObject({
    service: z.strictObject({ name: z.string(), url: z.string(), version: z.string() }),
    feedback: Feedback,
    sensor: z.strictObject({
      id: z.string(),
      deviceId: z.string().meta({ description: 'the device id, as in Custom 1' }),
    }),
    event: z
      .strictObject({
        id: int64,
        uuid: z.uuid().meta({ description: "for a message's first event, the message uuid" }),
        createDate: millis,
        receiveDate: millis,
        type: z.string(),
        action: z.string(),
      })
      .nullable()
      .meta({ description: 'the event named in the feedback, directly or by a rule hit; null if none' }),
  })
  .meta({
    id: 'FeedbackPayload',
    examples: [
      {
        service: { name: 'Sensor Cloud', url: 'https://cloud.example.com', version: '1.0.0' },
        feedback: {
          referenceDate: 1_795_230_444_137,
          reason: 'dog',
          description: 'The dog lay down in front of the bed',
          classification: 'FALSE_POSITIVE',
          ruleHitId: null,
          eventId: 'f603585e-d6b4-5a8c-9897-a4d1548407ea',
          id: 245_166_702_886_999,
          createDate: 1_795_240_868_348,
          updateDate: 1_795_240_868_348,
          sensorId: 'id_MDI6REU6MDA6MDA6MDA6MDE',
          accountId: 12,
          forwardToMakerA: true,
        },
        sensor: { id: 'id_MDI6REU6MDA6MDA6MDA6MDE', deviceId: 'id_MDI6REU6MDA6MDA6MDA6MDE' },
        event: {
          id: 245_166_702_886_912,
          uuid: 'f603585e-d6b4-5a8c-9897-a4d1548407ea',
          createDate: 1_795_230_444_137,
          receiveDate: 1_795_230_444_302,
          type: 'fall',
          action: 'fall_detected',
        },
      },
    ],
  });
export type FeedbackPayload = z.infer<typeof FeedbackPayload>;

/** The payload contents, apart from the feedback. */
type FeedbackContext = {
  customerId: number;
  service: Service;
  sensor: Pick<SensorRecord, 'id' | 'hardwareId' | 'name' | 'groupId'>;
  event: FeedbackPayload['event'];
};

const payloadOf = (feedback: Feedback, { service, sensor, event }: FeedbackContext): FeedbackPayload => ({
  service,
  feedback,
  sensor: { id: sensor.id, deviceId: deviceIdOf(sensor.hardwareId) },
  event: event && {
    id: event.id,
    uuid: event.uuid,
    createDate: event.createDate,
    receiveDate: event.receiveDate,
    type: event.type,
    action: event.action,
  },
});

/** Returns the delivery that sends feedback to the maker's webhook, due immediately. */
export const newFeedbackDelivery = (
  { customerId, id: webhookId, name }: { customerId: number; id: string; name: string },
  feedback: Feedback,
  context: FeedbackContext,
): Delivery => {
  const { id, createDate, sensorId, accountId } = feedback;
  const uuid = uuidV5(sensorId, 'feedback', id);
  const { service, sensor } = context;
  return {
    id: derivedUlid(createDate, webhookId, uuid),
    customerId,
    webhookId,
    createDate,
    updateDate: createDate,
    state: 'pending',
    reason: null,
    attempts: 0,
    nextAttempt: createDate,
    hit: null,
    sendTryTimes: [],
    snapshot: {
      service,
      webhook: { name },
      event: {
        id,
        uuid,
        createDate,
        type: 'feedback',
        action: 'given',
        code: null,
        coordinates: null,
        text: 'Feedback',
        source: null,
      },
      sensor: { id: sensor.id, deviceId: deviceIdOf(sensor.hardwareId), name: sensor.name, groupId: sensor.groupId },
      customer: null,
      rule: null,
      acknowledgeUntil: 0,
    },
    feedbackFrom: { customerId: context.customerId, userId: accountId },
    body: JSON.stringify(payloadOf(feedback, context)),
  };
};
