import * as z from 'zod';
import { makers } from '../makers/makers.ts';
import type { SensorRecord } from '../sensor/sensor.ts';
import { id, int64, millis, text, uuid } from '../values.ts';

const fields = {
  referenceDate: id.meta({ description: 'ms; the time that it refers to' }),
  reason: text(1, 128).meta({ description: 'a short technical text' }),
  description: text(0, 256).default(''),
  classification: z.enum(['TRUE_POSITIVE', 'FALSE_POSITIVE', 'FALSE_NEGATIVE', 'TRUE_NEGATIVE']),
  ruleHitId: id.nullable().default(null),
  eventId: uuid.nullable().default(null),
};

/** The body of a request that creates feedback. The rule hit and the event that it names must belong to the sensor. */
export const NewFeedback = z.object(fields).meta({
  id: 'NewFeedback',
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

/** Feedback of a user about what a sensor reported or missed (D1 "Feedback"). */
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
    accountId: int64.min(0).meta({ description: 'the user; 0: one who was erased' }),
    forwardToMakerA: z.boolean(),
  })
  .meta({ id: 'Feedback' });
export type Feedback = z.output<typeof Feedback>;

type AboutSensor = Pick<SensorRecord, 'id' | 'manufacturer' | 'optimizationEnabled'>;

/** Is feedback on a sensor for its maker? It is if the maker wants feedback and the sensor may be optimized. */
export const isForMaker = ({ manufacturer, optimizationEnabled }: AboutSensor): boolean =>
  makers[manufacturer].getsFeedback && optimizationEnabled;

/** Makes feedback from a request. */
export const newFeedback = (
  given: NewFeedback,
  sensor: AboutSensor,
  accountId: number,
  { id: feedbackId, now, forwardToMakerA }: { id: number; now: number; forwardToMakerA: boolean },
): Feedback => ({
  ...given,
  id: feedbackId,
  createDate: now,
  updateDate: now,
  sensorId: sensor.id,
  accountId,
  forwardToMakerA,
});
