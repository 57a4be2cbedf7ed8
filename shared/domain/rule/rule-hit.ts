import * as z from 'zod';
import { Situation } from '../event/event.ts';
import { Feedback } from '../event/feedback.ts';
import { channelKinds } from '../people/channel.ts';
import { Sensor } from '../sensor/sensor.ts';
import { id, int32, int64, millis, uuid } from '../values.ts';
import { Acknowledgement } from './acknowledgement-view.ts';

/** One recipient of a rule hit, and the result of the delivery (D1 "Rule message"). */
export const RuleMessage = z
  .object({
    id,
    createDate: millis,
    updateDate: millis,
    ruleHitId: id,
    accountId: int64.min(0).meta({ description: 'the bot of the webhook, or the user; 0: a user who was erased' }),
    publisher: z.enum(['webhook', ...channelKinds]).meta({ description: 'in which way it was told' }),
    wasSend: z.boolean(),
    sendTryTimes: z.array(millis),
    extra: z.object({ display_name: z.string(), is_bot: z.boolean() }),
    step: int32(0, 5).meta({ description: 'the step of the escalation that it belongs to; 0: it was sent at first' }),
  })
  .meta({ id: 'RuleMessage' });
export type RuleMessage = z.infer<typeof RuleMessage>;

/** A rule hit: a rule fired for an event (D1 "Rule hit"). `allSend`: every message was taken, by 2xx or the person's channel. */
export const RuleHit = z
  .object({
    id,
    createDate: millis,
    updateDate: millis,
    ruleId: int64,
    ruleSensorGroupId: int64,
    ruleCustomerId: int64,
    sensorId: z.string(),
    sensorEventId: uuid,
    situation: Situation,
    allSend: z.boolean(),
    sensor: Sensor.nullable(),
    ruleMessages: z.array(RuleMessage).meta({
      description: 'where there are hundreds, steps add none: the list of deliveries has everyone who was told',
    }),
    feedback: Feedback.nullable().meta({ description: 'the newest' }),
    nobodyOnDuty: z.boolean().meta({ description: 'whoever was on duty was to be told, and nobody was' }),
    acknowledgement: Acknowledgement.nullable().meta({ description: 'null: nobody takes care of it yet' }),
  })
  .meta({ id: 'RuleHit' });
export type RuleHit = z.infer<typeof RuleHit>;

/**
 * The number of a hit among those of its sensor, from 1 on without a gap. A new `series` (ms, when it begins) starts
 * when the number of the one before is not known.
 */
export type HitNumber = { series: number; number: number };

/** The position of a hit among those of its customer. Both fields grow from one hit to the next. */
export type HitPlace = Pick<RuleHit, 'id' | 'createDate'>;
