import * as z from 'zod';
import { Situation } from '../event/event.ts';
import { hasRegions } from '../kinds.ts';
import { id, int32, millis, storedText, text, uuid } from '../values.ts';
import { Recipient } from './recipient.ts';
import { Schedule } from './schedule.ts';

const recipients = z.array(Recipient).min(1).max(20);

/** Further recipients, notified if no one acknowledges a hit within this time. */
const EscalationStep = z.object({ afterSeconds: int32(30, 86_400), recipients });

const fields = z.object({
  name: text(1, 64),
  title: text(1, 128),
  message: text(1, 512),
  situation: Situation,
  sensorId: text(1, 26).nullable().default(null),
  sensorGroupId: id.nullable().default(null),
  regionId: uuid.nullable().default(null),
  schedule: Schedule.nullable().default(null).meta({
    description:
      'When the event must happen. For urgent situations, such as falls, it is enough if the event is received then',
  }),
  rateLimitSeconds: int32(0, 86_400).default(60),
  includeSimulated: z.boolean().default(false),
  isEnabled: z.boolean().default(true),
  recipients,
  escalation: z.array(EscalationStep).max(5).default([]),
  repeatSeconds: int32(60, 86_400).nullable().default(null),
  untilAcknowledged: z.boolean().default(true),
});

export type RuleUpdate = z.output<typeof fields>;

const scope = (ctx: z.core.ParsePayload<RuleUpdate>) => {
  const { sensorId, sensorGroupId, regionId, situation, escalation } = ctx.value;
  const reject = (path: string | (string | number)[], key: string) =>
    ctx.issues.push({ code: 'custom', input: ctx.value, path: [path].flat(), params: { key } });
  if (sensorId !== null && sensorGroupId !== null) reject('sensorGroupId', 'one_scope');
  // A region belongs to a sensor's room, so its id is meaningless without the sensor.
  if (regionId !== null && sensorId === null) reject('regionId', 'region_needs_sensor');
  if (regionId !== null && !hasRegions(situation)) reject('regionId', 'situation_has_no_region');
  const early = escalation.findIndex(({ afterSeconds }, at) => afterSeconds <= (escalation[at - 1]?.afterSeconds ?? 0));
  if (early >= 0) reject(['escalation', early, 'afterSeconds'], 'steps_rise');
};

const example = {
  name: 'Falls at night',
  title: 'Fall: {sensor}',
  message: '{situation} at {time}, {location}',
  situation: 'fall_detected',
  schedule: { days: [1, 2, 3, 4, 5, 6, 7], from: '21:00', to: '06:00', timeZone: 'Europe/Berlin' },
  recipients: [
    { botId: 1_042, webhookId: '0b6c4a1e-5d1f-4c7a-9a53-2f1f6f0c9d11' },
    { userId: 12, by: 'push' },
    { onDuty: true, by: 'sms' },
  ],
};

/**
 * The request body for replacing a rule. At most one of sensorId and sensorGroupId may be set; without either, the rule
 * watches all sensors.
 */
export const RuleUpdate = fields.check(scope).meta({ id: 'RuleUpdate', examples: [example] });
/** The request body for creating a rule. */
export const NewRule = fields
  .extend({ customerId: id.optional() })
  .check(scope)
  .meta({ id: 'RuleCreation', examples: [example] });

/** The request body for copying a rule. */
export const RuleCopy = z
  .object({ name: fields.shape.name })
  .meta({ id: 'RuleCopy', examples: [{ name: 'Falls by day' }] });

/** A rule notifies its recipients when a situation occurs at the sensors it watches. */
export const Rule = fields
  .extend({
    name: storedText(1, 64),
    title: storedText(1, 128),
    message: storedText(1, 512),
    id,
    createDate: millis,
    updateDate: millis,
    customerId: id,
  })
  .meta({ id: 'Rule' });
export type Rule = z.output<typeof Rule>;
