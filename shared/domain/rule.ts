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
  // A region is one of a room, and a room that of a sensor: without the sensor its id says nothing.
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

/** What a client sends to replace a rule. At most one of sensorId and sensorGroupId; none: all sensors. */
export const RuleUpdate = fields.check(scope).meta({ id: 'RuleUpdate', examples: [example] });
/** The same, to create one. */
export const NewRule = fields
  .extend({ customerId: id.optional() })
  .check(scope)
  .meta({ id: 'NewRule', examples: [example] });

/** A rule: which situation of which sensors tells whom what. */
export const Rule = fields.extend({ id, createDate: millis, updateDate: millis, customerId: id }).meta({ id: 'Rule' });
export type Rule = z.output<typeof Rule>;

type Condition = (rule: Rule, what: Happening, time: number, firedAt: number | undefined) => boolean;

/** All that must hold for a rule to fire, the cheapest first. */
const conditions = {
  isEnabled: ({ isEnabled }) => isEnabled,
  situation: ({ situation }, what) => situation === what.situation,
  isSilent: (_, { isSilent }) => !isSilent,
  isSimulated: ({ includeSimulated }, { isSimulated }) => includeSimulated || !isSimulated,
  region: ({ regionId }, { region }) => regionId === null || regionId === region?.id,
  schedule: ({ schedule }, _, time) => schedule === null || isScheduled(schedule, time),
  // What comes late may be older than what fired last.
  rateLimit: ({ rateLimitSeconds }, { newFall }, time, firedAt) =>
    newFall || firedAt === undefined || Math.abs(time - firedAt) >= rateLimitSeconds * 1_000,
} as const satisfies Record<string, Condition>;
export type WhyNot = keyof typeof conditions;

/** Does the rule fire for what happened? Its scope (sensor, group, customer) is decided by where it is looked up. */
export const fires: Condition = (...given) => Object.values(conditions).every((holds) => holds(...given));

/** The names of all conditions that keep the rule from firing; none: it fires. */
export const whyNot = (...given: Parameters<Condition>): WhyNot[] =>
  (Object.keys(conditions) as WhyNot[]).filter((name) => !conditions[name](...given));

/** Puts `{sensor} {region} {location} {time} {situation}` into a rule's text; at most 256 code points. */
export const fillIn = (template: string, values: Readonly<Record<string, string>>): string =>
  [
    ...template.replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
      Object.hasOwn(values, name) ? (values[name] ?? '') : whole,
    ),
  ]
    .slice(0, 256)
    .join('');
