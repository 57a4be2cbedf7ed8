import * as z from 'zod';
import { type Happening, Situation } from './event.ts';
import { isScheduled, Schedule } from './schedule.ts';
import { id, int32, millis, text, uuid } from './values.ts';

export const Recipient = z.object({ botId: id, webhookId: uuid });

const fields = z.object({
  name: text(1, 64),
  title: text(1, 128),
  message: text(1, 512),
  situation: Situation,
  sensorId: text(1, 26).nullable().default(null),
  sensorGroupId: id.nullable().default(null),
  regionId: uuid.nullable().default(null),
  schedule: Schedule.nullable().default(null),
  rateLimitSeconds: int32(0, 86_400).default(60),
  includeSimulated: z.boolean().default(false),
  isEnabled: z.boolean().default(true),
  recipients: z.array(Recipient).min(1).max(20),
});

export type RuleUpdate = z.output<typeof fields>;

const scope = (ctx: z.core.ParsePayload<RuleUpdate>) => {
  const { sensorId, sensorGroupId, regionId } = ctx.value;
  const wrong = (path: string, key: string) =>
    ctx.issues.push({ code: 'custom', input: ctx.value, path: [path], params: { key } });
  if (sensorId !== null && sensorGroupId !== null) wrong('sensorGroupId', 'one_scope');
  // A region belongs to the room of a sensor, so its id means nothing without the sensor.
  if (regionId !== null && sensorId === null) wrong('regionId', 'region_needs_sensor');
};

const example = {
  name: 'Falls at night',
  title: 'Fall: {sensor}',
  message: '{situation} at {time}, {location}',
  situation: 'fall_detected',
  schedule: { days: [1, 2, 3, 4, 5, 6, 7], from: '21:00', to: '06:00', timeZone: 'Europe/Berlin' },
  recipients: [{ botId: 1_042, webhookId: '0b6c4a1e-5d1f-4c7a-9a53-2f1f6f0c9d11' }],
};

/**
 * The body of a request that replaces a rule. At most one of sensorId and sensorGroupId is set; without both the rule
 * watches all sensors.
 */
export const RuleUpdate = fields.check(scope).meta({ id: 'RuleUpdate', examples: [example] });
/** The body of a request that creates a rule. */
export const NewRule = fields
  .extend({ customerId: id.optional() })
  .check(scope)
  .meta({ id: 'NewRule', examples: [example] });

/** A rule tells its recipients when a situation occurs at the sensors that it watches. */
export const Rule = fields.extend({ id, createDate: millis, updateDate: millis, customerId: id }).meta({ id: 'Rule' });
export type Rule = z.output<typeof Rule>;

type Condition = (rule: Rule, what: Happening, time: number, firedAt: number | undefined) => boolean;

/** The conditions for a rule to fire, the cheapest first. */
const conditions = {
  isEnabled: ({ isEnabled }) => isEnabled,
  situation: ({ situation }, what) => situation === what.situation,
  isSilent: (_, { isSilent }) => !isSilent,
  isSimulated: ({ includeSimulated }, { isSimulated }) => includeSimulated || !isSimulated,
  region: ({ regionId }, { region }) => regionId === null || regionId === region?.id,
  schedule: ({ schedule }, _, time) => schedule === null || isScheduled(schedule, time),
  // A late event may be older than the one that fired last.
  rateLimit: ({ rateLimitSeconds }, { newFall }, time, firedAt) =>
    newFall || firedAt === undefined || Math.abs(time - firedAt) >= rateLimitSeconds * 1_000,
} as const satisfies Record<string, Condition>;
export type WhyNot = keyof typeof conditions;

/**
 * Does a rule fire for an event? Its scope (sensor, group, customer) is not checked here: rules are looked up by it.
 */
export const fires: Condition = (...given) => Object.values(conditions).every((holds) => holds(...given));

/** Gives the names of the conditions that prevent a rule from firing. The list is empty if it fires. */
export const whyNot = (...given: Parameters<Condition>): WhyNot[] =>
  (Object.keys(conditions) as WhyNot[]).filter((name) => !conditions[name](...given));

/** The longest title and message that are sent, in code points. */
export const SENT_TEXT = 256;

/**
 * Replaces `{sensor} {region} {location} {time} {situation}` in a text of a rule. The result has at most SENT_TEXT code
 * points.
 */
export const fillIn = (template: string, values: Readonly<Record<string, string>>): string =>
  [
    ...template.replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
      Object.hasOwn(values, name) ? (values[name] ?? '') : whole,
    ),
  ]
    .slice(0, SENT_TEXT)
    .join('');
