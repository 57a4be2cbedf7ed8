import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMetered, type Metered } from './fixtures/metered.ts';

let metered: Metered;
let home: Awaited<ReturnType<Metered['furnish']>>;
beforeAll(async () => {
  metered = await createMetered();
  home = await metered.furnish('maple');
});
afterAll(() => metered.stop());

const costOf = (method: string, path: string, status: number, body?: unknown) =>
  metered.costOf(1_000, async () => {
    const answer = await home.client.call(method, path, body);
    expect(answer.status, answer.text).toBe(status);
  });

test('an audited change costs 1 write unit for its audit line, besides 1 for the rate limit and 1 for a plain update', async () => {
  const { id } = await home.client.ok<{ id: number }>('POST', '/bots', { name: 'n', locale: 'de' });
  const units = await costOf('PUT', `/bots/${id}`, 200, { name: 'm', locale: 'de' });
  expect(units, metered.ledger.text()).toMatchObject({ write: 3 });
});

test('a forbidden call costs 2 read units and 6 write units for its audit entry, and 1 write unit when it is repeated; a call for a missing item costs none', async () => {
  const body = { name: 'n', locale: 'de', customerId: 987_654 };
  expect(await costOf('POST', '/bots', 403, body), metered.ledger.text()).toMatchObject({ write: 7 });
  expect(await costOf('POST', '/bots', 403, body), metered.ledger.text()).toMatchObject({ write: 2 });
  expect(await costOf('DELETE', '/users/987654', 404), metered.ledger.text()).toMatchObject({ write: 1 });
});

test('a page of the audit log costs 1 read unit for each 4 KB of lines and 1 for each object it names, besides 2 for session and account', async () => {
  const units = await costOf('GET', `/customers/${home.customerId}/audit`, 200);
  expect(units, metered.ledger.text()).toEqual({ read: 8, write: 0 });
});
