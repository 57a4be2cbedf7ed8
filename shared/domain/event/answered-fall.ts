import * as z from 'zod';
import { FallClosure, NotedAcknowledgement } from '../rule/acknowledgement-view.ts';
import { SensorId } from '../sensor/sensor.ts';
import { uuid } from '../values.ts';

/** A fall, and what people did about it. */
export const AnsweredFall = z
  .object({
    sensorId: SensorId,
    uuid: uuid.meta({ description: 'the event named in the request' }),
    acknowledgement: NotedAcknowledgement.nullable().meta({ description: 'null if nobody has acknowledged the fall' }),
    closure: FallClosure.nullable().meta({ description: 'null if nobody has closed the fall' }),
  })
  .meta({ id: 'AnsweredFall' });
export type AnsweredFall = z.infer<typeof AnsweredFall>;
