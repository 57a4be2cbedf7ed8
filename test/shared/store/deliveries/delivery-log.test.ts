import { describe, expect, test } from 'vitest';
import { packSnapshot } from '#shared/domain/delivery/packed-snapshot.ts';
import { derivedUlid, timeOfUlid } from '#shared/domain/ids.ts';
import { deliveryLog } from '#shared/store/deliveries/delivery-log.ts';
import type { Table } from '#shared/store/engine/client.ts';
import type { Query } from '#shared/store/engine/request.ts';
import { items } from '#shared/store/table.ts';
import { memoryStore } from '#test/fixtures/memory-store.ts';
import { bareSnapshot } from '#test/fixtures/snapshot.ts';
import { deliveryOf, HOME, HOOK } from '#test/fixtures/store-deliveries.ts';
import { now } from '#test/fixtures/store-items.ts';

const newest = { page: 0, perPage: 1_000, sortBy: 'desc(createDate)' };
const oldest = { ...newest, sortBy: 'asc(createDate)' };
const always = [0, Number.MAX_SAFE_INTEGER - 1] as const;
type Range = readonly [number, number];
type PageQuery = Parameters<ReturnType<typeof deliveryLog>['page']>[3];
type JoinedQuery = Parameters<ReturnType<typeof deliveryLog>['pageOfAll']>[3];

/** The id of a delivery created `at` ms after now. */
const idAt = (at: number) => derivedUlid(now + at, 'delivery');
const timeIn = (id: string | number | undefined) => (id === undefined ? undefined : timeOfUlid(String(id)) - now);
const numbersTo = (count: number) => Array.from({ length: count }, (_, at) => at);

/** Returns a log of deliveries, which are named by the time (ms after now) of their creation. */
const startLog = () => {
  const { its, table } = memoryStore();
  const reads: { pk: string; limit: number | undefined; consistent: boolean | undefined }[] = [];
  const query: Table['query'] = (input) => {
    const { pk, limit, consistent, between: [low, high] = ['', ''], startAfter } = input;
    // DynamoDB rejects a start outside the range.
    if (startAfter) expect(String(startAfter.sk) >= low && String(startAfter.sk) <= high).toBe(true);
    reads.push({ pk, limit, consistent });
    return table.query(input);
  };
  const log = deliveryLog({ ...table, query });
  const add = async (times: readonly number[], fields: object = {}) => {
    for (const at of times) await its.deliveries.create(deliveryOf(1, { id: idAt(at), ...fields }), false);
  };
  const named = ({ data, next, ...page }: Awaited<ReturnType<typeof log.page>>) => ({
    ...page,
    times: data.map(({ id }) => timeIn(id)),
    next: timeIn(next),
  });
  const page = async (query: PageQuery, range: Range = always) => named(await log.page(HOME, HOOK, range, query));
  const joined = async (
    ids: readonly (string | null)[],
    query: Omit<JoinedQuery, 'sensorId'> & { sensorId?: string },
  ) => named(await log.pageOfAll(HOME, ids, always, { sensorId: '', ...query }));
  return { log, reads, add, page, joined };
};

test('a listed delivery shows the result so far, its references and the creation time in its id', async () => {
  const { log, add } = startLog();
  const shown = {
    updateDate: now + 9,
    state: 'failed',
    reason: 'gone',
    attempts: 2,
    nextAttempt: null,
    hit: { id: 4, message: 1 },
    log: [[2, 1, 410, null, [], 'gone']],
    replayOf: idAt(-9),
    isTest: true,
    person: { userId: 5, name: 'Anna Meier', by: 'sms' },
  };
  // An outage delayed the write.
  await add([0], { ...shown, webhookId: null, createDate: now + 8 });
  const { data } = await log.pageOfAll(HOME, [null], always, { ...newest, sensorId: '' });
  expect(data).toMatchObject([
    { ...shown, id: idAt(0), customerId: HOME, webhookId: null, createDate: now, snapshot: bareSnapshot },
  ]);
});

describe("a webhook's delivery list", () => {
  test('a delivery list shows the newest or the oldest deliveries first', async () => {
    const { page, add } = startLog();
    await add([1, 0, 2]);
    expect([(await page(newest)).times, (await page(oldest)).times]).toEqual([
      [2, 1, 0],
      [0, 1, 2],
    ]);
    expect(await page({ ...newest, perPage: 2, page: 1 })).toEqual({
      times: [0],
      total: 3,
      page: 1,
      perPage: 2,
      isWhole: true,
      next: undefined,
    });
  });

  test.each([
    { query: newest, times: [2, 1] },
    { query: oldest, times: [1, 2] },
  ])('a delivery list by $query.sortBy includes both ends of its time range', async ({ query, times }) => {
    const { page, add } = startLog();
    await add([0, 1, 2, 3]);
    expect((await page(query, [now + 1, now + 2])).times).toEqual(times);
    expect(await page(query, [now + 2, now])).toMatchObject({ times: [], isWhole: true });
  });

  test('a delivery list can be sorted by the latest change', async () => {
    const { page, add } = startLog();
    for (const [at, change] of [3, 9, 6].entries()) await add([at], { updateDate: now + change });
    expect((await page({ ...newest, sortBy: 'desc(updateDate)' })).times).toEqual([1, 2, 0]);
    expect((await page({ ...newest, sortBy: 'asc(updateDate)' })).times).toEqual([0, 2, 1]);
  });

  test('a delivery list can be limited to one state', async () => {
    const { page, add } = startLog();
    await add([0, 2]);
    await add([1], { state: 'failed' });
    expect(await page({ ...newest, state: 'failed' })).toMatchObject({ times: [1], total: 1 });
    expect(await page({ ...newest, state: 'pending' })).toMatchObject({ times: [2, 0], total: 2 });
    expect(await page({ ...newest, state: 'held' })).toMatchObject({ times: [], total: 0, isWhole: true });
  });

  test.each([
    { sortBy: newest.sortBy, before: [], inside: [1], behind: [2, 1] },
    { sortBy: oldest.sortBy, before: [1, 2], inside: [], behind: [] },
  ])(
    'a delivery list by $sortBy can continue after a delivery outside its time range',
    async ({ sortBy, before, inside, behind }) => {
      const { page, add } = startLog();
      await add([0, 1, 2, 3]);
      const rest = async (at: number) => (await page({ ...newest, sortBy, after: idAt(at) }, [now + 1, now + 2])).times;
      expect([await rest(0), await rest(2), await rest(3)]).toEqual([before, inside, behind]);
    },
  );

  test('a delivery list is whole if it has at most 500 deliveries', async () => {
    const { page, add } = startLog();
    await add(numbersTo(500));
    expect(await page({ ...newest, perPage: 9 })).toMatchObject({ total: 500, isWhole: true, next: undefined });
  });

  test.each([
    { query: newest, last: 1, rest: 0 },
    { query: oldest, last: 499, rest: 500 },
  ])('a longer delivery list by $query.sortBy continues after 500 deliveries', async ({ query, last, rest }) => {
    const { page, add } = startLog();
    await add(numbersTo(501));
    const short = { ...query, perPage: 9 };
    expect(await page(short)).toMatchObject({ total: 500, isWhole: false, next: last });
    expect(await page({ ...short, after: idAt(last) })).toMatchObject({ times: [rest], total: 1, isWhole: true });
  });

  test('only the first 200 deliveries in a list are read consistently, at twice the cost', async () => {
    const { page, add, reads } = startLog();
    await add(numbersTo(502));
    await page({ ...newest, perPage: 500 });
    expect(reads.map(({ limit, consistent }) => [limit, consistent])).toEqual([
      [200, true],
      [301, false],
      [501, false],
    ]);
  });

  test('one request for a delivery list reads at most 5,000 deliveries', async () => {
    const { pk, sk } = items.delivery({ customerId: HOME, webhookId: HOOK, deliveryId: idAt(0) });
    const item = { pk, sk, state: 'pending', snapshot: packSnapshot(bareSnapshot) };
    const query = async ({ limit = 0 }: Query) => ({ items: Array(limit).fill(item), next: { pk, sk } });
    const { page } = deliveryLog({ query } as never);
    expect(await page(HOME, HOOK, always, { ...newest, perPage: 6_000 })).toMatchObject({
      total: 5_000,
      isWhole: false,
      next: idAt(0),
    });
  });

  test('the oldest deliveries are read up to 500, oldest first', async () => {
    const { log, add, reads } = startLog();
    await add(numbersTo(503));
    const timesOf = async (range: Range) => (await log.oldest(HOME, HOOK, range)).map(({ id }) => timeIn(id));
    expect(await timesOf([now + 2, now + 999])).toEqual(numbersTo(502).slice(2));
    expect(reads.map(({ limit, consistent }) => [limit, consistent])).toEqual([
      [200, true],
      [301, false],
    ]);
    expect(await timesOf([now + 501, now + 999])).toEqual([501, 502]);
  });
});

describe('a list of deliveries to several receivers', () => {
  test.each([
    { query: newest, times: [4, 3, 2, 1, 0] },
    { query: oldest, times: [0, 1, 2, 3, 4] },
  ])('deliveries to webhooks and people are listed together by $query.sortBy', async ({ query, times }) => {
    const { joined, add } = startLog();
    await add([0, 3]);
    await add([1, 4], { webhookId: null });
    await add([2], { webhookId: 'v' });
    await add([5], { webhookId: 'hidden' });
    await add([6], { customerId: HOME + 1 });
    expect(await joined([HOOK, 'v', null], query)).toMatchObject({ times, total: 5, isWhole: true, next: undefined });
  });

  test('a list without receivers is whole and empty', async () => {
    const { joined } = startLog();
    expect(await joined([], newest)).toMatchObject({ times: [], total: 0, isWhole: true });
  });

  test.each([
    ['state', 1, { state: 'failed' } as const],
    ['sensor', 2, { sensorId: 'other' }],
    ['event', 3, { eventUuid: 'other' }],
  ])('deliveries to several receivers can be limited to one %s', async (_, match, filter) => {
    const { joined, add } = startLog();
    const { sensor, event } = bareSnapshot;
    await add([0]);
    await add([1], { state: 'failed' });
    await add([2], { snapshot: { ...bareSnapshot, sensor: { ...sensor, id: 'other' } } });
    await add([3], { snapshot: { ...bareSnapshot, event: { ...event, uuid: 'other' } } });
    expect(await joined([HOOK], { ...newest, ...filter })).toMatchObject({ times: [match], total: 1 });
  });

  test.each([newest, oldest])(
    'a long joined list by $sortBy continues without a gap or a repetition',
    async (query) => {
      const { joined, add } = startLog();
      const times = numbersTo(700);
      const receivers = [HOOK, 'v', null];
      const receiverOf = (at: number) => (at % 50 === 7 ? 'v' : at % 9 === 0 ? null : HOOK);
      for (const at of times) await add([at], { webhookId: receiverOf(at) });
      const first = await joined(receivers, query);
      expect(first.isWhole).toBe(false);
      const rest = await joined(receivers, { ...query, after: idAt(Number(first.next)) });
      expect(rest.isWhole).toBe(true);
      expect([...first.times, ...rest.times]).toEqual(query === newest ? times.toReversed() : times);
    },
  );

  test.each([
    ['one receiver', 60, 1],
    ['two receivers', 30, 2],
    ['seven receivers', 9, 7],
    ['thirty receivers', 3, 30],
  ])('a list for %s first reads %i deliveries to each consistently, and looks one ahead', async (_, share, count) => {
    const { joined, reads } = startLog();
    await joined(numbersTo(count).map(String), newest);
    expect(reads).toEqual(
      numbersTo(count).map((id) => ({ pk: `C#${HOME}#W#${id}`, limit: share + 1, consistent: true })),
    );
  });

  test('a list reads on only from the receiver with the least progress, and no longer consistently', async () => {
    const { joined, add, reads } = startLog();
    await add(numbersTo(40));
    await add([50, 51, 52], { webhookId: 'v' });
    await add(
      numbersTo(70).map((at) => at + 100),
      { webhookId: null },
    );
    expect(await joined([HOOK, 'v', null], { ...newest, perPage: 80 })).toMatchObject({ total: 113, isWhole: true });
    const [hook, people] = [`C#${HOME}#W#${HOOK}`, `C#${HOME}#PEOPLE`];
    expect(reads.slice(3).map(({ pk, consistent }) => [pk, consistent])).toEqual([
      [people, false],
      [people, false],
      [people, false],
      [hook, false],
    ]);
  });

  test('a list reads 100 deliveries to several receivers at a time, five times at most', async () => {
    const { joined, add } = startLog();
    await add(numbersTo(501));
    const receivers = [HOOK, 'v', 'u'];
    expect(await joined(receivers, { ...oldest, perPage: 9 })).toMatchObject({ total: 100, isWhole: false, next: 99 });
    expect(await joined(receivers, oldest)).toMatchObject({ total: 500, isWhole: false, next: 499 });
    expect(await joined(receivers, { ...oldest, state: 'failed' })).toMatchObject({ times: [], next: 499 });
  });
});
