import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Cloud } from '#lib/local/cloud.ts';
import { packSnapshot } from '#shared/domain/delivery/packed-snapshot.ts';
import { derivedUlid, timeOfUlid } from '#shared/domain/ids.ts';
import { items } from '#shared/store/table.ts';
import { createLedger } from '#test/bench/meter.ts';
import { startCountedCloud } from '#test/fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createAlarm, createHome } from '#test/fixtures/home.ts';
import { bareSnapshot } from '#test/fixtures/snapshot.ts';

const COUNT = 1_200;
const ATTEMPTS = { sendTryTimes: [], attempts: 1, reason: null, nextAttempt: null, hit: null };
const snapshot = packSnapshot(bareSnapshot);

const ledger = createLedger();
let cloud: Cloud;
let home: Awaited<ReturnType<typeof createHome>>;
let deliveries: string;
const from = Date.now() - 86_400_000;
/** The `n`th oldest delivery's id. Pairs have the same time. */
const idOf = (n: number) => derivedUlid(from + Math.floor(n / 2) * 1_000, n);
const newestFirst = Array.from({ length: COUNT }, (_, n) => idOf(n)).toSorted(
  (a, b) => timeOfUlid(b) - timeOfUlid(a) || (a < b ? -1 : 1),
);

beforeAll(async () => {
  cloud = await startCountedCloud(ledger);
  home = await createHome(await adminOf(cloud.url), 'hazel', ALL_PERMISSIONS);
  const { webhook } = await createAlarm(home.client, 'http://127.0.0.1:9/');
  deliveries = `/webhooks/${webhook.id}/deliveries`;
  const { customerId } = home;
  const webhookKey = { customerId, webhookId: webhook.id };
  const deliveryOf = (n: number) => {
    const id = idOf(n);
    const dates = { createDate: from + n * 500, updateDate: from + ((n * 7_919) % COUNT) };
    const state = n < 3 ? 'failed' : 'delivered';
    return {
      id,
      ...webhookKey,
      ...dates,
      state,
      ...ATTEMPTS,
      snapshot,
      ...items.delivery({ ...webhookKey, deliveryId: id }),
    };
  };
  const all = Array.from({ length: COUNT }, (_, n) => deliveryOf(n));
  for (let at = 0; at < all.length; at += 100)
    await cloud.runtime.table.write(...all.slice(at, at + 100).map((put) => ({ put })));
});
afterAll(() => cloud.stop());

type Shown = { total: number; data: { id: string | number; updateDate: number }[] };
const list = async (query: string) => {
  ledger.clear();
  const answer = await home.client.call('GET', `${deliveries}${query}`);
  const { read } = ledger.total();
  expect(answer.status, answer.text).toBe(200);
  const [page] = answer.body as [Shown];
  const next = /^<(\?[^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1];
  return { ...page, ids: page.data.map(({ id }) => id), is: answer.headers.get('x-total-is'), next, read };
};
/** Returns all ids in a list by following the links to the next page. */
const follow = async (query: string) => {
  const ids: (string | number)[] = [];
  for (let next: string | undefined = query; next !== undefined; ) {
    const page = await list(next);
    ids.push(...page.ids);
    next = page.next;
  }
  return ids;
};

describe("a webhook's delivery list", () => {
  test("a delivery list's total is exact while the list is short", async () => {
    const until = from + 249_500;
    expect(await list(`?until=${until}`)).toMatchObject({ total: 500, is: 'exact' });
    expect(await list(`?until=${until}&page=16`)).toMatchObject({ ids: { length: 20 }, next: undefined });
    expect(await list('')).toMatchObject({ total: 500, is: 'at-least', ids: newestFirst.slice(0, 30) });
    expect(await list('?page=39')).toMatchObject({ total: COUNT, is: 'exact', ids: newestFirst.slice(1_170) });
    expect(await list('?page=1000')).toMatchObject({ total: COUNT, is: 'exact', ids: [] });
  });

  test('reading a page costs the same for 1,200 deliveries as for 600', async () => {
    const long = await list('');
    const short = await list(`?until=${from + 299_500}`);
    expect(Math.abs(long.read - short.read)).toBeLessThanOrEqual(1);
  });

  test("next-page links return each of a webhook's deliveries exactly once", async () => {
    expect(await follow('?perPage=200')).toEqual(newestFirst);
    expect(await follow(`?perPage=200&sortBy=asc(id)&since=${from + 300_000}`)).toEqual(
      newestFirst.filter((id) => timeOfUlid(id) >= from + 300_000).toSorted(),
    );
  });

  test('filtering by state finds the three oldest deliveries of a long list', async () => {
    expect(await list('?state=failed')).toMatchObject({ total: 3, is: 'exact', ids: { length: 3 } });
  });

  test('sorts a page of deliveries by updateDate', async () => {
    const { data } = await list('?sortBy=desc(updateDate)&perPage=200');
    const dates = data.map(({ updateDate }) => updateDate);
    expect(dates).toEqual(dates.toSorted((a, b) => b - a));
  });

  test('a delivery list can start after an id that does not exist', async () => {
    const [first = '', last = ''] = [newestFirst[0], newestFirst.at(-1)];
    const span = `?since=${from + 100_000}&until=${from + 100_500}`;
    expect(await list(`${span}&after=${last}`)).toMatchObject({ total: 0, is: 'exact' });
    expect(await list(`${span}&after=${first}`)).toMatchObject({ total: 2 });
    expect(await list(`${span}&sortBy=asc(id)&after=${first}`)).toMatchObject({ total: 0 });
    expect(await list(`?after=${'z'.repeat(26)}`)).toMatchObject({ ids: newestFirst.slice(0, 30) });
    expect(await list(`?after=${'0'.repeat(26)}`)).toMatchObject({ total: 0 });
  });
});

test('replaying a long list costs at most 45 read units', async () => {
  ledger.clear();
  const path = deliveries.replace('deliveries', 'replays');
  const body = { since: 0, until: Date.now(), states: ['delivered'], ratePerSecond: 1 };
  const { id, total } = await home.client.ok<{ id: string; total: number }>('POST', path, body);
  await home.client.ok('DELETE', `${path}/${id}`);
  expect(total).toBe(497);
  // All 1,200 deliveries at this size would cost 58 read units.
  const { read = 0 } = ledger.lines()['query C#*#W#*'] ?? {};
  expect(ledger.text()).toMatch(/query/);
  expect(read).toBeLessThanOrEqual(45);
});
