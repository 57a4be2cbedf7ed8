import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EventDetails } from '#shared/domain/event/event.ts';
import { fallStatuses } from '#shared/domain/event/message.ts';
import { decoders } from '#shared/domain/makers/decoders.ts';
import type { Manufacturer } from '#shared/domain/sensor/sensor.ts';
import { isEnded, newSensorState, type SensorState } from '#shared/domain/sensor/sensor-state.ts';
import { noRoomContext, whenOf } from '#shared/domain/state/room-context.ts';
import { step } from '#shared/domain/state/step.ts';
import { passTime } from '#shared/domain/state/time.ts';

// Whatever the order, repetition or loss of messages, and however much time passes between them.

type Word = { message: object } | { pass: number };
const starts = [1, 2, 3, 4];

const fall = fc.record({
  type: fc.constantFrom(5, 8),
  status: fc.constantFrom(...fallStatuses, 'fall_suspected'),
  start: fc.constantFrom(...starts),
});
const wordOfA: fc.Arbitrary<Word> = fc.oneof(
  fall.map(({ type, status, start }) => ({ message: { type, payload: { status, timestamp: start } } })),
  fc
    .record({ presenceDetected: fc.boolean(), presenceRegionMap: fc.dictionary(fc.constantFrom('0', '1'), fc.nat(1)) })
    .map((payload) => ({ message: { type: 4, payload } })),
  fc.nat(200_000).map((pass) => ({ pass })),
);
const track = fc.constantFrom(1, 2);
const wordOfB: fc.Arbitrary<Word> = fc.oneof(
  fc.record({ 'track-id': track, pose: fc.constantFrom(1, 2, 3, 5, 7, 8, 10, 11) }).map((person) => ({
    message: { cmd: 'event', type: 2, data: [person] },
  })),
  fc.record({ 'track-id': track, event: fc.constantFrom(1, 2, 3, 4), area_id: fc.nat(2) }).map((item) => ({
    message: { cmd: 'event', type: 1, data: [item] },
  })),
  fc.nat(3).map((count) => ({ message: { cmd: 'event', type: 3, data: { 'number-people': count } } })),
  fc.constantFrom(0, 1).map((status) => ({ message: { cmd: 'event', type: 5, data: { status } } })),
  fc.nat(200_000).map((pass) => ({ pass })),
);

type Told = EventDetails & { of: Word };
const play = (maker: Manufacturer, words: readonly Word[]) => {
  let state: SensorState = newSensorState;
  let now = 0;
  const told: Told[] = [];
  for (const word of words) {
    if ('pass' in word) now += word.pass;
    const { timings } = noRoomContext;
    const silentAt = state.lastSeen + 300_000;
    const { state: next, events } =
      'pass' in word
        ? (({ state: passed, events }) => ({ state: passed, events: events.map(({ happening }) => happening) }))(
            passTime(state, { now, silentAt, timings }),
          )
        : step(state, decoders[maker](word.message).signal, whenOf(now, null), noRoomContext);
    told.push(...events.map((event) => ({ ...event, of: word })));
    state = next;
  }
  return { state, told, now };
};
const alternates = (told: readonly Told[], opening: string, other: string, first = opening) => {
  const seen = told
    .filter(({ situation }) => situation === opening || situation === other)
    .map(({ situation }) => situation);
  for (const [at, situation] of seen.entries())
    expect(situation).toBe((at % 2 === 0) === (first === opening) ? opening : other);
};
const count = (told: readonly Told[], situation: string) =>
  told.filter((event) => event.situation === situation).length;
/** Messages as a network gives them: repeated, lost, in any order. */
const troubled = (word: fc.Arbitrary<Word>) => fc.array(word, { minLength: 1, maxLength: 60 });

describe('maker A', () => {
  test('one start of a fall never leads to two reported falls, nor to any phase of it twice', () => {
    const property = fc.property(troubled(wordOfA), (words) => {
      const { told, state } = play('maker_a', words);
      for (const situation of ['fall_suspected', 'fall_detected', 'fall_confirmed', 'fall_detected_sensitive'])
        expect(count(told, situation)).toBeLessThanOrEqual(starts.length);
      for (const { phases } of state.falls) expect(new Set(phases).size).toBe(phases.length);
      expect(new Set(state.falls.map(({ start, isSensitive }) => `${start} ${isSensitive}`)).size).toBe(
        state.falls.length,
      );
    });
    fc.assert(property, { numRuns: 300 });
  });
  test('a fall that is called alarms exactly once, unless it was canceled before', () => {
    const statuses = fc.array(fc.constantFrom(...fallStatuses), { maxLength: 12 });
    const property = fc.property(statuses, (all) => {
      const words = all.map((status) => ({ message: { type: 5, payload: { status, timestamp: 1 } } }));
      // What is finished cannot be canceled any more.
      const endedAt = all.findIndex(
        (status) => status === 'canceled' || status === 'fall_exit' || status === 'finished',
      );
      const canceledAt = all[endedAt] === 'finished' ? -1 : endedAt;
      const calledAt = all.indexOf('calling');
      const alarms = calledAt >= 0 && (canceledAt < 0 || calledAt < canceledAt) ? 1 : 0;
      expect(count(play('maker_a', words).told, 'fall_detected')).toBe(alarms);
    });
    fc.assert(property, { numRuns: 500 });
  });
  test('every fall is over once enough time passed', () => {
    const property = fc.property(troubled(wordOfA), (words) => {
      const { state } = play('maker_a', [...words, { pass: 400_000 }]);
      expect(state.falls.every(isEnded)).toBe(true);
    });
    fc.assert(property, { numRuns: 200 });
  });
});

describe.each([
  ['maker_a', wordOfA],
  ['maker_b', wordOfB],
] as const)('%s', (maker, word) => {
  test('presence alternates, and so does the activity of the sensor', () => {
    const property = fc.property(troubled(word), (words) => {
      const { told } = play(maker, words);
      alternates(told, 'occupied_room', 'empty_room');
      alternates(told, 'sensor_active', 'sensor_inactive');
    });
    fc.assert(property, { numRuns: 300 });
  });
  test('a message that is repeated at once changes nothing and makes no event', () => {
    // Somebody who enters the room is one more each time.
    const property = fc.property(troubled(word), (words) => {
      const { state, now } = play(maker, words);
      const last = words.at(-1);
      if (!last || 'pass' in last || /"event":[12]\b/.test(JSON.stringify(last.message))) return;
      const { signal } = decoders[maker](last.message);
      if (signal.kind === 'unknown') return;
      const again = step(state, signal, whenOf(now, null), noRoomContext);
      expect(again.events).toEqual([]);
      expect(again.state).toEqual(state);
    });
    fc.assert(property, { numRuns: 300 });
  });
  test('an unchanged state makes no event', () => {
    const property = fc.property(troubled(word), (words) => {
      const { state, now } = play(maker, words);
      const { events, state: later } = passTime(state, {
        now,
        silentAt: Number.POSITIVE_INFINITY,
        timings: noRoomContext.timings,
      });
      expect(events.length === 0).toBe(later === state);
    });
    fc.assert(property, { numRuns: 200 });
  });
});

describe('maker B', () => {
  test('the first of two reported falls of a track ends before the second', () => {
    const poses = fc.array(fc.constantFrom(1, 2, 3, 5, 7, 8, 10, 11), { maxLength: 40 });
    const property = fc.property(poses, (all) => {
      const words = all.map((pose) => ({ message: { cmd: 'event', type: 2, data: [{ 'track-id': 1, pose }] } }));
      const { told } = play('maker_b', words);
      const ends = told.filter(({ situation }) => situation === 'fall_detected' || situation === 'fall_finished');
      let open = false;
      for (const { situation } of ends) {
        if (situation === 'fall_detected') expect(open).toBe(false);
        open = situation === 'fall_detected';
      }
    });
    fc.assert(property, { numRuns: 300 });
  });
});
