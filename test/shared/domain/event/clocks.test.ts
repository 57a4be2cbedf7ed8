import { describe, expect, test } from 'vitest';
import { stepByMessage } from '#shared/domain/event/event-steps.ts';
import { messageUuid } from '#shared/domain/event/message.ts';
import { decoders, withTrustedTimes } from '#shared/domain/makers/decoders.ts';
import { newSensorState, type SensorState } from '#shared/domain/sensor/sensor-state.ts';
import { noRoomContext } from '#shared/domain/state/room-context.ts';
import { b } from '#test/fixtures/messages.ts';

const start = 1_800_000_000_000;
const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 86_400_000;
type Maker = keyof typeof decoders;
const calling = (timestamp: number, status = 'calling', statusUpdateTimestamp = timestamp) => ({
  type: 5,
  payload: { status, timestamp, statusUpdateTimestamp },
});

/** The situations that result from messages received at these times (ms after the start), and the final state. */
const play = (maker: Maker, ...messages: readonly (readonly [at: number, message: object])[]) => {
  let state: SensorState = { ...newSensorState, isActive: true, clockWrongAt: start + 400 * DAY };
  const situations = messages.map(([at, message]) => {
    const raw = JSON.stringify(message);
    const receiveDate = start + at;
    const decoded = withTrustedTimes(decoders[maker](message), receiveDate);
    const uuid = messageUuid('s', decoded, raw, [receiveDate, 0]);
    const outcome = stepByMessage(
      state,
      decoded,
      { uuid, receiveDate, sensorId: 's', source: uuid, raw },
      noRoomContext,
    );
    state = outcome.next;
    return outcome.events.map(({ happening }) => happening.situation ?? happening.action).join(' ');
  });
  return { situations, state };
};
const situationsOf = (maker: Maker, ...messages: Parameters<typeof play>[1][]) => play(maker, ...messages).situations;

describe('sensors without a set clock', () => {
  test.each([0, 1, start - 2 * DAY, start + 3 * DAY])(
    'an unset sensor clock does not suppress alarms for later calls with the time %d',
    (time) => {
      const situations = situationsOf(
        'maker_a',
        [0, calling(time)],
        [MINUTE, calling(time)],
        [HOUR, calling(time)],
        [DAY, calling(time)],
      );
      expect(situations).toEqual(['fall_detected', '', 'fall_detected', 'fall_detected']);
    },
  );
  test('a new fall raises another alarm after a different pose ended the previous fall', () => {
    const lies = { ...b.pose(1, 5), timestamp: 0 };
    const sits = { ...b.pose(1, 4), timestamp: 0 };
    const calls = [
      [0, lies],
      [1_000, lies],
      [2_000, sits],
      [3_000, lies],
      [HOUR, sits],
      [DAY, lies],
    ] as const;
    expect(situationsOf('maker_b', ...calls)).toEqual([
      'fall_detected',
      '',
      'fall_finished',
      'fall_detected',
      'fall_finished',
      'fall_detected',
    ]);
  });
  test('a call after a finished call is a new fall, even within one second', () => {
    const list = [calling(0), calling(0, 'finished'), calling(0)].map((message) => [0, message] as const);
    expect(situationsOf('maker_a', ...list)).toEqual(['fall_detected', 'fall_finished', 'fall_detected']);
  });
  test('an undated report belongs to the open fall from the same kind of detection', () => {
    const states = ['fall_detected', 'calling', 'finished'].map(
      (status, at) => [at * 1_000, calling(0, status)] as const,
    );
    const { situations, state } = play('maker_a', ...states);
    expect(situations).toEqual(['fall_suspected', 'fall_detected', 'fall_finished']);
    expect(state.falls).toHaveLength(1);
  });
  test('an unset clock does not suppress events when a room empties or fills', () => {
    const counts = [2, 0, 2, 0].map((count, at) => [at, { ...b.people(count), timestamp: 0 }] as const);
    expect(situationsOf('maker_b', ...counts)).toEqual(['occupied_room', 'empty_room', 'occupied_room', 'empty_room']);
  });
  test('an unset clock causes an event on the first message, then at most once a day', () => {
    let state: SensorState = { ...newSensorState, isActive: true };
    const situations = [0, 1, DAY - 1, DAY, DAY + HOUR].map((at) => {
      const decoded = withTrustedTimes(decoders.maker_b({ ...b.people(0), timestamp: 0 }), start + at);
      const cause = { uuid: String(at), receiveDate: start + at, sensorId: 's', source: String(at), raw: '' };
      const { next, events } = stepByMessage(state, decoded, cause, noRoomContext);
      state = next;
      return events.map(({ happening }) => happening.situation).join(' ');
    });
    expect(situations).toEqual(['sensor_clock_wrong', '', '', 'sensor_clock_wrong', '']);
  });
});

describe('late messages', () => {
  const pose = (second: number, number: number) => ({ ...b.pose(1, number), timestamp: start + second * 1_000 });
  /** The situations that result from messages received one second apart, in this order. */
  const inOrder = (maker: Maker, ...messages: object[]) =>
    situationsOf(maker, ...messages.map((message, at) => [20_000 + at * 1_000, message] as const));

  test('a late message does not end an open fall', () => {
    expect(inOrder('maker_b', pose(1, 5), pose(0, 1))).toEqual(['fall_detected', 'late']);
    // This also holds if another report of the fall came first.
    expect(inOrder('maker_b', pose(1, 5), pose(9, 5), pose(5, 1), pose(10, 1))).toEqual([
      'fall_detected',
      '',
      'late',
      'fall_finished',
    ]);
  });
  test.each([5, 8])('a late message with pose %d raises one alarm for a fall that is already over', (number) => {
    const { situations, state } = play(
      'maker_b',
      ...[pose(5, 1), pose(1, number), pose(2, number)].map((message, at) => [20_000 + at, message] as const),
    );
    expect(situations).toEqual(['', expect.stringMatching(/^fall_detected\w* fall_finished$/), 'late']);
    expect(state.tracks?.[0]?.fallPostures).toBeUndefined();
  });
  test('a late message does not raise a second alarm for a fall that already raised one', () => {
    expect(inOrder('maker_b', pose(1, 5), pose(5, 1), pose(3, 5))).toEqual(['fall_detected', 'fall_finished', 'late']);
  });
  test('a late message does not raise an alarm after the person has left', () => {
    const leaves = { ...b.move(1, 2), timestamp: start + 5_000 };
    expect(inOrder('maker_b', pose(1, 5), leaves, pose(3, 5))).toEqual(['fall_detected', 'fall_finished', 'late']);
  });
  test('track state stays small even when many people come and go', () => {
    const visits = Array.from({ length: 60 }, (_, at) => [
      { ...b.move(at, 1), timestamp: start + at * 100 },
      { ...b.move(at, 2), timestamp: start + at * 100 + 50 },
    ]).flat();
    const { state } = play('maker_b', ...visits.map((message, at) => [20_000 + at, message] as const));
    expect(state.tracks?.length).toBeLessThanOrEqual(8);
  });
  test('a late message does not bring back a person who has left', () => {
    const leaves = { ...b.move(1, 2), timestamp: start + 5_000 };
    const { situations, state } = play('maker_b', [20_000, pose(1, 1)], [21_000, leaves], [22_000, pose(3, 1)]);
    expect(situations).toEqual(['', '', 'late']);
    expect(state.tracks).toEqual([{ id: 1, at: start + 5_000 }]);
  });
  test('a late maker A call raises an alarm, but other late reports are ignored', () => {
    const of = (status: string, second: number) => calling(start, status, start + second * 1_000);
    expect(inOrder('maker_a', of('calling', 5), of('fall_confirmed', 3), of('finished', 9))).toEqual([
      'fall_detected',
      'late',
      'fall_finished',
    ]);
    expect(inOrder('maker_a', of('finished', 9), of('calling', 5), of('calling', 6))).toEqual([
      'fall_finished',
      'fall_detected',
      'late',
    ]);
    expect(inOrder('maker_a', of('canceled', 9), of('calling', 5))).toEqual(['fall_canceled', 'fall_detected']);
  });
});
