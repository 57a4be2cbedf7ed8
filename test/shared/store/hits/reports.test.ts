import { expect, test } from 'vitest';
import { firstIdAt } from '#shared/domain/ids.ts';
import { items } from '#shared/store/table.ts';
import { againKey, anna, fallKey, fallOf, HOME, hitWorld, otherKey, SENSOR } from '#test/fixtures/answered-hits.ts';
import { now, some, uuid } from '#test/fixtures/store-items.ts';

const MANY = 1_000;

test('a report includes hits within the time span, except simulated and erased ones', async () => {
  const { its, put } = hitWorld();
  const event = { sensorEventId: uuid(1), situation: 'fall_detected' };
  for (let id = 1; id <= 6; id++) await put(id, { ...event, createDate: now + id });
  await put(3, { ...event, createDate: now + 3, isSimulated: true });
  await put(4, { ...event, createDate: now + 4, isErased: true });
  await put(5, { ...event, createDate: now + 5, acknowledgement: anna(now + 9), feedback: { id: 1 } });
  const hits = (from: number, before: number, limit = MANY) => its.reports.hits(HOME, from, before, limit);
  const plain = { ...event, sensorId: SENSOR, acknowledged: null, feedback: null };
  expect(await hits(now + 2, now + 6)).toEqual([
    { ...plain, createDate: now + 2 },
    { ...plain, createDate: now + 5, acknowledged: now + 9, feedback: { id: 1 } },
  ]);
  expect((await hits(0, now + 100))?.map(({ createDate }) => createDate - now)).toEqual([1, 2, 5, 6]);
  expect([await hits(now + 2, now + 6, 4), await hits(now + 2, now + 6, 3)]).toMatchObject([[{}, {}], null]);
  expect([await hits(now + 7, now + 9), await hits(0, now + 1)]).toEqual([[], []]);
});

test('a report includes many hits in order', async () => {
  const { its, put } = hitWorld();
  const ids = Array.from({ length: 2 * MANY + 1 }, (_, at) => at + 1);
  for (let at = 0; at < ids.length; at += 100)
    await Promise.all(ids.slice(at, at + 100).map((id) => put(id, { createDate: now + id })));
  const found = await its.reports.hits(HOME, 0, Number.MAX_SAFE_INTEGER, 3 * MANY);
  expect(found?.map(({ createDate }) => createDate - now)).toEqual(ids);
});

test('a report includes falls without a rule, each alarm with its own response', async () => {
  const { its } = hitWorld();
  const add = (number: number, at: number, fields: object) => {
    const event = { id: firstIdAt(at) + number, uuid: uuid(number), source: null, createDate: at, receiveDate: at };
    const kind = { type: 'fall', action: 'fall_detected', isUnruled: true };
    return its.events.add(HOME, SENSOR, [some({ ...event, ...kind, ...fields })]);
  };
  await add(1, now, { fall: fallKey });
  await add(2, now + 1, { fall: otherKey });
  await add(3, now + 2, { fall: otherKey, isUnruled: false });
  await add(4, now + 3, { type: 'vital', action: 'apnea' });
  await add(5, now + 60_000, { fall: againKey });
  await its.falls.acknowledge(fallOf(), anna(now + 9));
  await its.fallAnswers.recordAlarm(fallOf(againKey));
  const falls = (from: number, before: number, limit = MANY) => its.reports.fallsWithoutRule(HOME, from, before, limit);
  const fall = { sensorId: SENSOR, situation: 'fall_detected', feedback: null };
  expect(await falls(now, now + 60_001)).toEqual([
    { ...fall, createDate: now, sensorEventId: uuid(1), acknowledged: now + 9 },
    { ...fall, createDate: now + 1, sensorEventId: uuid(2), acknowledged: null },
    { ...fall, createDate: now + 60_000, sensorEventId: uuid(5), acknowledged: null },
  ]);
  expect((await falls(now + 1, now + 60_000))?.map(({ createDate }) => createDate - now)).toEqual([1]);
  expect([await falls(now, now + 60_001, 4), await falls(now, now + 60_001, 3)]).toMatchObject([[{}, {}, {}], null]);
});

test("a report includes a sensor's feedback since the requested time", async () => {
  const { its, table } = hitWorld();
  for (const at of [0, 1, 2]) {
    const key = { customerId: HOME, sensorId: SENSOR, feedbackId: firstIdAt(now + at) };
    await table.write({ put: { ...items.feedback(key), id: at } });
  }
  const ids = async (since: number) => (await its.reports.feedback(HOME, SENSOR, since))?.map(({ id }) => id);
  expect([await ids(now), await ids(now + 1), await ids(now + 3)]).toEqual([[0, 1, 2], [1, 2], []]);
});
