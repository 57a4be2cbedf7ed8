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

test('an audited change costs 1 write unit for the audit line, plus 2 for the rate limit and the update', async () => {
  const { id } = await home.client.ok<{ id: number }>('POST', '/bots', { name: 'n', locale: 'de' });
  const units = await costOf('PUT', `/bots/${id}`, 200, { name: 'm', locale: 'de' });
  expect(units, metered.ledger.text()).toMatchObject({ write: 3 });
});

test('a forbidden request costs 6 write units in addition to the rate limit, and 1 when repeated', async () => {
  const body = { name: 'n', locale: 'de', customerId: 987_654 };
  expect(await costOf('POST', '/bots', 403, body), metered.ledger.text()).toMatchObject({ write: 7 });
  expect(await costOf('POST', '/bots', 403, body), metered.ledger.text()).toMatchObject({ write: 2 });
  expect(await costOf('DELETE', '/users/987654', 404), metered.ledger.text()).toMatchObject({ write: 1 });
});

test('an audit log page costs 2 read units, plus 1 per 4 KB and 1 per named object', async () => {
  const units = await costOf('GET', `/customers/${home.customerId}/audit`, 200);
  expect(units, metered.ledger.text()).toEqual({ read: 8, write: 0 });
});
