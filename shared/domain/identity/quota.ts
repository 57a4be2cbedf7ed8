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

/** The quotas, each with the most that a stage may set, in words. */
export const mostOfQuotas: string = names.map((name) => `${name} (at most ${bounds[name].most})`).join(', ');

const bounded = (name: keyof Quotas) => z.int().min(0).max(bounds[name].most);

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

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

/** Gives the quotas that a stage sets, as an object or as JSON, or null if they are not allowed. */
export const readQuotas = (given: unknown): SomeQuotas | null => {
  const some = z.strictObject(each(bounded)).partial();
  const { data } = some.safeParse(typeof given === 'string' ? jsonOf(given) : given);
  return (data as SomeQuotas | undefined) ?? null;
};

/** Says what is wrong with the quotas of a stage, of each that is wrong. */
export const whyNoQuotas = (given: unknown): string => {
  const read = typeof given === 'string' ? jsonOf(given) : given;
  if (typeof read !== 'object' || read === null || Array.isArray(read)) return 'it is no JSON object';
  return Object.entries(read)
    .flatMap(([name, value]) => {
      const bound = Object.hasOwn(bounds, name) ? bounds[name as keyof Quotas] : undefined;
      if (!bound) return [`there is no quota ${name}`];
      const isGood = Number.isInteger(value) && Number(value) >= 0 && Number(value) <= bound.most;
      return isGood ? [] : [`${name} must be a whole number from 0 to ${bound.most}`];
    })
    .join(', ');
};

/** Gives the details of the error for a quota that is used up. */
export const limitOf = (quotas: Quotas, of: keyof Quotas) => ({ limit: { of, most: quotas[of] } });

/** What is counted in the item of a customer, by the names of the quotas. */
const counted = ['users', 'sensors', 'bots', 'webhooks', 'rules', 'sensorGroups'] as const;
export type Counted = (typeof counted)[number];

/** The limits that an error can name: a quota, or the devices that a provisioning key registers. */
export type Limited = keyof Quotas | 'devices';
