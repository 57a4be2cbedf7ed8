import { describe, expect, test } from 'vitest';
import { createArrivals } from '#lib/simulate/arrivals.ts';
import { HOUR, type Occurrence } from '#lib/simulate/day.ts';
import { createExpectation } from '#lib/simulate/expect.ts';
import type { Hook } from '#lib/simulate/home.ts';
import { localTime, nextMidnight } from '#lib/simulate/local-time.ts';
import { asleep, roomStateAfter } from '#lib/simulate/makers.ts';

describe('the expectation', () => {
  const midnight = nextMidnight(Date.UTC(2026, 2, 2));
  /** Returns the counts expected for one sensor's moments, which are given in minutes after midnight. */
  const expected = (sensor: number, ...moments: [minutes: number, what: Occurrence][]) => {
    const { accounts, observe } = createExpectation(midnight);
    let where = asleep;
    for (const [minutes, what] of moments) {
      where = roomStateAfter(where, { what });
      observe({ sensor, what, at: minutes * 60_000, where });
    }
    return accounts;
  };
  const initial = ['sensor/active', 'presence/occupied_room', 'bed/entered'].map((kind) => [kind, 1]);
  const events = (sensor: number, ...moments: [number, Occurrence][]) => {
    const counted = expected(sensor, [0, 'begin'], ...moments).events;
    const named = new Map([...counted].map(([key, times]) => [key.replace(`${sensor} `, ''), times]));
    for (const [kind] of initial) {
      const rest = (named.get(String(kind)) ?? 0) - 1;
      if (rest > 0) named.set(String(kind), rest);
      else named.delete(String(kind));
    }
    return Object.fromEntries(named);
  };

  test.each([0, 1])('starts with someone in bed for sensor %i, and then counts only changes', (sensor) => {
    expect(Object.fromEntries(expected(sensor, [0, 'begin'], [1, 'report']).events)).toEqual(
      Object.fromEntries(initial.map(([kind, times]) => [`${sensor} ${kind}`, times])),
    );
  });
  test.each([0, 1])('counts events for a walk, a visit and a meal for sensor %i', (sensor) => {
    expect(events(sensor, [90, 'leave_bed'], [100, 'enter_bed'])).toEqual({ 'bed/left': 1, 'bed/entered': 1 });
    const visit = events(sensor, [400, 'leave_bed'], [800, 'visitor_enters'], [810, 'report'], [860, 'visitor_leaves']);
    expect(visit).toEqual({ 'bed/left': 1, 'door/entered': 2, 'door/left': 2 });
    expect(events(sensor, [400, 'leave_bed'], [480, 'leave_room'], [510, 'enter_room'])).toEqual({
      'bed/left': 1,
      'presence/empty_room': 1,
      'presence/occupied_room': 1,
    });
  });
  test('counts an early second bed exit for maker B but not for maker A', () => {
    const walks: [number, Occurrence][] = [
      [90, 'leave_bed'],
      [100, 'enter_bed'],
      [103, 'leave_bed'],
      [107, 'enter_bed'],
    ];
    expect(events(0, ...walks)['bed/left']).toBe(1);
    expect(events(1, ...walks)['bed/left']).toBe(2);
  });
  test('counts fall events for each maker, including falls advanced only by timers', () => {
    const whole = { 'fall/fall_suspected': 1, 'fall/fall_detected': 1, 'fall/finished': 1 };
    expect(events(0, [600, 'fall'])).toEqual({ ...whole, 'fall/confirmed': 1 });
    expect(events(1, [600, 'fall'])).toEqual(whole);
    expect(events(0, [600, 'cut_fall'], [601, 'silent'])).toEqual({
      ...whole,
      'fall/confirmed': 1,
      'sensor/inactive': 1,
    });
    expect(events(1, [600, 'near_fall'])).toEqual({ 'fall/fall_suspected': 1, 'fall/canceled': 1 });
  });
  test('counts a raw message only once for several events', () => {
    const bytes = (sensor: number, ...moments: [number, Occurrence][]) =>
      expected(sensor, [0, 'begin'], [1, 'report'], ...moments).deliveries.get('bytes');
    expect([bytes(0), bytes(1)]).toEqual([1, 2]);
    const cut: [number, Occurrence][] = [
      [600, 'cut_fall'],
      [601, 'silent'],
    ];
    expect([bytes(0, ...cut), bytes(1, ...cut)]).toEqual([1 + 1, 2 + 2]);
    expect([bytes(0, [601, 'silent'], [640, 'back']), bytes(1, [601, 'silent'], [640, 'back'])]).toEqual([2, 3]);
  });
  test('counts the changes during an outage once the sensor is back', () => {
    const gone = events(0, [1000, 'silent'], [1030, 'leave_room'], [1040, 'back']);
    expect(gone).toMatchObject({ 'sensor/inactive': 1, 'sensor/active': 1, 'presence/empty_room': 1 });
  });
  test('counts a second vital-signs alarm only after a normal reading', () => {
    const nights: [number, Occurrence][] = [
      [240, 'bad_night'],
      [241, 'bad_night'],
    ];
    expect(events(1, ...nights)['vital/heart_rate_high']).toBe(1);
    expect(events(1, ...nights, [250, 'report'], [260, 'bad_night'])['vital/heart_rate_high']).toBe(2);
    expect(events(0, ...nights)).toEqual({});
  });
  test('counts rule hits within their scope, hours and rate limits', () => {
    const hits = (sensor: number, ...moments: [number, Occurrence][]) =>
      Object.fromEntries([...expected(sensor, ...moments).hits].map(([key, times]) => [key.split(',')[0], times]));
    expect(hits(0, [359, 'begin'], [359.5, 'leave_bed'])).toMatchObject({ '0 bed_left': 1 });
    expect(hits(0, [359, 'begin'], [360, 'leave_bed'])).not.toHaveProperty('0 bed_left');
    expect(hits(2, [359, 'begin'], [359.5, 'leave_bed'])).not.toHaveProperty('2 bed_left');
    const visit: [number, Occurrence][] = [
      [840, 'begin'],
      [841, 'visitor_enters'],
      [890, 'visitor_leaves'],
    ];
    expect(hits(7, ...visit)).toEqual({ '7 door_entered': 1 });
    expect(hits(7, ...visit, [960, 'visitor_enters'])).toEqual({ '7 door_entered': 2 });
    expect(hits(7, [600, 'begin'], [601, 'fall'], [606, 'fall'])).toEqual({ '7 fall_detected': 2 });
  });
  test("uses the home's local time, even on days with 23 and 25 hours", () => {
    for (const [month, day] of [
      [2, 29],
      [9, 25],
    ] as const)
      expect(localTime(nextMidnight(Date.UTC(2026, month, day)))).toBe('00:00');
    expect(nextMidnight(Date.UTC(2026, 2, 29)) - nextMidnight(Date.UTC(2026, 2, 28))).toBe(23 * HOUR);
  });
});

test('arrivals count repeated delivery ids and unknown tokens separately', () => {
  const arrivals = createArrivals();
  const hooks = new Map<string, Hook>([['t', { id: 'w', listener: 'nurse' }]]);
  const body = JSON.stringify({ event: { type: 'bed', action: 'left' }, sensor: { name: 'Sensor 000A' } });
  const from = (token: string) => ({ headers: { authorization: `Bearer ${token}`, 'webhook-id': '1' }, body, at: 0 });
  for (const token of ['t', 't', 'x']) arrivals.record(from(token), hooks);
  expect(Object.fromEntries(arrivals.deliveries)).toEqual({ 'nurse 10 bed/left': 1 });
  expect([arrivals.duplicates(), arrivals.strangers()]).toEqual([1, 1]);
});
