import { afterAll, beforeAll, expect, test } from 'vitest';
import { a } from './fixtures/messages.ts';
import { createMetered, type Metered } from './fixtures/metered.ts';

let metered: Metered;
beforeAll(async () => {
  metered = await createMetered();
});
afterAll(() => metered.stop());

const MINUTE = 60_000;

test('a fall in a feed costs 9 read and 8 write units, and its two fetches 11.5 and 7', async () => {
  const { client, say, addWebhook, addRules } = await metered.furnish('maple');
  const webhookId = await addWebhook();
  const at = `/webhooks/${webhookId}`;
  const { hasSecretKey: _, health: __, ...webhook } = await client.ok<Record<string, unknown>>('GET', at);
  await client.ok('PUT', at, { ...webhook, url: null });
  const { token } = await client.ok<{ token: string }>('POST', `${at}/token`);
  const reader = client.as(token);
  await addRules(1, [webhookId]);
  let after = '';
  const fetchNext = async () => {
    const [item] = await reader.ok<{ id: string }[]>('GET', `${at}/feed${after}`);
    if (item) after = `?after=${item.id}`;
  };
  const cost = (afterMs: number) => metered.costOf(afterMs, fetchNext);
  const text = () => metered.ledger.text();
  const first = metered.now();
  await say(a.fall('calling', first));
  await say(a.fall('finished', first));
  await cost(0);
  await cost(0);
  const waits = await say(a.fall('calling', metered.now()));
  const costs = [waits, await cost(0), await cost(0), await cost(0), await cost(MINUTE)];
  const [fall, given, taken, nothing, noted] = costs.map(({ read, write }) => [read, write]);
  expect({ fall, given, taken, nothing, noted }, text()).toEqual({
    fall: [9, 8],
    given: [6.5, 2],
    taken: [5, 5],
    nothing: [5, 1],
    // The last fetch time is written once a minute.
    noted: [5, 4],
  });
});
