import { expect, test } from 'vitest';

// Imported through paths the compiler cannot see, because the console has separate compiler settings.
const folder = new URL('../../../lib/console/', import.meta.url).pathname;
type Alarm = Record<string, unknown> & { createDate: number };
type Span = { from: number; to: number };
const { medianOf, timesTo, offlineIn, totalOf } = (await import(`${folder}alarms/figures.ts`)) as {
  medianOf: (values: readonly number[]) => number | null;
  timesTo: (
    alarms: readonly Alarm[],
    step: string,
  ) => { known: number; missing: number; median: number | null; worst: { ms: number } | null };
  offlineIn: (alarms: readonly Alarm[], span: Span, now: number) => (Span & { isOpen: boolean })[];
  totalOf: (spans: readonly Span[]) => number;
};
const { shiftAt, onRoster } = (await import(`${folder}handover/shifts.ts`)) as {
  shiftAt: (time: number) => Span & { kind: string };
  onRoster: (roster: readonly object[], timeZone: string, span: Span) => (Span & { userId: number })[];
};

const alarm = (createDate: number, more: object = {}): Alarm => ({
  createDate,
  situation: 'fall_detected',
  notifiedDate: null,
  acknowledgement: null,
  overDate: null,
  overBy: null,
  ...more,
});
/** A local time in November 2026. */
const at = (day: number, hour: number, minute = 0): number => new Date(2026, 10, day, hour, minute).getTime();

test('the median of an even number of times is halfway between the middle two', () => {
  expect([medianOf([]), medianOf([3]), medianOf([9, 1, 4]), medianOf([1, 10, 2, 4])]).toEqual([null, 3, 4, 3]);
});

test('unknown times are counted but excluded from medians', () => {
  const alarms = [
    alarm(100, { acknowledgement: { date: 140 }, overDate: 400, overBy: 'device' }),
    alarm(100, { acknowledgement: { date: 120 }, overDate: 9_000, overBy: 'time' }),
    alarm(100),
  ];
  expect(timesTo(alarms, 'notified')).toEqual({ known: 0, missing: 3, median: null, worst: null });
  expect(timesTo(alarms, 'acknowledged')).toMatchObject({ known: 2, missing: 1, median: 30, worst: { ms: 40 } });
  // No one reported an end by timeout.
  expect(timesTo(alarms, 'over')).toMatchObject({ known: 1, missing: 2, median: 300 });
});

test('only the part of an offline period within the time span counts', () => {
  const offline = (from: number, to: number | null) => alarm(from, { situation: 'sensor_inactive', overDate: to });
  const found = offlineIn(
    [offline(0, 120), offline(150, null), offline(300, 400), alarm(150)],
    { from: 100, to: 200 },
    180,
  );
  expect(found.map(({ from, to, isOpen }) => [from, to, isOpen])).toEqual([
    [150, 180, true],
    [100, 120, false],
  ]);
  expect(totalOf(found)).toBe(50);
});

test('each time belongs to one shift, which ends when the next one begins', () => {
  expect(shiftAt(at(28, 3))).toEqual({ kind: 'night', from: at(27, 21), to: at(28, 6) });
  expect(shiftAt(at(28, 6))).toEqual({ kind: 'early', from: at(28, 6), to: at(28, 14) });
  expect(shiftAt(at(28, 20, 59))).toEqual({ kind: 'late', from: at(28, 14), to: at(28, 21) });
});

test('people are on duty during weekly shifts unless an entry for the day replaces them', () => {
  const night = { from: at(27, 21), to: at(28, 6) };
  // 27 November 2026 is a Friday.
  const roster = [
    { userId: 7, days: [5], from: '22:00', to: '06:00' },
    { userId: 8, days: [1, 2, 3, 4, 5, 6, 7], from: '20:00', to: '04:00' },
    { userId: 8, date: '2026-11-27', off: true },
    { userId: 9, date: '2026-11-28', from: '05:00', to: '13:00' },
    { userId: 9, date: '2026-11-26', from: '05:00', to: '13:00' },
  ];
  expect(onRoster(roster, Intl.DateTimeFormat().resolvedOptions().timeZone, night)).toEqual([
    { userId: 7, from: at(27, 22), to: at(28, 6) },
    { userId: 9, from: at(28, 5), to: at(28, 13) },
  ]);
});

test('a user with consecutive shifts across midnight is listed as on duty once', () => {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const night = { from: at(27, 21), to: at(28, 6) };
  const roster = [
    { userId: 7, days: [1, 2, 3, 4, 5, 6, 7], from: '20:00', to: '00:00' },
    { userId: 7, days: [1, 2, 3, 4, 5, 6, 7], from: '00:00', to: '04:00' },
    { userId: 7, days: [6], from: '05:00', to: '07:00' },
  ];
  expect(onRoster(roster, zone, night)).toEqual([
    { userId: 7, from: at(27, 20), to: at(28, 4) },
    { userId: 7, from: at(28, 5), to: at(28, 7) },
  ]);
});
