import { describe, expect, test } from 'vitest';
import { firstIdAt } from '#shared/domain/ids.ts';
import { UNCLEAR_MS } from '#shared/domain/sensor/sensor-state.ts';
import { eventOfAlarm, eventsOfAlarm } from '#shared/store/alarms/alarm-events.ts';
import type { Candidate } from '#shared/store/alarms/alarm-walk.ts';
import { alarmItems } from '#test/fixtures/alarm-items.ts';
import { HOME, SENSOR } from '#test/fixtures/answered-hits.ts';
import { now, uuid } from '#test/fixtures/store-items.ts';

const MINUTE = 60_000;
const fallKey = (start: number, track?: number) => start.toString(36) + (track === undefined ? '' : `-${track}`);
const detected = { type: 'fall', action: 'fall_detected' };
const finished = { type: 'fall', action: 'finished' };
const active = { type: 'sensor', action: 'active' };
const inactive = { type: 'sensor', action: 'inactive' };
type StoredEvent = { number: number; at: number } & Record<string, unknown>;

/** Reads the events for an alarm, and returns their numbers and how the alarm ended. */
const read = async (
  events: readonly StoredEvent[],
  alarm: Partial<Candidate>,
  closing: { now?: number; closedAt?: number | null } = {},
) => {
  const { table, putEvents, count } = alarmItems();
  await putEvents(events);
  const base = { date: now, uuid: uuid(1), sensorId: SENSOR, hit: null, eventId: null } as const;
  const cursor = { hitId: 0, date: now, uuid: '' };
  const candidate: Candidate = { ...base, situation: 'fall_detected', fall: null, cursor, ...alarm };
  let found: Awaited<ReturnType<typeof eventsOfAlarm>> = { urgent: [], end: null };
  const queries = await count('QueryCommand', async () => {
    found = await eventsOfAlarm(table, HOME, candidate, { now: now + UNCLEAR_MS, closedAt: null, ...closing });
  });
  return { urgent: found.urgent.map((event) => Number(event.uuid.slice(-12))), end: found.end, queries };
};

describe('the events in a fall', () => {
  const fall = fallKey(now);
  const many = (count: number): StoredEvent[] =>
    Array.from({ length: count }, (_, at) => ({ number: at + 1, at: now + at, fall, ...detected }));

  test('urgent events are ordered by receipt, then by id, and each appears once', async () => {
    const events = [
      { number: 1, at: now, receiveDate: now + 9, fall, ...detected },
      { number: 2, at: now + 1, receiveDate: now + 5, fall, ...detected },
      { number: 3, at: now + 2, receiveDate: now + 5, fall, ...detected },
      { number: 4, at: now + 3, receiveDate: now + 1, fall, ...detected },
    ];
    expect((await read(events, { fall })).urgent).toEqual([4, 2, 3, 1]);
  });

  test('only urgent events in the same fall belong to an alarm', async () => {
    const events = [
      { number: 1, at: now, fall, ...detected },
      { number: 2, at: now + 1, fall, type: 'fall', action: 'calling' },
      { number: 3, at: now + 2, fall: fallKey(now + 2), ...detected },
      { number: 4, at: now + 3, ...detected },
      { number: 5, at: now + 4, fall, type: 'fall', action: 'fall_detected_sensitive' },
    ];
    expect(await read(events, { fall })).toMatchObject({ urgent: [1, 5], end: null });
  });

  test.each([
    [7, 1],
    [8, 2],
    [63, 2],
    [64, 3],
    [255, 3],
  ])('a search finds an end after %i events in %i reads', async (before, queries) => {
    const end = { number: 900, at: now + before, fall, ...finished };
    const after = { number: 901, at: now + before + 1, ...finished };
    const found = await read([...many(before), end, after], { fall });
    expect(found).toMatchObject({ end: { date: now + before, by: 'device' }, queries });
    expect(found.urgent).toHaveLength(before);
  });

  test('a search does not read more than 256 events', async () => {
    const end = { number: 900, at: now + 256, fall, ...finished };
    const found = await read([...many(256), end], { fall });
    expect(found).toMatchObject({ end: null, queries: 3 });
    expect(found.urgent).toHaveLength(256);
  });

  test.each([
    ['a minute before the alarm, if the fall starts soon before it', 9_999, MINUTE],
    ['a minute before the alarm, if the fall starts after it', -5_000, MINUTE],
    ['with the fall, if it starts 10 s before the alarm', 10_000, 10_000],
    ['with the fall, if it starts long before the alarm', 30 * MINUTE, 30 * MINUTE],
  ])('a search begins %s', async (_, before, margin) => {
    const started = fallKey(now - before);
    const events = [
      { number: 1, at: now - margin - 1, fall: started, ...detected },
      { number: 2, at: now - margin, fall: started, ...detected },
      { number: 3, at: now, fall: started, ...detected },
    ];
    expect((await read(events, { fall: started })).urgent).toEqual([2, 3]);
  });

  test.each([
    ['just under 6 minutes', -1, 'device'],
    ['6 minutes', 0, 'closure'],
  ])(
    'an end received before the closure counts if the device clock is less than 6 minutes ahead: %s',
    async (_, more, by) => {
      const closedAt = now + 20 * MINUTE;
      const events = [
        { number: 1, at: now, fall, ...detected },
        { number: 2, at: closedAt + 6 * MINUTE + more, receiveDate: closedAt - 5, fall, ...finished },
      ];
      const date = by === 'device' ? closedAt - 5 : closedAt;
      expect((await read(events, { fall }, { closedAt })).end).toEqual({ date, by });
    },
  );

  test('a fall that timed out keeps that end when people close it later', async () => {
    const events = [{ number: 1, at: now + 5, fall, source: null, ...finished }];
    const end = { date: now + 5 + UNCLEAR_MS, by: 'time' };
    for (const closedAt of [null, end.date + 1])
      expect((await read(events, { fall }, { closedAt, now: end.date + 2 })).end).toEqual(end);
    expect((await read(events, { fall }, { closedAt: end.date - 1, now: end.date + 2 })).end).toEqual({
      date: end.date - 1,
      by: 'closure',
    });
  });

  test('an end at the time of the closure counts as a closure', async () => {
    const events = [{ number: 2, at: now + 5, fall, ...finished }];
    expect((await read(events, { fall }, { closedAt: now + 5 })).end).toEqual({ date: now + 5, by: 'closure' });
    expect((await read(events, { fall }, { closedAt: now + 6 })).end).toEqual({ date: now + 5, by: 'device' });
  });

  test('an end received before the alarm has the date of the alarm', async () => {
    const events = [{ number: 2, at: now - 5, fall, ...finished }];
    expect((await read(events, { fall })).end).toEqual({ date: now, by: 'device' });
  });

  test.each([
    ['an earlier alarm on the track', fallKey(now - 1, 7), fallKey(now, 7), false],
    ['a later alarm on the track', fallKey(now + 1, 7), fallKey(now, 7), true],
    ['a later alarm on another track', fallKey(now + 1, 8), fallKey(now, 7), false],
    ['a later fall, if neither has a track', fallKey(now + 1), fallKey(now), false],
    ['an event from before falls had keys', undefined, fallKey(now, 7), false],
  ])('the end of %s may end an alarm', async (_, ended, own, expected) => {
    const { end } = await read([{ number: 2, at: now + 5, fall: ended, ...finished }], { fall: own });
    expect(end).toEqual(expected ? { date: now + 5, by: 'device' } : null);
  });
});

describe('the events for an offline sensor', () => {
  const alarm = { situation: 'sensor_inactive' } as const;
  const end = (date: number) => ({ date, by: 'device' });

  test('an offline alarm ends the first time the sensor is back online', async () => {
    const events = [
      { number: 1, at: now, ...inactive },
      { number: 2, at: now + 1, type: 'presence', action: 'active' },
      { number: 3, at: now + 30_000, ...active },
      { number: 4, at: now + 40_000, ...active },
    ];
    expect(await read(events, alarm)).toMatchObject({ urgent: [1], end: end(now + 30_000) });
  });

  test('a sensor that was online until just before the alarm still counts as offline', async () => {
    const events = [
      { number: 2, at: now - 1, ...active },
      { number: 1, at: now, ...inactive },
    ];
    expect(await read(events, alarm)).toMatchObject({ urgent: [1], end: null });
  });

  test('a sensor that is back online before its hit is written ends the alarm at once', async () => {
    const events = [
      { number: 1, at: now - 2_000, ...inactive },
      { number: 2, at: now - 1_000, ...active },
    ];
    expect(await read(events, alarm)).toMatchObject({ urgent: [1], end: end(now) });
  });

  test('a sensor that is back online in the same millisecond ends the alarm', async () => {
    const events = [
      { number: 1, at: now, ...inactive },
      { number: 2, at: now, ...active },
    ];
    expect(await read(events, alarm)).toMatchObject({ urgent: [1], end: end(now) });
  });

  test('an alarm whose event is not found ends if the sensor is back online at or after the alarm date', async () => {
    const events = [{ number: 2, at: now - 1, ...active }];
    expect(await read(events, alarm)).toMatchObject({ urgent: [], end: null });
    const later = [...events, { number: 3, at: now, ...active }];
    expect(await read(later, alarm)).toMatchObject({ urgent: [], end: end(now) });
  });
});

test('an alarm about vital signs has no events and no end', async () => {
  const events = [
    { number: 1, at: now, type: 'vital', action: 'apnea' },
    { number: 2, at: now + 1, ...active },
  ];
  expect(await read(events, { situation: 'apnea' })).toEqual({ urgent: [], end: null, queries: 0 });
});

test('the event for an alarm is found by id, or else by its message', async () => {
  const { table, its, putEvents } = alarmItems();
  const id = firstIdAt(now);
  await putEvents([{ number: 1, at: now, ...detected }]);
  const cursor = { hitId: 0, date: now, uuid: '' };
  const fields = { date: now, uuid: uuid(1), sensorId: SENSOR, situation: 'fall_detected', fall: null } as const;
  const find = (eventId: number | null) => eventOfAlarm(table, HOME, { ...fields, hit: null, cursor, eventId });
  expect(await find(id)).toMatchObject({ id, uuid: uuid(1) });
  expect(await find(id + 1)).toBeNull();
  expect(await find(null)).toBeNull();
  const place = { customerId: HOME, sensorId: SENSOR, uuid: uuid(1), id, receiveDate: now };
  await its.events.storeMessage({ ...place, raw: '{}', at: 0 });
  expect(await find(null)).toMatchObject({ id, uuid: uuid(1) });
});
