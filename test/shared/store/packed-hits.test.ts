import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SOON } from '../../../shared/domain/rule-hit.ts';
import type { NewHit, StoredHit } from '../../../shared/store/hit-item.ts';
import { type Store, store } from '../../../shared/store/store.ts';
import { items } from '../../../shared/store/table.ts';
import { createLedger, startEngine } from '../../bench/meter.ts';
import { some } from '../../fixtures/store-things.ts';

const NOW = 1_800_000_000_000;
const DAY = 86_400_000;
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
  ...{ ruleId: 3, ruleSensorGroupId: 0, ruleCustomerId: 7, sensorId, situation: 'fall_detected' },
  sensorEventId: '00000000-0000-4000-8000-000000000001',
  messages: Array.from({ length: messages }, (_, at) => ({
    ...{ id: 2 ** 52 - 17 * at, accountId: 2 + (at % 2), publisher: 'webhook', wasSend: false, sendTryTimes: [] },
    extra: { display_name: `Schwesternruf Wohnbereich ${at % 2}`, is_bot: true },
  })),
  numbered: { series: NOW, number: 1 },
});
/** Appends the first hit of a customer in the form that the table has. */
const append = async (customerId: number, messages: number): Promise<number> => {
  await engine.plain.write({ put: { pk: `C#${customerId}`, sk: `SENSOR#${sensorId}`, id: sensorId } });
  return (await store(engine.plain).ruleHits.append(customerId, { id: 0, createDate: 0 }, newHit(messages), NOW)).id;
};
const stored = (customerId: number, hitId: number) => engine.plain.get<StoredHit>(items.ruleHit({ customerId, hitId }));
/** The table as a version of the code before this one left it. */
const sweptBefore = (dataVersion: object = { dataVersion: 1 }) =>
  engine.plain.write({ put: { ...items.heartbeat({}), at: NOW, since: NOW, sweep: 5, redriveAt: 0, ...dataVersion } });
const sweptNow = (now: number) => its.due.beat(now, 1e12);
const anew = () => engine.plain.write({ remove: items.heartbeat({}) });

/** All that may happen to a hit: reports soon, twice, late and to nobody, and feedback. */
const live = async (customerId: number, hitId: number): Promise<void> => {
  const report = (at: number, tries: number[], sent: boolean, time: number) =>
    its.ruleHits.report({ customerId, hitId, at, tries, sent }, time);
  await report(0, [NOW + 5], true, NOW + 100);
  await report(0, [NOW + 5], true, NOW + 200);
  await report(1, [NOW + 6], false, NOW + 300);
  await report(1, [NOW + 6, NOW + 5_000], true, NOW + SOON + 1);
  await report(9, [NOW + 7], true, NOW + 400);
  const feedback = some({ id: 5, sensorId, ruleHitId: hitId, createDate: NOW + 20_000 });
  expect(await its.feedback.create(customerId, feedback)).toBe('done');
};
/** What the calls of the store give of a hit, without whose it is. */
const seen = async (customerId: number, hitId: number) => {
  const query = { page: 0, perPage: 5, sortBy: 'desc(updateDate)' };
  const shown = [
    await its.ruleHits.get(customerId, hitId),
    ...(await its.hitLists.page(customerId, 0, query)).hits,
    ...(await its.hitLists.page(customerId, 0, { ...query, sortBy: 'asc(id)' })).hits,
    ...(await its.hitLists.pageOfSensor(customerId, sensorId, 0, query)).hits,
  ];
  return shown.map((hit) => ({
    ...hit,
    ...{ id: 0, pk: '', sk: '', listPk: '' },
    messages: hit?.messages.map((message) => ({ ...message, ruleHitId: message.ruleHitId - hitId })),
  }));
};

describe('a hit with three messages', () => {
  test('says the same as one that is stored as the version before did, whatever happens to it', async () => {
    await sweptBefore();
    const before = await append(11, 3);
    await live(11, before);
    await anew();
    const packed = await append(12, 3);
    await live(12, packed);
    expect([(await stored(11, before))?.told, typeof (await stored(12, packed))?.told]).toEqual([undefined, 'string']);
    const views = await seen(12, packed);
    expect(views).toEqual(await seen(11, before));
    expect(views).toHaveLength(4);
    expect(views[0]?.messages).toMatchObject([
      { id: 2 ** 52, accountId: 2, wasSend: true, sendTryTimes: [NOW + 5], updateDate: NOW + 100 },
      { id: 2 ** 52 - 17, accountId: 3, wasSend: true, sendTryTimes: [NOW + 6, NOW + 5_000] },
      { wasSend: false, sendTryTimes: [], updateDate: NOW, createDate: NOW, ruleHitId: 0, publisher: 'webhook' },
    ]);
  });

  test('is stored as the version before reads it until this one has swept for 14 days', async () => {
    await sweptBefore();
    await sweptNow(NOW + DAY);
    expect((await stored(13, await append(13, 3)))?.told).toBeUndefined();
    await sweptNow(NOW + 14 * DAY);
    expect((await stored(14, await append(14, 3)))?.told).toBeUndefined();
    await sweptNow(NOW + 15 * DAY);
    expect((await stored(15, await append(15, 3)))?.told).toBeTypeOf('string');
  });

  test('and for 14 days anew where the version before came back meanwhile, which notes less', async () => {
    await sweptBefore();
    await sweptNow(NOW + DAY);
    await sweptBefore({});
    await sweptNow(NOW + 16 * DAY);
    expect((await stored(16, await append(16, 3)))?.told).toBeUndefined();
    await anew();
  });
});

test('a report to a hit of 20 bots with names of 36 characters writes less than 3 units: 6 with its delivery', async () => {
  await anew();
  const { ruleHits } = store(engine.table);
  const { messages, ...hit } = newHit(20);
  const named = messages.map((one, at) => ({
    ...one,
    accountId: 1_234_500 + at,
    extra: { display_name: `Schwesternruf Wohnbereich Linden ${100 + at}`, is_bot: true },
  }));
  const { id: hitId } = await ruleHits.append(1_234, { id: 0, createDate: 0 }, { ...hit, messages: named }, NOW);
  const units = [];
  for (let at = 0; at < 20; at++) {
    ledger.clear();
    await ruleHits.report({ customerId: 1_234, hitId, at, tries: [NOW + 150 + at], sent: true }, NOW + 300 + at);
    units.push(ledger.total().write);
  }
  expect(units.reduce((sum, one) => sum + one, 0)).toBeLessThan(20 * 3);
});

test('a hit with one or two messages is stored as ever', async () => {
  await anew();
  for (const messages of [0, 1, 2]) {
    const hit = await stored(20 + messages, await append(20 + messages, messages));
    expect([hit?.told, hit?.messages.map(({ accountId }) => accountId)]).toEqual([
      undefined,
      [2, 3].slice(0, messages),
    ]);
  }
});
