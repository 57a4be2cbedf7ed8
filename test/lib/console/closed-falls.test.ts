import { expect, test } from 'vitest';

// Imported through a path the compiler cannot see, because the console has separate compiler settings.
const folder = new URL('../../../lib/console/overview/', import.meta.url).pathname;
type Listed = { sensorId: string; situation: string; hitIds: number[]; createDate: number; overDate: number | null };
type Alarm = { sensorId: string; isFall: boolean; since: number };
type Read = { changes: number | undefined; at: number };
const { unreportedFalls, nextRead } = (await import(`${folder}closed-falls.ts`)) as {
  unreportedFalls: (listed: readonly Listed[], alarms: readonly Alarm[], now: number) => Listed[];
  nextRead: (changes: number, read: Read, now: number) => number | false;
};

const NOW = 1_800_000_000_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const fall = (more: Partial<Listed> = {}): Listed => ({
  sensorId: 'a',
  situation: 'fall_detected',
  hitIds: [],
  createDate: NOW - HOUR,
  overDate: NOW - MINUTE,
  ...more,
});

test('a fall without a hit in this shift counts as unreported', () => {
  const sensitive = fall({ situation: 'fall_detected_sensitive' });
  const listed = [
    fall(),
    sensitive,
    fall({ hitIds: [1] }),
    fall({ situation: 'sensor_inactive' }),
    fall({ overDate: NOW - 13 * HOUR }),
  ];
  expect(unreportedFalls(listed, [], NOW)).toEqual([fall(), sensitive]);
});

test('does not list a fall twice if rules reported it only as suspected', () => {
  const reported = (since: number, more: Partial<Alarm> = {}) => [{ sensorId: 'a', isFall: true, since, ...more }];
  const listed = [fall()];
  expect(unreportedFalls(listed, reported(NOW - HOUR - MINUTE), NOW)).toEqual([]);
  expect(unreportedFalls(listed, reported(NOW - 2 * HOUR), NOW)).toEqual(listed);
  expect(unreportedFalls(listed, reported(NOW - HOUR, { sensorId: 'b' }), NOW)).toEqual(listed);
  expect(unreportedFalls(listed, reported(NOW - HOUR, { isFall: false }), NOW)).toEqual(listed);
});

test('closed falls are reloaded after a change, at most once a minute', () => {
  expect(nextRead(1, { changes: 1, at: NOW - HOUR }, NOW)).toBe(false);
  expect(nextRead(2, { changes: 1, at: NOW - HOUR }, NOW)).toBe(1);
  expect(nextRead(2, { changes: 1, at: NOW - 20_000 }, NOW)).toBe(40_000);
  expect(nextRead(0, { changes: undefined, at: NOW }, NOW)).toBe(MINUTE);
});
