import * as z from 'zod';
import { makers } from '../makers/makers.ts';
import type { SensorRecord } from '../sensor/sensor.ts';
import { id, int64, millis, text, uuid } from '../values.ts';

const fields = {
  referenceDate: id.meta({ description: 'ms; the time the feedback refers to' }),
  reason: text(1, 128).meta({ description: 'a short technical label' }),
  description: text(0, 256).default(''),
  classification: z.enum(['TRUE_POSITIVE', 'FALSE_POSITIVE', 'FALSE_NEGATIVE', 'TRUE_NEGATIVE']),
  ruleHitId: id.nullable().default(null),
  eventId: uuid.nullable().default(null),
};

/** The request body for creating feedback. The rule hit and event must belong to the sensor. */
export const NewFeedback = z.object(fields).meta({
  id: 'FeedbackCreation',
  examples: [
    {
      referenceDate: 1_795_240_868_348,
      reason: 'dog',
      description: 'The dog lay down in front of the bed',
      classification: 'FALSE_POSITIVE',
      ruleHitId: null,
      eventId: null,
    },
  ],
});
export type NewFeedback = z.output<typeof NewFeedback>;

/** User feedback about what a sensor reported or missed (D1 "Feedback"). */
export const Feedback = z
  .object({
    ...fields,
    description: z.string(),
    ruleHitId: id.nullable(),
    eventId: uuid.nullable(),
    id,
    createDate: millis,
    updateDate: millis,
    sensorId: z.string(),
    accountId: int64.min(0).meta({ description: 'the user; 0 if the user was erased' }),
    forwardToMakerA: z.boolean(),
  })
  .meta({ id: 'Feedback' });
export type Feedback = z.output<typeof Feedback>;

type FeedbackSensor = Pick<SensorRecord, 'id' | 'manufacturer' | 'optimizationEnabled'>;

/**
 * Whether feedback about a sensor is forwarded to the maker, which requires that the maker accepts feedback and that
 * the sensor may be optimized.
 */
export const isForMaker = ({ manufacturer, optimizationEnabled }: FeedbackSensor): boolean =>
  makers[manufacturer].acceptsFeedback && optimizationEnabled;

/** Returns new feedback with the request contents. */
export const newFeedback = (
  request: NewFeedback,
  sensor: FeedbackSensor,
  accountId: number,
  { id: feedbackId, now, forwardToMakerA }: { id: number; now: number; forwardToMakerA: boolean },
): Feedback => ({
  ...request,
  id: feedbackId,
  createDate: now,
  updateDate: now,
  sensorId: sensor.id,
  accountId,
  forwardToMakerA,
});
