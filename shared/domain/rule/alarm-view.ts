import * as z from 'zod';
import { Feedback } from '../event/feedback.ts';
import { id, millis, storedText, uuid } from '../values.ts';
import { FallOutcome, NotedAcknowledgement } from './acknowledgement-view.ts';
import { urgentSituations } from './alarm.ts';

/** The states an alarm can be in. The first one that applies is shown. */
export const alarmStates = ['over', 'acknowledged', 'unanswered', 'open'] as const;
export type AlarmState = (typeof alarmStates)[number];

/**
 * A fall or another urgent event, and what followed. Alarms from the rules and webhooks for the event count as one
 * alarm.
 */
export const Alarm = z
  .object({
    uuid: uuid.meta({ description: 'the event; of a fall, its first urgent one' }),
    sensorId: z.string(),
    name: z.string().nullable().meta({ description: 'the name of the sensor; null if the customer no longer has it' }),
    situation: z.enum(urgentSituations),
    hitIds: z.array(id).meta({ description: 'the rule hits about it; empty if no rule fired' }),
    isSimulated: z.boolean(),
    createDate: millis,
    notifiedDate: millis.nullable().meta({
      description:
        'when a message of a rule hit first succeeded, or else a delivery to a webhook of the customer; null if none has ' +
        'succeeded, or if all that had came back as undeliverable',
    }),
    acknowledgement: NotedAcknowledgement.nullable().meta({ description: 'null if nobody has acknowledged it' }),
    overDate: millis.nullable().meta({
      description:
        'when it was over: the device reported the end of the fall or somebody closed it, or the sensor was online again; null ' +
        'if that has not happened. Vital signs are never over',
    }),
    overBy: z
      .enum(['device', 'closure', 'time'])
      .nullable()
      .meta({
        description:
          'device: it reported the end; closure: somebody closed the fall; time: the device did not report the end, so the fall ' +
          'counts as over two hours after it timed out',
      }),
    feedback: Feedback.nullable().meta({ description: 'the newest feedback' }),
    note: storedText(1, 256)
      .nullable()
      .meta({ description: 'the note of the closure, or else of the acknowledgement' }),
    outcome: FallOutcome.nullable().meta({ description: 'null unless somebody has closed the fall' }),
    state: z.enum(alarmStates).meta({
      description:
        'the first that applies; unanswered: nobody acknowledged it although all steps and repeats of a rule were sent',
    }),
  })
  .meta({ id: 'Alarm' });
export type Alarm = z.infer<typeof Alarm>;
