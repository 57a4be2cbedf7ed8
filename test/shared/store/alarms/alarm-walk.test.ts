import { describe, expect, test } from 'vitest';
import {
  type AlarmSpan,
  type AlarmWalk,
  type Candidate,
  MAX_APART_MS,
  walkAlarms,
} from '#shared/store/alarms/alarm-walk.ts';
import { alarmItems, idOf } from '#test/fixtures/alarm-items.ts';
import { HOME, SENSOR } from '#test/fixtures/answered-hits.ts';
import { now, uuid } from '#test/fixtures/store-items.ts';

const OTHER = 'id_b';
const to = now + 1_000_000;
const span: AlarmSpan = { customerId: HOME, from: 0, to, sensorId: '', isWanted: () => true };
const only = (sensorId: string): AlarmSpan => ({ ...span, isWanted: (id) => id === sensorId });
const none: AlarmSpan = { ...span, isWanted: () => false };
const fill = <T>(count: number, fields: (number: number) => T) =>
  Array.from({ length: count }, (_, at) => fields(at + 1));

const numberOf = ({ uuid: text }: Candidate) => Number(text.slice(-12));
/** Returns all remaining candidates. */
const readAll = async ({ next }: AlarmWalk): Promise<Candidate[]> => {
  const found: Candidate[] = [];
  for (let candidate = await next(); candidate; candidate = await next()) found.push(candidate);
  return found;
};

describe('the order of alarms', () => {
  const start = async () => {
    const { table, putHits, putUnruled } = alarmItems();
    await putHits([0, 2, 4].map((after) => ({ createDate: now + after })));
    await putUnruled([4, 5, 6].map((number) => ({ number, at: now + number - 2 })));
    return table;
  };

  test('alarms appear newest first, and an alarm without a rule after a simultaneous hit', async () => {
    const walk = await walkAlarms(await start(), span, null);
    expect((await readAll(walk)).map(numberOf)).toEqual([3, 6, 5, 2, 4, 1]);
    expect(walk.rest()).toBeNull();
  });

  test('a walk resumed from any candidate returns exactly the ones that follow', async () => {
    const table = await start();
    const all = await readAll(await walkAlarms(table, span, null));
    const numbers = all.map(numberOf);
    for (const [at, { cursor }] of all.entries()) {
      const rest = await readAll(await walkAlarms(table, span, cursor));
      expect(rest.map(numberOf)).toEqual(numbers.slice(at + 1));
    }
    expect(all.map(({ cursor }) => cursor)).toEqual([
      { hitId: idOf(2), date: now + 4, uuid: '' },
      { hitId: idOf(2), date: now + 4, uuid: uuid(6) },
      { hitId: idOf(2), date: now + 3, uuid: uuid(5) },
      { hitId: idOf(1), date: now + 2, uuid: '' },
      { hitId: idOf(1), date: now + 2, uuid: uuid(4) },
      { hitId: 0, date: now, uuid: '' },
    ]);
  });

  test('erased hits and hits that are not urgent are left out', async () => {
    const { table, putHits } = alarmItems();
    await putHits([{}, { isErased: true }, { situation: 'empty_room' }, {}]);
    expect((await readAll(await walkAlarms(table, span, null))).map(numberOf)).toEqual([4, 1]);
  });

  test('newer hits may exist unless a walk begins at the newest hit', async () => {
    const { table } = alarmItems();
    const hasNewer = async (...args: [number, { hitId: number; date: number; uuid: string } | null]) =>
      (await walkAlarms(table, { ...span, to: args[0] }, args[1])).hasNewer;
    expect(await hasNewer(Number.MAX_SAFE_INTEGER, null)).toBe(false);
    expect(await hasNewer(to, null)).toBe(true);
    expect(await hasNewer(Number.MAX_SAFE_INTEGER, { hitId: 1, date: now, uuid: '' })).toBe(true);
  });
});

describe('the first hit for an event', () => {
  const own = { sensorEventId: uuid(1) };
  const hitsOf = async (hits: readonly Record<string, unknown>[], wanted = span) => {
    const { table, putHits } = alarmItems();
    await putHits(hits);
    return (await readAll(await walkAlarms(table, wanted, null))).map(({ hit }) => (hit?.id ?? 0) - idOf(0));
  };

  test('an event has one candidate, even with hits from another sensor in between', async () => {
    expect(await hitsOf([own, { sensorId: OTHER }, own, { sensorId: OTHER }, own])).toEqual([4, 2, 1]);
  });

  test.each([
    ['up to 4 hours', 0, [1]],
    ['no further than 4 hours', 1, [41, 1]],
  ])('earlier hits for an event are searched for %s back', async (_, more, expected) => {
    const far = now - MAX_APART_MS - more;
    const between = fill(39, (number) => ({ sensorId: OTHER, createDate: number === 1 ? far : now }));
    const hits = [{ ...own, createDate: far }, ...between, { ...own, createDate: now }];
    expect(await hitsOf(hits, only(SENSOR))).toEqual(expected);
  });

  test.each([
    [2_200, [1]],
    [2_201, [2_201]],
  ])('the search for earlier hits for an event covers at most 2,200 hits: %i', async (count, expected) => {
    const hits = [own, ...fill(count - 2, () => ({ sensorId: OTHER })), own];
    expect((await hitsOf(hits, only(SENSOR))).slice(0, 1)).toEqual(expected);
  });
});

describe('the read limit', () => {
  test('a walk stops after 1,240 hits, before any older alarm, and continues from there', async () => {
    const { table, putHits, putUnruled } = alarmItems();
    await putHits([{}, ...fill(1_299, () => ({ sensorId: OTHER }))]);
    await putUnruled([{ number: 2_000, at: now - 1 }]);
    const first = await walkAlarms(table, only(SENSOR), null);
    expect(await first.next()).toBeNull();
    expect(first.rest()).toEqual({ hitId: idOf(60), date: to, uuid: '' });
    const second = await walkAlarms(table, only(SENSOR), first.rest());
    expect((await readAll(second)).map(numberOf)).toEqual([1, 2_000]);
    expect(second.rest()).toBeNull();
  });

  test('a walk stopped before its first candidate keeps its place in the other list', async () => {
    const { table, putHits } = alarmItems();
    await putHits(fill(1_300, () => ({})));
    const after = { hitId: idOf(1_299), date: now + 5, uuid: uuid(7) };
    const walk = await walkAlarms(table, none, after);
    expect(await walk.next()).toBeNull();
    expect(walk.rest()).toEqual({ ...after, hitId: idOf(59) });
  });

  test('a walk stops after about 1,000 alarms without a rule, before any older hit', async () => {
    const { table, putHits, putUnruled } = alarmItems();
    await putHits([{ sensorId: OTHER }]);
    await putUnruled(fill(1_050, (number) => ({ number, at: now + number })));
    const first = await walkAlarms(table, only(OTHER), null);
    expect(await first.next()).toBeNull();
    expect(first.rest()).toEqual({ hitId: idOf(1), date: now + 12, uuid: uuid(12) });
    const second = await walkAlarms(table, only(OTHER), first.rest());
    expect((await readAll(second)).map(numberOf)).toEqual([1]);
  });

  test('a stopped walk continues at the last candidate, not at an earlier alarm without a rule', async () => {
    const { table, putHits, putUnruled } = alarmItems();
    const old = { sensorId: OTHER, createDate: now - 2 * MAX_APART_MS };
    await putHits([...fill(1_299, () => old), { createDate: now + 5 }]);
    await putUnruled([{ number: 2_000, at: now + 10 }]);
    const walk = await walkAlarms(table, only(SENSOR), null);
    expect((await readAll(walk)).map(numberOf)).toEqual([2_000, 1_300]);
    expect(walk.rest()).toEqual({ hitId: idOf(60), date: now + 5, uuid: '' });
  });
});
