import * as z from 'zod';

const upTo = (maximum: number, otherwise: number) => z.int().min(0).max(maximum).default(otherwise);

/**
 * How many objects one customer can have. A stage may set other values. `sensorsInGroup` is limited by the number of
 * sensors that one request can move; `messagesPerSecond` is for one sensor, and 0 means no limit.
 */
export const Quotas = z
  .strictObject({
    webhooks: upTo(1_000, 50),
    bots: upTo(10_000, 100),
    rules: upTo(10_000, 500),
    /** Enabled rules for the same scope and situation. So many rules may fire for one event. */
    rulesOfOneSituation: upTo(1_000, 50),
    users: upTo(100_000, 500),
    sensors: upTo(100_000, 10_000),
    sensorsInGroup: upTo(1_000, 1_000),
    sensorGroups: upTo(10_000, 200),
    /** Running replays of one webhook. */
    replays: upTo(100, 1),
    messagesPerSecond: upTo(1_000_000, 100).meta({ description: 'of one sensor; 0: no limit' }),
  })
  .meta({ id: 'Quotas', description: 'the limits of a customer' });
export type Quotas = z.output<typeof Quotas>;
/** The quotas that a stage sets. */
export const SomeQuotas = Quotas.partial();
export type SomeQuotas = z.output<typeof SomeQuotas>;

/** Gives the details of the error for a quota that is used up. */
export const limitOf = (quotas: Quotas, of: keyof Quotas) => ({ limit: { of, most: quotas[of] } });

/** What is counted in the item of a customer, by the names of the quotas. */
export const counted = ['users', 'sensors', 'bots', 'webhooks', 'rules', 'sensorGroups'] as const;
export type Counted = (typeof counted)[number];

/** The limits that an error can name: a quota, or the devices that a provisioning key registers. */
export type Limited = keyof Quotas | 'devices';
