import * as z from 'zod';
import { Feedback } from '../event/feedback.ts';
import { id, millis, storedText, uuid } from '../values.ts';
import { FallOutcome, NotedAcknowledgement } from './acknowledgement-view.ts';
import { urgentSituations } from './alarm.ts';

/** The states an alarm can be in. The first one that applies is shown. */
export const alarmStates = ['over', 'acknowledged', 'unanswered', 'open'] as const;
export type AlarmState = (typeof alarmStates)[number];

/**
 * A fall or another urgent event, and what followed. All alarms that rules and webhooks raise for the event count as
 * one.
 */
export const Alarm = z
  .object({
    uuid: uuid.meta({ description: 'the event; for a fall, the first urgent one' }),
    sensorId: z.string(),
    name: z.string().nullable().meta({ description: 'the sensor name; null if the customer no longer has the sensor' }),
    situation: z.enum(urgentSituations),
    hitIds: z.array(id).meta({ description: 'the rule hits for this alarm; empty if no rule fired' }),
    isSimulated: z.boolean(),
    createDate: millis,
    notifiedDate: millis.nullable().meta({
      description:
        "when a rule hit's message, or else a delivery to a customer webhook, first succeeded; null if none has, or " +
        'if all those came back as undeliverable',
    }),
    acknowledgement: NotedAcknowledgement.nullable().meta({ description: 'null if nobody has acknowledged the alarm' }),
    overDate: millis.nullable().meta({
      description:
        'when the alarm was over: the device reported the end of the fall, someone closed the fall, or the sensor ' +
        'was online again; otherwise null. Vital sign alarms are never over',
    }),
    overBy: z
      .enum(['device', 'closure', 'time'])
      .nullable()
      .meta({
        description:
          'device: the device reported the end; closure: someone closed the fall; time: the device did not report ' +
          'the end, so the fall counts as over two hours after timing out',
      }),
    feedback: Feedback.nullable().meta({ description: 'the newest feedback' }),
    note: storedText(1, 256).nullable().meta({ description: "the closure's note, or else the acknowledgement's" }),
    outcome: FallOutcome.nullable().meta({ description: 'null unless someone has closed the fall' }),
    state: z.enum(alarmStates).meta({
      description:
        "the first that applies; unanswered: nobody acknowledged the alarm although a rule's steps and repeats were " +
        'all sent',
    }),
  })
  .meta({ id: 'Alarm' });
export type Alarm = z.infer<typeof Alarm>;
