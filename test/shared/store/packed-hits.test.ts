import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { NewHit, StoredHit } from '#shared/store/hits/hit-item.ts';
import { SOON_MS } from '#shared/store/hits/late-change.ts';
import { type Store, store } from '#shared/store/store.ts';
import { items } from '#shared/store/table.ts';
import { createLedger, startEngine } from '#test/bench/meter.ts';
import { some } from '#test/fixtures/store-items.ts';

const NOW = 1_800_000_000_000;
const sensorId = 'id_QUE6QkI6Q0M6REQ6RUU6RkY';
const ledger = createLedger();
let engine: Awaited<ReturnType<typeof startEngine>>;
let its: Store;
beforeAll(async () => {
  engine = await startEngine(ledger);
  its = store(engine.plain);
});
afterAll(() => engine.stop());

const newHit = (messages: number): NewHit => ({
  ruleId: 3,
  ruleSensorGroupId: 0,
  ruleCustomerId: 7,
  sensorId,
  situation: 'fall_detected',
  sensorEventId: '00000000-0000-4000-8000-000000000001',
  messages: Array.from({ length: messages }, (_, at) => ({
    id: 2 ** 52 - 17 * at,
    accountId: 2 + (at % 2),
    publisher: 'webhook',
    wasSend: false,
    sendTryTimes: [],
    extra: { display_name: `Schwesternruf Wohnbereich ${at % 2}`, is_bot: true },
  })),
  hitNumber: { series: NOW, number: 1 },
});
/** Appends a customer's first hit. */
const append = async (customerId: number, messages: number): Promise<number> => {
  await engine.plain.write({ put: { pk: `C#${customerId}`, sk: `SENSOR#${sensorId}`, id: sensorId } });
  return (await store(engine.plain).ruleHits.append(customerId, { id: 0, createDate: 0 }, newHit(messages), NOW)).id;
};
const stored = (customerId: number, hitId: number) => engine.plain.get<StoredHit>(items.ruleHit({ customerId, hitId }));

/** Changes a hit in every way: early, repeated and late reports, a report for a missing message, and feedback. */
const changeHit = async (customerId: number, hitId: number): Promise<void> => {
  const report = (at: number, tries: number[], sent: boolean, time: number) =>
    its.hitReports.report({ customerId, hitId, at, tries, sent }, time);
  await report(0, [NOW + 5], true, NOW + 100);
  await report(0, [NOW + 5], true, NOW + 200);
  await report(1, [NOW + 6], false, NOW + 300);
  await report(1, [NOW + 6, NOW + 5_000], true, NOW + SOON_MS + 1);
  await report(9, [NOW + 7], true, NOW + 400);
  const feedback = some({ id: 5, sensorId, ruleHitId: hitId, createDate: NOW + 20_000 });
  expect(await its.feedback.create(customerId, feedback)).toBe('done');
};
/** A hit as returned by each store call, without ids. */
const viewsOf = async (customerId: number, hitId: number) => {
  const query = { page: 0, perPage: 5, sortBy: 'desc(updateDate)' };
  const views = [
    await its.ruleHits.get(customerId, hitId),
    ...(await its.hitLists.page(customerId, 0, query)).hits,
    ...(await its.hitLists.page(customerId, 0, { ...query, sortBy: 'asc(id)' })).hits,
    ...(await its.hitLists.pageOfSensor(customerId, sensorId, 0, query)).hits,
  ];
  return views.map((hit) => ({
    ...hit,
    id: 0,
    pk: '',
    sk: '',
    listPk: '',
    messages: hit?.messages.map((message) => ({ ...message, ruleHitId: message.ruleHitId - hitId })),
  }));
};

describe('hits with three messages', () => {
  test('a hit packs three messages and returns each with its reports', async () => {
    const hitId = await append(12, 3);
    await changeHit(12, hitId);
    expect((await stored(12, hitId))?.told).toBeTypeOf('string');
    const views = await viewsOf(12, hitId);
    expect(views).toHaveLength(4);
    for (const { messages } of views)
      expect(messages).toMatchObject([
        { id: 2 ** 52, accountId: 2, wasSend: true, sendTryTimes: [NOW + 5], updateDate: NOW + 100 },
        { id: 2 ** 52 - 17, accountId: 3, wasSend: true, sendTryTimes: [NOW + 6, NOW + 5_000] },
        { wasSend: false, sendTryTimes: [], updateDate: NOW, createDate: NOW, ruleHitId: 0, publisher: 'webhook' },
      ]);
  });

  test('a hit returns the same data whether or not its messages are packed', async () => {
    const two = await append(13, 2);
    const three = await append(14, 3);
    const messagesOf = async (customerId: number, hitId: number) =>
      (await its.ruleHits.get(customerId, hitId))?.messages;
    const [plain = [], packed = []] = [await messagesOf(13, two), await messagesOf(14, three)];
    const firstTwo = (messages: typeof plain) => messages.slice(0, 2).map((message) => ({ ...message, ruleHitId: 0 }));
    expect(firstTwo(packed)).toEqual(firstTwo(plain));
  });
});

test('a report on a hit with 20 long bot names uses fewer than 3 write units', async () => {
  const { hitReports, ruleHits } = store(engine.table);
  const { messages, ...hit } = newHit(20);
  const named = messages.map((message, at) => ({
    ...message,
    accountId: 1_234_500 + at,
    extra: { display_name: `Schwesternruf Wohnbereich Linden ${100 + at}`, is_bot: true },
  }));
  const { id: hitId } = await ruleHits.append(1_234, { id: 0, createDate: 0 }, { ...hit, messages: named }, NOW);
  const units = [];
  for (let at = 0; at < 20; at++) {
    ledger.clear();
    await hitReports.report({ customerId: 1_234, hitId, at, tries: [NOW + 150 + at], sent: true }, NOW + 300 + at);
    units.push(ledger.total().write);
  }
  expect(units.reduce((sum, unit) => sum + unit, 0)).toBeLessThan(20 * 3);
});

test('a hit with fewer than three messages does not pack them', async () => {
  for (const messages of [0, 1, 2]) {
    const hit = await stored(20 + messages, await append(20 + messages, messages));
    expect([hit?.told, hit?.messages.map(({ accountId }) => accountId)]).toEqual([
      undefined,
      [2, 3].slice(0, messages),
    ]);
  }
});
