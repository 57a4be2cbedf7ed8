import { afterAll, beforeAll, expect, test } from 'vitest';
import { a } from './fixtures/messages.ts';
import { createMetered, type Metered } from './fixtures/metered.ts';

const GAP_MS = 20 * 60_000;

let metered: Metered;
beforeAll(async () => {
  metered = await createMetered();
});
afterAll(() => metered.stop());

/** Creates a home with falls of four messages each, 20 minutes apart. */
const furnish = async (name: string, { falls, hasRule }: { falls: number; hasRule: boolean }) => {
  const home = await metered.furnish(name);
  if (hasRule) await home.addRules(1, [await home.addWebhook()]);
  for (let fall = 0; fall < falls; fall++) {
    const start = metered.now();
    for (const status of ['fall_detected', 'fall_confirmed', 'calling', 'finished'])
      await home.say(a.fall(status, start), 20_000);
    await home.say(a.presence(true), GAP_MS);
  }
  const at = `/customers/${home.customerId}/alarms`;
  /** Measures one page, and returns the link to the next. */
  const costOf = async (query: string, rows: number) => {
    let link = '';
    const cost = await metered.costOf(1_000, async () => {
      const { body, headers } = await home.client.call('GET', `${at}${query}`);
      expect((body as { data: unknown[] }[])[0]?.data).toHaveLength(rows);
      link = headers.get('link')?.match(/<(.*)>/)?.[1] ?? '';
    });
    return { ...cost, link };
  };
  return { ...home, costOf };
};

test('a page with 30 alarms and a rule costs 23 read units, and the next page 15.5', async () => {
  const { costOf } = await furnish('maple', { falls: 34, hasRule: true });
  const first = await costOf('?perPage=30', 30);
  expect(first, metered.ledger.text()).toMatchObject({ read: 23, write: 0 });
  expect(await costOf(first.link, 4), metered.ledger.text()).toMatchObject({ read: 15.5, write: 0, link: '' });
});

test('a page with 30 falls and no rule costs 51 read units', async () => {
  const { costOf } = await furnish('oak', { falls: 30, hasRule: false });
  expect(await costOf('', 30), metered.ledger.text()).toMatchObject({ read: 51, write: 0 });
});

test('listing open alarms and gaps costs 15 read units for a customer with 10 alarms a day', async () => {
  const { admin, customerId } = await furnish('pine', { falls: 10, hasRule: true });
  const { read } = await metered.costOf(60_000, () => admin.ok('GET', `/customers/states?customerIds=${customerId}`));
  expect(read, metered.ledger.text()).toBe(15);
});
