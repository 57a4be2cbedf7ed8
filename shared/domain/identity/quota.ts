import * as z from 'zod';

/**
 * The default limits for a customer, and the highest limits a stage may set. `sensorsInGroup` is capped at the number
 * of sensors one request can move. `messagesPerSecond` applies to each sensor; 0 means no limit.
 */
const bounds = {
  webhooks: { byDefault: 50, max: 1_000 },
  bots: { byDefault: 100, max: 10_000 },
  rules: { byDefault: 500, max: 10_000 },
  /** Enabled rules with the same scope and situation. Limits how many rules fire for one event. */
  rulesOfOneSituation: { byDefault: 50, max: 1_000 },
  users: { byDefault: 500, max: 100_000 },
  sensors: { byDefault: 10_000, max: 100_000 },
  sensorsInGroup: { byDefault: 1_000, max: 1_000 },
  sensorGroups: { byDefault: 200, max: 10_000 },
  /** Running replays per webhook. */
  replays: { byDefault: 1, max: 100 },
  /** SMS notifications. Half are reserved for falls and vital alarms. */
  smsPerDay: { byDefault: 100, max: 100_000 },
  /** SMS that contain a verification code for a phone number. */
  smsCodesPerDay: { byDefault: 100, max: 100_000 },
  /** SMS sent to test a rule. */
  smsTestsPerDay: { byDefault: 100, max: 100_000 },
  messagesPerSecond: { byDefault: 100, max: 1_000_000 },
} as const;
export type Quotas = Record<keyof typeof bounds, number>;
/** Quotas overridden by a stage. */
export type QuotaOverrides = Partial<Quotas>;

const names = Object.keys(bounds) as (keyof Quotas)[];
const mapQuotas = <T>(make: (name: keyof Quotas) => T) =>
  Object.fromEntries(names.map((name) => [name, make(name)])) as Record<keyof Quotas, T>;

export const defaultQuotas: Readonly<Quotas> = mapQuotas((name) => bounds[name].byDefault);

const quotaSchema = (name: keyof Quotas) => {
  const { max } = bounds[name];
  const message = `must be a whole number from 0 to ${max}`;
  return z.int(message).min(0, message).max(max, message);
};

/** Returns the schema for all quotas. It is built on demand, because few functions need it. */
export const quotasSchema = () => {
  const { messagesPerSecond, ...counts } = mapQuotas((name) => quotaSchema(name).default(defaultQuotas[name]));
  return z
    .strictObject({
      ...counts,
      messagesPerSecond: messagesPerSecond.meta({ description: 'per sensor; 0: no limit' }),
    })
    .meta({ id: 'Quotas', description: "a customer's limits" });
};

/** Returns the schema for stage quota overrides. */
export const quotaOverridesSchema = () => z.strictObject(mapQuotas(quotaSchema)).partial() as z.ZodType<QuotaOverrides>;

/** Returns the error details for an exhausted quota. */
export const limitOf = (quotas: Quotas, of: keyof Quotas) => ({ limit: { of, most: quotas[of] } });

/** Quotas whose usage is counted in the customer item. */
const counted = ['users', 'sensors', 'bots', 'webhooks', 'rules', 'sensorGroups'] as const;
export type CountedQuota = (typeof counted)[number];

/** Limits an error can name: a quota, the devices per provisioning key, or the invitations per day. */
export type LimitName = keyof Quotas | 'devices' | 'invitations';
