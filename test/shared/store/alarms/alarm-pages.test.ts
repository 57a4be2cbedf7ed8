import { expect, test } from 'vitest';
import { eventKeyOf } from '#shared/domain/event/fall-key.ts';
import { firstIdAt } from '#shared/domain/ids.ts';
import type { AlarmCursor } from '#shared/store/alarms/alarm-cursor.ts';
import type { AlarmFilter } from '#shared/store/alarms/alarm-lists.ts';
import { alarmItems } from '#test/fixtures/alarm-items.ts';
import { anna, HOME, SENSOR } from '#test/fixtures/answered-hits.ts';
import { now } from '#test/fixtures/store-items.ts';

const MINUTE = 60_000;
/** A home with `count` alarms without a rule, a minute apart. The newest alarm has the highest number. */
const start = async (count: number) => {
  const { its, putUnruled } = alarmItems();
  const numbers = Array.from({ length: count }, (_, at) => at + 1);
  await putUnruled(numbers.map((number) => ({ number, at: now + number * MINUTE })));
  const span = { customerId: HOME, from: 0, to: Number.MAX_SAFE_INTEGER, sensorId: '', isWanted: () => true };
  const page = async (limit: number, states: AlarmFilter['states'] = [], after: AlarmCursor | null = null) => {
    const request = { limit, after, hooks: {}, now: now + (count + 1) * MINUTE };
    const { alarms, next } = await its.alarmLists.page({ ...span, situations: [], states }, request);
    return { numbers: alarms.map(({ uuid }) => Number(uuid.slice(-12))), next };
  };
  const acknowledge = (number: number) => {
    const fall = eventKeyOf(firstIdAt(now + number * MINUTE));
    return its.falls.acknowledge({ customerId: HOME, sensorId: SENSOR, fall }, anna(now));
  };
  return { page, acknowledge };
};

test.each([
  [2, [3, 2], false],
  [3, [3, 2, 1], true],
  [4, [3, 2, 1], true],
])('a page of up to %i alarms has no next page only if it contains the last alarm', async (limit, expected, isLast) => {
  const { page } = await start(3);
  const { numbers, next } = await page(limit);
  expect([numbers, next === null]).toEqual([expected, isLast]);
});

test('a page can contain as many alarms as its limit allows', async () => {
  const { page } = await start(130);
  const { numbers, next } = await page(120);
  expect([numbers.length, numbers[0], numbers.at(-1)]).toEqual([120, 130, 11]);
  expect((await page(120, [], next)).numbers).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
});

test('a search for a rare state continues until it finds an alarm', async () => {
  const { page, acknowledge } = await start(60);
  await acknowledge(9);
  await acknowledge(8);
  const first = await page(1, ['acknowledged']);
  expect(first.numbers).toEqual([9]);
  expect(await page(1, ['acknowledged'], first.next)).toEqual({ numbers: [8], next: null });
});

test('a search for a rare state pauses after 400 alarms, and continues on the next page', async () => {
  const { page, acknowledge } = await start(420);
  await acknowledge(20);
  const first = await page(7, ['acknowledged']);
  expect(first).toMatchObject({ numbers: [], next: { date: now + 21 * MINUTE } });
  expect(await page(7, ['acknowledged'], first.next)).toEqual({ numbers: [20], next: null });
});
