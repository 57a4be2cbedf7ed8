import { afterAll, beforeAll, expect, test } from 'vitest';
import { ADMIN_PASSWORD } from './fixtures/cloud.ts';
import { adminOf, hireFor } from './fixtures/home.ts';
import { createMetered, type Metered } from './fixtures/metered.ts';

let metered: Metered;
beforeAll(async () => {
  metered = await createMetered();
});
afterAll(() => metered.stop());

/** Creates a home with a sensor, a manager and a colleague. */
const furnish = async (name: string) => {
  const home = await metered.furnish(name);
  const admin = await adminOf(metered.cloud.url);
  const colleague = await hireFor(admin, home.customerId, `${name}-colleague`);
  const ask = (what: string, subject: object) =>
    admin.call('POST', `/customers/${home.customerId}/${what}`, { subject, reason: 'r', password: ADMIN_PASSWORD });
  return { ...home, colleague, ask };
};

/**
 * The cost of a job until it waits for the final check. Excludes the caller's polls, because their number depends on
 * timing.
 */
const costOf = async (run: () => Promise<unknown>) => {
  const { read, write } = await metered.costOf(1_000, run);
  return { read: read - (metered.ledger.lines()['get dataJob']?.read ?? 0), write };
};

test('exporting a user costs 32 read and 11 write units, in addition to reading the home', async () => {
  const { ask, colleague } = await furnish('elm');
  const cost = await costOf(() => ask('exports', { kind: 'user', id: colleague.id }));
  expect(cost, metered.ledger.text()).toEqual({ read: 32, write: 11 });
});

test('erasing a user costs 36 read and 52 write units', async () => {
  const { ask, colleague } = await furnish('fir');
  const cost = await costOf(() => ask('erasures', { kind: 'user', id: colleague.id }));
  expect(cost, metered.ledger.text()).toEqual({ read: 36, write: 52 });
});

test('erasing a home without falls costs 57 read units and 74 write units', async () => {
  const { ask, customerId } = await furnish('yew');
  const cost = await costOf(() => ask('erasures', { kind: 'customer', id: customerId }));
  expect(cost, metered.ledger.text()).toEqual({ read: 57, write: 74 });
});
