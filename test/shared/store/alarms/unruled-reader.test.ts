import { expect, test } from 'vitest';
import { firstIdAt } from '#shared/domain/ids.ts';
import { kinds } from '#shared/domain/kinds.ts';
import { urgentSituations } from '#shared/domain/rule/alarm.ts';
import { readUnruled, unruledAlarm } from '#shared/store/alarms/unruled-reader.ts';
import { items } from '#shared/store/table.ts';
import { alarmItems } from '#test/fixtures/alarm-items.ts';
import { HOME, SENSOR } from '#test/fixtures/answered-hits.ts';
import { now, uuid } from '#test/fixtures/store-items.ts';

const eventId = firstIdAt(now);
const key = items.event({ customerId: HOME, sensorId: SENSOR, eventId, uuid: uuid(1) });

test.each(urgentSituations)('a list row contains an alarm with the situation %s', (situation) => {
  const { action } = kinds[situation];
  const alarm = { date: now, uuid: uuid(1), eventId, sensorId: SENSOR, situation };
  expect(unruledAlarm({ ...key, listSk: `${now}#${action}#abc-7` })).toEqual([{ ...alarm, fall: 'abc-7' }]);
  expect(unruledAlarm({ ...key, listSk: `${now}#${action}#` })).toEqual([{ ...alarm, fall: null }]);
});

test('a list row without an urgent action or an event contains no alarm', () => {
  expect(unruledAlarm({ ...key, listSk: `${now}#calling#abc` })).toEqual([]);
  expect(unruledAlarm({ ...key, listSk: String(now) })).toEqual([]);
  const { pk } = key;
  expect(unruledAlarm({ pk, sk: `MESSAGE#${uuid(1)}`, listSk: `${now}#apnea#` })).toEqual([]);
});

/** Reads all alarms in a span. Returns their numbers, and how many were known after each chunk. */
const readAll = async (table: ReturnType<typeof alarmItems>['table'], from: number, to: number) => {
  const reader = readUnruled(table, { customerId: HOME, from, to });
  const sizes: number[] = [];
  while (!reader.isEnd) {
    await reader.more();
    sizes.push(reader.alarms.length);
  }
  return { numbers: reader.alarms.map((alarm) => Number(alarm.uuid.slice(-12))), sizes };
};

test('alarms received exactly at either end of a span belong to it', async () => {
  const { table, putUnruled } = alarmItems();
  await putUnruled([-1, 0, 5, 10, 11].map((after, at) => ({ number: at + 1, at: now + after })));
  expect((await readAll(table, now, now + 10)).numbers).toEqual([4, 3, 2]);
  expect((await readAll(table, 0, Number.MAX_SAFE_INTEGER)).numbers).toEqual([5, 4, 3, 2, 1]);
  expect((await readAll(table, now + 12, Number.MAX_SAFE_INTEGER)).numbers).toEqual([]);
});

test('alarms received at the same time are ordered by uuid, even across chunks', async () => {
  const { table, putUnruled } = alarmItems();
  const numbers = Array.from({ length: 50 }, (_, at) => at + 1);
  // The rows are stored by action, so the uuids are in a different order.
  const action = (number: number) => (number % 2 ? 'apnea' : 'vital_signs_weak');
  await putUnruled(
    numbers.map((number) => ({ number, at: number <= 45 ? now : now + number, action: action(number) })),
  );
  const read = await readAll(table, 0, Number.MAX_SAFE_INTEGER);
  expect(read.numbers).toEqual(numbers.toReversed());
  expect(read.sizes).toEqual([5, 50]);
});
