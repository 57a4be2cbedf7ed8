import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { a } from './fixtures/messages.ts';
import { createMetered, type Metered } from './fixtures/metered.ts';

let metered: Metered;
beforeAll(async () => {
  metered = await createMetered();
});
afterAll(() => metered.stop());

const text = () => metered.ledger.text();
type Page<T> = { data: T[] }[];

/** Creates a home with a fall, and `rules` rules that sent notifications for it. */
const fallen = async (name: string, rules: number) => {
  const home = await metered.furnish(name);
  const { client, customerId, sensorId } = home;
  if (rules > 0) await home.addRules(rules, [await home.addWebhook()]);
  await home.say(a.fall('calling', metered.now()));
  const [hits] = await client.ok<Page<{ id: number }>>('GET', `/customers/${customerId}/rule-hits`);
  const [events] = await client.ok<Page<{ uuid: string; type: string }>>('GET', `/sensors/${sensorId}/events`);
  const fall = `/sensors/${sensorId}/falls/${events?.data.find(({ type }) => type === 'fall')?.uuid}`;
  const hit = `/customers/${customerId}/rule-hits/${hits?.data[0]?.id}`;
  /** Measures a request and everything it causes. */
  const cost = (method: string, path: string, body?: object) =>
    metered.costOf(60_000, () => client.ok(method, `${path}/acknowledgement`, body));
  return { fall, hit, cost };
};

describe('costs with the session, the audit line and the resulting event', () => {
  test("acknowledging a fall's only hit costs 17.5 read and 16 write units, and withdrawing 21 and 16", async () => {
    const { fall, hit, cost } = await fallen('oak', 1);
    expect(await cost('PUT', hit, {}), text()).toEqual({ read: 17.5, write: 16 });
    expect(await cost('PUT', fall, {}), text()).toEqual({ read: 6, write: 1 });
    expect(await cost('DELETE', fall), text()).toEqual({ read: 21, write: 16 });
  });

  test('acknowledging a fall costs 18.5 read and 12 write units, plus 6 write units per hit', async () => {
    const without = await fallen('elm', 0);
    expect(await without.cost('PUT', without.fall, {}), text()).toEqual({ read: 18.5, write: 12 });
    const withHits = await fallen('ash', 5);
    // The hits take 2 more read units, because the worker also searches for them.
    expect(await withHits.cost('PUT', withHits.fall, {}), text()).toEqual({ read: 20.5, write: 42 });
  });
});
