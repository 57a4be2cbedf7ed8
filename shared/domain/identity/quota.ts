import * as z from 'zod';

/**
 * How many objects one customer can have, and the most that a stage may set. `sensorsInGroup` is limited by the number
 * of sensors that one request can move; `messagesPerSecond` is for one sensor, and 0 means no limit.
 */
const bounds = {
  webhooks: { byDefault: 50, most: 1_000 },
  bots: { byDefault: 100, most: 10_000 },
  rules: { byDefault: 500, most: 10_000 },
  /** Enabled rules for the same scope and situation. So many rules may fire for one event. */
  rulesOfOneSituation: { byDefault: 50, most: 1_000 },
  users: { byDefault: 500, most: 100_000 },
  sensors: { byDefault: 10_000, most: 100_000 },
  sensorsInGroup: { byDefault: 1_000, most: 1_000 },
  sensorGroups: { byDefault: 200, most: 10_000 },
  /** Running replays of one webhook. */
  replays: { byDefault: 1, most: 100 },
  /** SMS to people of a customer, and codes by SMS. */
  smsPerDay: { byDefault: 100, most: 100_000 },
  messagesPerSecond: { byDefault: 100, most: 1_000_000 },
} as const;
export type Quotas = Record<keyof typeof bounds, number>;
/** The quotas that a stage sets. */
export type SomeQuotas = Partial<Quotas>;

const names = Object.keys(bounds) as (keyof Quotas)[];
const each = <T>(make: (name: keyof Quotas) => T) =>
  Object.fromEntries(names.map((name) => [name, make(name)])) as Record<keyof Quotas, T>;

export const defaultQuotas: Readonly<Quotas> = each((name) => bounds[name].byDefault);

const bounded = (name: keyof Quotas) => {
  const { most } = bounds[name];
  const says = `must be a whole number from 0 to ${most}`;
  return z.int(says).min(0, says).max(most, says);
};

/** Makes the schema of all quotas. It is a function, because most functions never need it. */
export const quotasSchema = () => {
  const { messagesPerSecond, ...counts } = each((name) => bounded(name).default(defaultQuotas[name]));
  return z
    .strictObject({
      ...counts,
      messagesPerSecond: messagesPerSecond.meta({ description: 'of one sensor; 0: no limit' }),
    })
    .meta({ id: 'Quotas', description: 'the limits of a customer' });
};

/** Returns the schema of the quotas that a stage sets. */
export const someQuotas = () => z.strictObject(each(bounded)).partial() as z.ZodType<SomeQuotas>;

/** Gives the details of the error for a quota that is used up. */
export const limitOf = (quotas: Quotas, of: keyof Quotas) => ({ limit: { of, most: quotas[of] } });

/** What is counted in the item of a customer, by the names of the quotas. */
const counted = ['users', 'sensors', 'bots', 'webhooks', 'rules', 'sensorGroups'] as const;
export type Counted = (typeof counted)[number];

/** The limits that an error can name: a quota, or the devices that a provisioning key registers. */
export type Limited = keyof Quotas | 'devices';
