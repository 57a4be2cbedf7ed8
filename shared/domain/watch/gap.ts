import * as z from 'zod';
import { Situation } from '../event/event.ts';
import { By } from '../rule/recipient.ts';
import { Schedule } from '../rule/schedule.ts';
import { id, millis, uuid } from '../values.ts';

/** The gap kinds that concern sensors, by subject. */
const sensorKinds = {
  falls: ['sensor_offline', 'no_rule', 'silent_mode', 'fall_detection_off', 'unknown_messages'],
  others: ['no_rule_for_silence'],
} as const;
type SensorKind = (typeof sensorKinds)['falls' | 'others'][number];

const sensors = {
  sensorIds: z.array(z.string()).meta({ description: 'sorted by sensor name; if there are many, only the first ones' }),
  total: z.int().min(1).meta({ description: 'how many sensors are affected' }),
};
const { days, from, to } = Schedule.shape;
/** The fall rules kept from notifying anyone. Empty if the gap only affects a customer webhook. */
const ruleIds = z.array(id);

const GapOfSensors = z.object({
  kind: z.enum([...sensorKinds.falls, ...sensorKinds.others]).meta({
    description: [
      'sensor_offline: no message for too long',
      'no_rule: no enabled rule for `fall_detected` in the whole room',
      'silent_mode: the critical configuration silences falls, or the sensor marked the newest fall as silent',
      'fall_detection_off: the configuration turns falls off',
      'unknown_messages: most messages in the last 24 h, or most of those about falls, were not understood',
      'no_rule_for_silence: nobody can be notified if the sensor goes offline',
    ].join('; '),
  }),
  ...sensors,
});
const HoursWithoutRule = z.object({
  kind: z.literal('hours_without_rule'),
  ...sensors,
  days,
  from: from.meta({ description: "in the customer's time zone" }),
  to: to.meta({ description: 'on the next day if it is not after `from`' }),
});
const UnreachableRecipient = z.object({
  kind: z.literal('unreachable_recipient'),
  ruleIds,
  userId: id.nullable().meta({ description: 'null: the users on duty, or a webhook' }),
  by: By.nullable().meta({ description: 'the missing or unavailable channel; null for a webhook' }),
  webhookId: uuid.nullable().meta({
    description:
      'a webhook that was deleted, belongs to another bot, or makes its first attempt only when an alarm already ' +
      'counts as unnotified',
  }),
});
const GapOfWebhook = z.object({
  kind: z.enum(['webhook_failing', 'webhook_off', 'raw_only']).meta({
    description:
      'webhook_failing: the last request failed, or nobody has fetched the feed; webhook_off: the webhook is ' +
      "disabled; raw_only: the format is Raw, which repeats a fall's last message when time alone makes the fall an " +
      'alarm',
  }),
  webhookId: uuid,
  ruleIds,
});
const LoopbackTarget = z.object({
  kind: z.literal('loopback_target').meta({ description: "the webhook leads to the service's own machine" }),
  webhookId: uuid,
});
const NobodyOnDuty = z.object({ kind: z.literal('nobody_on_duty'), ruleIds, by: By });
const NoSensors = z.object({ kind: z.literal('no_sensors') });
const Unnotified = z.object({
  kind: z.literal('unnotified'),
  sensorId: z.string(),
  situation: Situation,
  hitId: id.nullable().meta({ description: "null: a customer webhook's event" }),
  createDate: millis,
});

/** A gap in the watch: something that keeps a fall, or another alarm, from reaching anyone. */
export const Gap = z
  .discriminatedUnion('kind', [
    NoSensors.meta({ id: 'NoSensorsGap' }),
    GapOfSensors.meta({ id: 'SensorGap' }),
    HoursWithoutRule.meta({ id: 'HoursGap' }),
    NobodyOnDuty.meta({ id: 'OnDutyGap' }),
    UnreachableRecipient.meta({ id: 'RecipientGap' }),
    GapOfWebhook.meta({ id: 'WebhookGap' }),
    LoopbackTarget.meta({ id: 'LoopbackGap' }),
    Unnotified.meta({ id: 'UnnotifiedGap' }),
  ])
  .meta({ id: 'WatchGap' });
export type Gap = z.output<typeof Gap>;
export type GapKind = Gap['kind'];
/** An alarm that reached no one. */
export type UnnotifiedGap = Extract<Gap, { kind: 'unnotified' }>;
/** Why a rule recipient is not reached. `ruleIds` names the rule. */
export type RecipientGap = Extract<Gap, { ruleIds: number[] }>;

const notAboutFalls: readonly GapKind[] = [...sensorKinds.others, 'unnotified', 'loopback_target'];
/** Whether a gap concerns falls. As long as such a gap exists, not all falls are covered. */
export const isAboutFalls = ({ kind }: Gap): boolean => !notAboutFalls.includes(kind);

/** Returns a sensor gap of this kind. Empty if there are no sensors. */
export const gapOfSensors = (kind: SensorKind, sensorIds: readonly string[]): Gap[] =>
  sensorIds.length === 0 ? [] : [{ kind, sensorIds: [...sensorIds], total: sensorIds.length }];
