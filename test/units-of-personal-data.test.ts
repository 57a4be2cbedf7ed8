import { afterAll, beforeAll, expect, test } from 'vitest';
import { ADMIN_PASSWORD } from './fixtures/cloud.ts';
import { adminOf, hireFor } from './fixtures/home.ts';
import { createMetered, type Metered } from './fixtures/metered.ts';

let metered: Metered;
beforeAll(async () => {
  metered = await createMetered();
});
afterAll(() => metered.stop());

/** A home with a sensor, who manages it, and a colleague. */
const furnish = async (name: string) => {
  const home = await metered.furnish(name);
  const admin = await adminOf(metered.cloud.url);
  const colleague = await hireFor(admin, home.customerId, `${name}-colleague`);
  const ask = (what: string, subject: object) =>
    admin.call('POST', `/customers/${home.customerId}/${what}`, { subject, reason: 'r', password: ADMIN_PASSWORD });
  return { ...home, colleague, ask };
};

/** What a job costs until it waits for its last look, without the looks of who awaits it: their number is that of 100 ms. */
const costOf = async (run: () => Promise<unknown>) => {
  const { read, write } = await metered.costOf(1_000, run);
  return { read: read - (metered.ledger.lines()['get dataJob']?.read ?? 0), write };
};

test('an export of a user costs 30 read and 11 write, besides what is read of the home', async () => {
  const { ask, colleague } = await furnish('elm');
  const cost = await costOf(() => ask('exports', { kind: 'user', id: colleague.id }));
  expect(cost, metered.ledger.text()).toEqual({ read: 30, write: 11 });
});

test('an erasure of a user costs 34 read and 53 write: each item that goes is written, and its count', async () => {
  const { ask, colleague } = await furnish('fir');
  const cost = await costOf(() => ask('erasures', { kind: 'user', id: colleague.id }));
  expect(cost, metered.ledger.text()).toEqual({ read: 34, write: 53 });
});

test('an erasure of a home without falls costs 55 read and 75 write', async () => {
  const { ask, customerId } = await furnish('yew');
  const cost = await costOf(() => ask('erasures', { kind: 'customer', id: customerId }));
  expect(cost, metered.ledger.text()).toEqual({ read: 55, write: 75 });
});
