import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EventDetails } from '#shared/domain/event/event.ts';
import { fallStatuses } from '#shared/domain/event/message.ts';
import { decoders } from '#shared/domain/makers/decoders.ts';
import type { Manufacturer } from '#shared/domain/sensor/sensor.ts';
import { isEnded, newSensorState, type SensorState } from '#shared/domain/sensor/sensor-state.ts';
import { messageTime, noRoomContext } from '#shared/domain/state/room-context.ts';
import { step } from '#shared/domain/state/step.ts';
import { passTime } from '#shared/domain/state/time.ts';

// These properties hold for any order, duplication and loss of messages, however much time passes between them.

/** A message, or an amount of time (ms) passing. */
type Input = { message: object } | { pass: number };
const starts = [1, 2, 3, 4];

const fall = fc.record({
  type: fc.constantFrom(5, 8),
  status: fc.constantFrom(...fallStatuses, 'fall_suspected'),
  start: fc.constantFrom(...starts),
});
const inputOfA: fc.Arbitrary<Input> = fc.oneof(
  fall.map(({ type, status, start }) => ({ message: { type, payload: { status, timestamp: start } } })),
  fc
    .record({ presenceDetected: fc.boolean(), presenceRegionMap: fc.dictionary(fc.constantFrom('0', '1'), fc.nat(1)) })
    .map((payload) => ({ message: { type: 4, payload } })),
  fc.nat(200_000).map((pass) => ({ pass })),
);
const track = fc.constantFrom(1, 2);
const inputOfB: fc.Arbitrary<Input> = fc.oneof(
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

const play = (maker: Manufacturer, inputs: readonly Input[]) => {
  let state: SensorState = newSensorState;
  let now = 0;
  const all: EventDetails[] = [];
  for (const input of inputs) {
    if ('pass' in input) now += input.pass;
    const { timings } = noRoomContext;
    const silentAt = state.lastSeen + 300_000;
    const { state: next, events } =
      'pass' in input
        ? (({ state: passed, events }) => ({ state: passed, events: events.map(({ happening }) => happening) }))(
            passTime(state, { now, silentAt, timings }),
          )
        : step(state, decoders[maker](input.message).signal, messageTime(now, null), noRoomContext);
    all.push(...events);
    state = next;
  }
  return { state, events: all, now };
};
const expectAlternating = (events: readonly EventDetails[], opening: string, other: string) => {
  const seen = events
    .filter(({ situation }) => situation === opening || situation === other)
    .map(({ situation }) => situation);
  for (const [index, situation] of seen.entries()) expect(situation).toBe(index % 2 === 0 ? opening : other);
};
const count = (events: readonly EventDetails[], situation: string) =>
  events.filter((event) => event.situation === situation).length;
/** Messages as delivered by a network: duplicated, lost, in any order. */
const anyInputs = (input: fc.Arbitrary<Input>) => fc.array(input, { minLength: 1, maxLength: 60 });

describe('maker A', () => {
  test('maker A reports the start and each phase of a fall at most once', () => {
    const property = fc.property(anyInputs(inputOfA), (inputs) => {
      const { events, state } = play('maker_a', inputs);
      for (const situation of ['fall_suspected', 'fall_detected', 'fall_confirmed', 'fall_detected_sensitive'])
        expect(count(events, situation)).toBeLessThanOrEqual(starts.length);
      for (const { phases } of state.falls) expect(new Set(phases).size).toBe(phases.length);
      expect(new Set(state.falls.map(({ start, isSensitive }) => `${start} ${isSensitive}`)).size).toBe(
        state.falls.length,
      );
    });
    fc.assert(property, { numRuns: 300 });
  });
  test('a maker A calling report raises one alarm unless the fall was canceled first', () => {
    const anyStatuses = fc.array(fc.constantFrom(...fallStatuses), { maxLength: 12 });
    const property = fc.property(anyStatuses, (statuses) => {
      const inputs = statuses.map((status) => ({ message: { type: 5, payload: { status, timestamp: 1 } } }));
      // A finished fall can no longer be canceled.
      const endedAt = statuses.findIndex(
        (status) => status === 'canceled' || status === 'fall_exit' || status === 'finished',
      );
      const canceledAt = statuses[endedAt] === 'finished' ? -1 : endedAt;
      const calledAt = statuses.indexOf('calling');
      const alarms = calledAt >= 0 && (canceledAt < 0 || calledAt < canceledAt) ? 1 : 0;
      expect(count(play('maker_a', inputs).events, 'fall_detected')).toBe(alarms);
    });
    fc.assert(property, { numRuns: 500 });
  });
  test('every maker A fall ends eventually', () => {
    const property = fc.property(anyInputs(inputOfA), (inputs) => {
      const { state } = play('maker_a', [...inputs, { pass: 400_000 }]);
      expect(state.falls.every(isEnded)).toBe(true);
    });
    fc.assert(property, { numRuns: 200 });
  });
});

describe.each([
  ['maker_a', inputOfA],
  ['maker_b', inputOfB],
] as const)('%s', (maker, anyInput) => {
  test('presence events alternate with absence events', () => {
    const property = fc.property(anyInputs(anyInput), (inputs) => {
      const { events } = play(maker, inputs);
      expectAlternating(events, 'occupied_room', 'empty_room');
      expectAlternating(events, 'sensor_active', 'sensor_inactive');
    });
    fc.assert(property, { numRuns: 300 });
  });
  test('an immediately repeated message does not change anything', () => {
    // Messages about people entering or leaving the room are an exception. They are counted each time.
    const property = fc.property(anyInputs(anyInput), (inputs) => {
      const { state, now } = play(maker, inputs);
      const last = inputs.at(-1);
      if (!last || 'pass' in last || /"event":[12]\b/.test(JSON.stringify(last.message))) return;
      const { signal } = decoders[maker](last.message);
      if (signal.kind === 'unknown') return;
      const repeated = step(state, signal, messageTime(now, null), noRoomContext);
      expect(repeated.events).toEqual([]);
      // The repeated message only adds to the count of understood messages.
      expect({ ...repeated.state, understanding: null }).toEqual({ ...state, understanding: null });
    });
    fc.assert(property, { numRuns: 300 });
  });
  test('the passage of time causes an event only if the state changes', () => {
    const property = fc.property(anyInputs(anyInput), (inputs) => {
      const { state, now } = play(maker, inputs);
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
  test('a maker B track never has two reported falls at once', () => {
    const anyPoses = fc.array(fc.constantFrom(1, 2, 3, 5, 7, 8, 10, 11), { maxLength: 40 });
    const property = fc.property(anyPoses, (poses) => {
      const inputs = poses.map((pose) => ({ message: { cmd: 'event', type: 2, data: [{ 'track-id': 1, pose }] } }));
      const { events } = play('maker_b', inputs);
      const ends = events.filter(({ situation }) => situation === 'fall_detected' || situation === 'fall_finished');
      let open = false;
      for (const { situation } of ends) {
        if (situation === 'fall_detected') expect(open).toBe(false);
        open = situation === 'fall_detected';
      }
    });
    fc.assert(property, { numRuns: 300 });
  });
});
