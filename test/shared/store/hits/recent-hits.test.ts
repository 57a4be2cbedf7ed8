import { expect, test } from 'vitest';
import { type KnownHit, recentHits } from '#shared/store/hits/recent-hits.ts';

const hit = (id: number): KnownHit => ({ id, createDate: id, sensorEventId: `e${id}`, sensorId: 's', ruleId: 1 });
const hits = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => hit(from + at));
const at = (id: number) => ({ id, createDate: 0 });

test('hits after a known hit come from memory only if there are no gaps', () => {
  const recent = recentHits();
  expect(recent.since(1, at(0))).toBeNull();
  recent.note(1, hits(5, 7));
  expect(recent.since(1, at(4))).toEqual(hits(5, 7));
  expect(recent.since(1, at(5))).toEqual(hits(6, 7));
  expect(recent.since(1, at(7))).toEqual([]);
  expect(recent.since(1, at(3))).toBeNull();
  expect(recent.since(2, at(4))).toBeNull();
});

test('hits without a gap extend those in memory, and hits after a gap replace them', () => {
  const recent = recentHits();
  recent.note(1, hits(5, 6));
  recent.note(1, []);
  recent.note(1, hits(7, 8));
  expect(recent.since(1, at(4))).toEqual(hits(5, 8));
  recent.note(1, hits(10, 10));
  expect(recent.since(1, at(9))).toEqual(hits(10, 10));
  expect(recent.since(1, at(4))).toBeNull();
});

test('hits that overlap those in memory replace them', () => {
  const recent = recentHits();
  recent.note(1, hits(5, 8));
  recent.note(1, hits(7, 9));
  expect([recent.since(1, at(6)), recent.since(1, at(5))]).toEqual([hits(7, 9), null]);
});

test('only the newest 500 hits stay in memory', () => {
  const recent = recentHits();
  recent.note(1, hits(1, 501));
  expect(recent.since(1, at(1))).toHaveLength(500);
  expect(recent.since(1, at(0))).toBeNull();
});

test('hits stay in memory for at most 100 customers', () => {
  const recent = recentHits();
  for (let customerId = 1; customerId <= 100; customerId++) recent.note(customerId, hits(1, 1));
  expect(recent.since(1, at(0))).toEqual(hits(1, 1));
  recent.note(101, hits(1, 1));
  expect([recent.since(1, at(0)), recent.since(101, at(0))]).toEqual([null, hits(1, 1)]);
});
