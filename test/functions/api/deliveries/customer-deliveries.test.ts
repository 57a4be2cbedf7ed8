import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Cloud } from '#lib/local/cloud.ts';
import { packSnapshot } from '#shared/domain/delivery/packed-snapshot.ts';
import type { Permission } from '#shared/domain/identity/permission.ts';
import { derivedUlid } from '#shared/domain/ids.ts';
import { items } from '#shared/store/table.ts';
import { createLedger } from '#test/bench/meter.ts';
import { startCountedCloud } from '#test/fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createAlarm, createHome, hireFor } from '#test/fixtures/home.ts';
import { bareSnapshot } from '#test/fixtures/snapshot.ts';

/** The number of deliveries per webhook. */
const COUNTS = [300, 40, 10, 0, 1];
const EVENT = '11111111-2222-4333-8444-555555555555';
const ATTEMPTS = { sendTryTimes: [], attempts: 1, reason: null, nextAttempt: null, hit: null };
const from = Date.now() - 86_400_000;

const ledger = createLedger();
let cloud: Cloud;
let home: Awaited<ReturnType<typeof createHome>>;
let newestFirst: string[];

/** The deliveries to the `at`th webhook, spread out so each page covers several webhooks. */
const deliveriesOf = (at: number, webhookId: string) =>
  Array.from({ length: COUNTS[at] ?? 0 }, (_, n) => {
    // All times differ. The last webhook has the oldest delivery of all.
    const createDate = from + COUNTS.length - at + Math.floor((n * 80_000_000) / (COUNTS[at] ?? 1));
    const id = derivedUlid(createDate, at, n);
    const { event, sensor } = bareSnapshot;
    const isOfEvent = at < 2 && n === 5;
    const snapshot = packSnapshot({
      ...bareSnapshot,
      event: { ...event, uuid: isOfEvent ? EVENT : event.uuid },
      sensor: { ...sensor, id: n % 2 === 0 ? 'id_of_even_1' : 'id_of_odd_12' },
    });
    const webhookKey = { customerId: home.customerId, webhookId };
    const state = n < 3 ? 'failed' : 'delivered';
    const dates = { createDate, updateDate: createDate };
    return {
      id,
      ...webhookKey,
      ...dates,
      state,
      ...ATTEMPTS,
      snapshot,
      ...items.delivery({ ...webhookKey, deliveryId: id }),
    };
  });

beforeAll(async () => {
  cloud = await startCountedCloud(ledger);
  home = await createHome(await adminOf(cloud.url), 'hazel', ALL_PERMISSIONS);
  const all: ReturnType<typeof deliveriesOf> = [];
  for (const at of COUNTS.keys()) {
    // The last webhook is a customer webhook.
    const hook = at === COUNTS.length - 1 ? { isCustomerHook: true, botId: null } : {};
    const body = { name: `n${at}`, url: 'http://127.0.0.1:9/', format: 'full', isCustomerHook: false };
    const bot = at === COUNTS.length - 1 ? null : (await createAlarm(home.client, body.url)).bot;
    const webhook = await home.client.ok<{ id: string }>('POST', '/webhooks', { ...body, botId: bot?.id, ...hook });
    all.push(...deliveriesOf(at, webhook.id));
  }
  newestFirst = all.map(({ id }) => id).toSorted((a, b) => (a < b ? 1 : -1));
  for (let at = 0; at < all.length; at += 100)
    await cloud.runtime.table.write(...all.slice(at, at + 100).map((put) => ({ put })));
});
afterAll(() => cloud.stop());

type Shown = { total: number; data: { id: string; webhookId: string; eventUuid: string; sensorId: string }[] };
const list = async (query = '', client = home.client) => {
  ledger.clear();
  const answer = await client.call('GET', `/customers/${home.customerId}/deliveries${query}`);
  const { read } = ledger.total();
  expect(answer.status, answer.text).toBe(200);
  const [page] = answer.body as [Shown];
  const next = /^<(\?[^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1];
  return { ...page, ids: page.data.map(({ id }) => id), is: answer.headers.get('x-total-is'), next, read };
};
const follow = async (query: string, client = home.client) => {
  const ids: string[] = [];
  for (let next: string | undefined = query; next !== undefined; ) {
    const page = await list(next, client);
    ids.push(...page.ids);
    next = page.next;
  }
  return ids;
};

describe("a customer's delivery list", () => {
  test("next-page links return each of a customer's deliveries exactly once", async () => {
    expect(await follow('?perPage=50')).toEqual(newestFirst);
    expect(await follow('?perPage=23&page=0&sortBy=asc(createDate)')).toEqual(newestFirst.toReversed());
  });

  test("listing a customer's deliveries has a bounded read cost", async () => {
    const first = await list();
    expect(first).toMatchObject({ is: 'at-least', ids: newestFirst.slice(0, 30) });
    expect(first.total).toBeGreaterThanOrEqual(100);
    // At most 120 deliveries at 0.2 KB, in queries of 10: 10 from each webhook that has deliveries, and about 60 more.
    expect(first.read).toBeLessThanOrEqual(25);
    expect((await list('?page=19')).read).toBeLessThanOrEqual(100);
    const recent = await list(`?since=${from + 75_000_000}`);
    expect(recent).toMatchObject({ is: 'exact', total: recent.ids.length < 30 ? recent.ids.length : recent.total });
  });

  test("a customer's delivery list filters by event, sensor and state", async () => {
    const ofEvent = await list(`?eventUuid=${EVENT}&sortBy=asc(createDate)`);
    expect(ofEvent.data.map(({ eventUuid }) => eventUuid)).toEqual([EVENT, EVENT]);
    expect(new Set(ofEvent.data.map(({ webhookId }) => webhookId)).size).toBe(2);
    expect(new Set((await list('?sensorId=id_of_even_1')).data.map(({ sensorId }) => sensorId))).toEqual(
      new Set(['id_of_even_1']),
    );
    expect(await follow('?state=failed&perPage=5')).toHaveLength(10);
  });

  test("a customer's delivery list omits webhooks that the caller may not manage", async () => {
    const admin = await adminOf(cloud.url);
    const idsFor = async (name: string, permission: Permission) =>
      follow('?perPage=50', (await hireFor(admin, home.customerId, name, { permissions: [permission] })).client);
    // The oldest is the only delivery to the customer webhook.
    expect(await idsFor('alder', 'manage_customers')).toEqual(newestFirst.slice(-1));
    expect(await idsFor('elder', 'manage_bots')).toEqual(newestFirst.slice(0, -1));
  });
});
