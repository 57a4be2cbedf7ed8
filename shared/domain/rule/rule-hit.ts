import * as z from 'zod';
import { Situation } from '../event/event.ts';
import { Feedback } from '../event/feedback.ts';
import { channelKinds } from '../people/channel.ts';
import { Sensor } from '../sensor/sensor.ts';
import { id, int32, int64, millis, uuid } from '../values.ts';
import { FallClosure, NotedAcknowledgement } from './acknowledgement-view.ts';

/** One recipient in a rule hit, and the delivery result (D1 "Rule message"). */
export const RuleMessage = z
  .object({
    id,
    createDate: millis,
    updateDate: millis,
    ruleHitId: id,
    accountId: int64.min(0).meta({ description: "the webhook's bot, or the user; 0 if the user was erased" }),
    publisher: z.enum(['webhook', ...channelKinds]).meta({ description: 'the channel used' }),
    wasSend: z.boolean(),
    sendTryTimes: z.array(millis),
    extra: z.object({ display_name: z.string(), is_bot: z.boolean() }),
    step: int32(0, 5).meta({ description: 'the escalation step; 0 for the first recipients' }),
  })
  .meta({ id: 'RuleMessage' });
export type RuleMessage = z.infer<typeof RuleMessage>;

/**
 * A rule hit: a rule fired for an event (D1 "Rule hit"). `allSend`: every message got a 2xx response or was accepted by
 * the person's channel.
 */
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
    notifiedDate: millis.nullable().meta({
      description: 'when the first message succeeded; null if none has, or if all those came back as undeliverable',
    }),
    unansweredDate: millis.nullable().meta({
      description: 'when all steps and repeats had been sent without an acknowledgement; otherwise null',
    }),
    sensor: Sensor.nullable(),
    ruleMessages: z.array(RuleMessage).meta({
      description: 'from 300 messages on, steps do not add more; the delivery list has all recipients',
    }),
    feedback: Feedback.nullable().meta({ description: 'the newest feedback' }),
    nobodyOnDuty: z.boolean().meta({
      description: 'the users on duty were to be notified, but nobody on duty had verified the channel',
    }),
    acknowledgement: NotedAcknowledgement.nullable().meta({
      description: 'null if nobody has acknowledged the rule hit',
    }),
    closure: FallClosure.nullable().meta({ description: 'null unless someone has closed the fall' }),
  })
  .meta({ id: 'RuleHit' });
export type RuleHit = z.infer<typeof RuleHit>;
