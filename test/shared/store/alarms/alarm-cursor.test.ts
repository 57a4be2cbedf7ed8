import { expect, test } from 'vitest';
import { formatCursor, isPast, parseCursor } from '#shared/store/alarms/alarm-cursor.ts';
import { uuid } from '#test/fixtures/store-items.ts';

test.each([uuid(7), ''])('a cursor stays the same when formatted and parsed, with the uuid "%s"', (id) => {
  const cursor = { hitId: 12, date: 1_800_000_000_000, uuid: id };
  expect(parseCursor(formatCursor(cursor))).toEqual(cursor);
});

test('the largest safe numbers fit in a cursor', () => {
  const cursor = { hitId: Number.MAX_SAFE_INTEGER, date: Number.MAX_SAFE_INTEGER, uuid: uuid(1) };
  expect(parseCursor(formatCursor(cursor))).toEqual(cursor);
});

test.each([
  '',
  '12',
  '12.',
  '12.34',
  '.34.',
  '12..',
  'x12.34.',
  '12.34.x',
  ' 12.34.',
  '-1.34.',
  '1.5.34.',
  `12.34.${uuid(1).slice(1)}`,
  `12.34.${uuid(1)}0`,
  '12345678901234567.34.',
  '12.12345678901234567.',
])('"%s" does not parse as a cursor', (text) => {
  expect(parseCursor(text)).toBeNull();
});

test.each([
  ['later', 'any', { date: 11, uuid: uuid(1) }, true],
  ['at the same time', 'the same', { date: 10, uuid: uuid(5) }, true],
  ['at the same time', 'a higher', { date: 10, uuid: uuid(6) }, true],
  ['at the same time', 'a lower', { date: 10, uuid: uuid(4) }, false],
  ['earlier', 'a higher', { date: 9, uuid: uuid(6) }, false],
])('the date and then the uuid determine whether an alarm was read: %s, %s uuid', (_, __, alarm, expected) => {
  expect(isPast({ hitId: 0, date: 10, uuid: uuid(5) }, alarm)).toBe(expected);
});

test('an alarm received at the exact time of a cursor without a uuid is unread', () => {
  const cursor = { hitId: 0, date: 10, uuid: '' };
  expect([9, 10, 11].map((date) => isPast(cursor, { date, uuid: uuid(5) }))).toEqual([false, false, true]);
});
