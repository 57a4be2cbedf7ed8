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
    accountId: int64.min(0).meta({ description: 'the bot of the webhook, or the user; 0 if the user was erased' }),
    publisher: z.enum(['webhook', ...channelKinds]).meta({ description: 'the channel of the message' }),
    wasSend: z.boolean(),
    sendTryTimes: z.array(millis),
    extra: z.object({ display_name: z.string(), is_bot: z.boolean() }),
    step: int32(0, 5).meta({ description: 'the escalation step of the message; 0 for the first recipients' }),
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
      description:
        'when the first message succeeded; null if none has succeeded, or if all that had came back as undeliverable',
    }),
    unansweredDate: millis.nullable().meta({
      description: 'when nobody had acknowledged it although all steps and repeats were sent; otherwise null',
    }),
    sensor: Sensor.nullable(),
    ruleMessages: z.array(RuleMessage).meta({
      description: 'from 300 on, steps add none; the list of deliveries has all recipients',
    }),
    feedback: Feedback.nullable().meta({ description: 'the newest feedback' }),
    nobodyOnDuty: z.boolean().meta({
      description: 'the users on duty were to be notified, and nobody was on duty who had verified the channel',
    }),
    acknowledgement: NotedAcknowledgement.nullable().meta({ description: 'null if nobody has acknowledged it' }),
    closure: FallClosure.nullable().meta({ description: 'null unless somebody has closed its fall' }),
  })
  .meta({ id: 'RuleHit' });
export type RuleHit = z.infer<typeof RuleHit>;
