import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Cloud } from '#lib/local/cloud.ts';
import { orderDateOf } from '#shared/domain/rule/hit-position.ts';
import { hitItemAt } from '#shared/store/hits/append-hit.ts';
import { type HitItem, hitsPk, idBeforeFirst } from '#shared/store/hits/hit-item.ts';
import { lateChangeWrite, SOON_MS } from '#shared/store/hits/late-change.ts';
import { store } from '#shared/store/store.ts';
import { startTestCloud, unscheduled } from '#test/fixtures/cloud.ts';
import { some } from '#test/fixtures/store-items.ts';

const START = 1_800_000_000_000;
const CUSTOMER = 7;
const SENSORS = ['id_a', 'id_b', 'id_c'];

/** Returns a pseudo-random number generator from 0 to 1 that is the same in each run. */
const seededRandom = (seed: number) => {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
};

describe('lists of 3,000 hits with early, late and frequent changes', () => {
  let cloud: Cloud;
  let its: ReturnType<typeof store>;
  const hits: HitItem[] = [];
  const counts = new Map<string, number>();
  const random = seededRandom(27);
  const below = (limit: number) => Math.floor(random() * limit);

  /** The `n`th hit. Many follow the previous one at once, some much later. A sensor may have two series. */
  const newHit = (n: number, createDate: number, orderDate: number): ReturnType<typeof hitItemAt> => {
    const sensorId = SENSORS[below(3)] ?? '';
    const number = counts.get(sensorId) ?? 1;
    counts.set(sensorId, number + 1);
    const hitNumber = number > 400 ? { series: START + 86_400_000, number: number - 400 } : { series: START, number };
    const fields = { ruleId: 1, sensorId, sensorEventId: `event ${n}`, messages: [{ sendTryTimes: [] }], hitNumber };
    const position = { id: idBeforeFirst(CUSTOMER) + n, createDate, ...(orderDate > createDate && { orderDate }) };
    return hitItemAt(CUSTOMER, position, some(fields));
  };

  /** A realistic change: an attempt result, soon or in a replay, or feedback created or deleted. */
  const change = async ({ id, sensorId }: Pick<HitItem, 'id' | 'sensorId'>, time: number): Promise<void> => {
    const kind = below(4);
    const isDeleted = below(2) === 0;
    const feedbackId = below(1_000_000);
    const later = below(5_000);
    const feedback = some({ id: feedbackId, sensorId, ruleHitId: id, createDate: time });
    if (kind > 0)
      await its.hitReports.report({ customerId: CUSTOMER, hitId: id, at: 0, tries: [time], sent: true }, time);
    else if ((await its.feedback.create(CUSTOMER, feedback)) === 'done' && isDeleted)
      await its.feedback.remove(CUSTOMER, sensorId, feedbackId, time + later);
  };

  beforeAll(async () => {
    cloud = await startTestCloud({ clock: unscheduled });
    const { table } = cloud.runtime;
    its = store(table);
    for (const id of SENSORS) await table.write({ put: { pk: `C#${CUSTOMER}`, sk: `SENSOR#${id}`, id } });
    let time = START;
    let latest = START;
    const all = Array.from({ length: 3_000 }, (_, n) => {
      time += below(3) === 0 ? below(90_000) : below(400);
      // For three hits, the clock is up to 6 h ahead.
      const createDate = n % 900 === 500 ? time + below(21_600_000) : time;
      latest = Math.max(latest, createDate);
      return newHit(n + 1, createDate, latest);
    });
    const lateOnes = all.filter(({ isLate }) => isLate);
    for (const hit of lateOnes) await table.write(lateChangeWrite(CUSTOMER, some(hit), hit.createDate));
    for (let at = 0; at < all.length; at += 100) await table.write(...all.slice(at, at + 100).map((put) => ({ put })));
    const changes = all.flatMap((hit, at) => [
      ...(below(3) > 0 ? [{ hit, time: hit.createDate + below(SOON_MS) }] : []),
      ...(below(6) === 0 ? [{ hit: all[below(at)] ?? hit, time: hit.createDate + below(SOON_MS) }] : []),
    ]);
    for (let at = 0; at < changes.length; at += 20)
      await Promise.all(changes.slice(at, at + 20).map(({ hit, time }) => change(hit, time)));
    hits.push(...(await table.queryAll<HitItem>({ pk: hitsPk(CUSTOMER), beginsWith: 'HIT#' })));
  });
  afterAll(() => cloud.stop());

  /** All hit ids in the given order. */
  const sortedIds = (sensorId: string, sortBy: string): number[] => {
    const field = sortBy.includes('updateDate') ? 'updateDate' : 'id';
    const sign = sortBy.startsWith('desc') ? -1 : 1;
    const listed = hits.filter((hit) => sensorId === '' || hit.sensorId === sensorId);
    return listed.toSorted((a, b) => sign * (a[field] - b[field]) || a.id - b.id).map(({ id }) => id);
  };
  const page = (sensorId: string, since: number, query: Parameters<typeof its.hitLists.page>[2]) =>
    sensorId === ''
      ? its.hitLists.page(CUSTOMER, since, query)
      : its.hitLists.pageOfSensor(CUSTOMER, sensorId, since, query);
  const orders = ['asc(updateDate)', 'desc(updateDate)', 'asc(id)', 'desc(id)'];

  test.each(orders)('hit pages match a full sort for any page and total, sorted by %s', async (sortBy) => {
    for (let n = 0; n < 40; n++) {
      const sensorId = ['', ...SENSORS][below(4)] ?? '';
      const ids = sortedIds(sensorId, sortBy);
      const perPage = 1 + below(60);
      const number = below(Math.ceil(ids.length / perPage) + 1);
      const found = await page(sensorId, 0, { page: number, perPage, sortBy });
      expect(found.total).toBe(ids.length);
      expect(found.hits.map(({ id }) => id)).toEqual(ids.slice(number * perPage, (number + 1) * perPage));
    }
  });

  test.each(orders)('hit pages return the hits that follow a given hit, sorted by %s', async (sortBy) => {
    for (let n = 0; n < 15; n++) {
      const sensorId = ['', ...SENSORS][below(4)] ?? '';
      const ids = sortedIds(sensorId, sortBy);
      const at = below(ids.length);
      const found = await page(sensorId, 0, { page: 1, perPage: 7, sortBy, after: ids[at] });
      expect(found.total).toBe(ids.length - at - 1);
      expect(found.hits.map(({ id }) => id)).toEqual(ids.slice(at + 8, at + 15));
    }
  });

  test('hit pages omit old hits, even if they changed late', async () => {
    const since = hits[1_000]?.createDate ?? 0;
    for (const sensorId of ['', ...SENSORS])
      for (const sortBy of orders) {
        const recent = new Set(hits.filter((hit) => orderDateOf(hit) >= since).map(({ id }) => id));
        const ids = sortedIds(sensorId, sortBy).filter((id) => recent.has(id));
        const found = await page(sensorId, since, { page: 2, perPage: 50, sortBy });
        expect([sensorId, sortBy, found.total]).toEqual([sensorId, sortBy, ids.length]);
        expect(found.hits.map(({ id }) => id)).toEqual(ids.slice(100, 150));
      }
  });

  test('hit pages contain a result only once, even if reported twice', async () => {
    const { id: hitId } = hits[5] as HitItem;
    const time = START + 10 ** 9;
    const report = { customerId: CUSTOMER, hitId, at: 0, tries: [11, 12], sent: true };
    await its.hitReports.report({ ...report, tries: [11] }, time);
    await its.hitReports.report(report, time + 1);
    await its.hitReports.report(report, time + 2);
    const { messages, updateDate } = (await its.ruleHits.get(CUSTOMER, hitId)) as HitItem;
    expect([messages[0]?.sendTryTimes.slice(-2), updateDate]).toEqual([[11, 12], time + 1]);
    const newest = await its.hitLists.page(CUSTOMER, 0, { page: 0, perPage: 1, sortBy: 'desc(updateDate)' });
    expect(newest.hits.map(({ id }) => id)).toEqual([hitId]);
  });
});
