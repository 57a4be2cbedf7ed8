import { describe, expect, test } from 'vitest';
import { stepByMessage } from '#shared/domain/event/event-steps.ts';
import { credible, messageUuid } from '#shared/domain/event/message.ts';
import { decoders } from '#shared/domain/makers/decoders.ts';
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

/** What comes of messages that are received at these times (ms from the start on). */
const play = (maker: Maker, ...messages: readonly (readonly [at: number, message: object])[]) => {
  let state: SensorState = { ...newSensorState, isActive: true, clockWrongAt: start + 400 * DAY };
  const said = messages.map(([at, message]) => {
    const raw = JSON.stringify(message);
    const receiveDate = start + at;
    const decoded = credible(decoders[maker](message), receiveDate);
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
  return { said, state };
};
const said = (maker: Maker, ...messages: Parameters<typeof play>[1][]) => play(maker, ...messages).said;

describe('a sensor whose clock is not set', () => {
  test.each([0, 1, start - 2 * DAY, start + 3 * DAY])('alarms at each call with the time %d', (time) => {
    const again = said(
      'maker_a',
      [0, calling(time)],
      [MINUTE, calling(time)],
      [HOUR, calling(time)],
      [DAY, calling(time)],
    );
    expect(again).toEqual(['fall_detected', '', 'fall_detected', 'fall_detected']);
  });
  test('of maker B alarms again after another pose, or two minutes later', () => {
    const lies = { ...b.pose(1, 5), timestamp: 0 };
    const sits = { ...b.pose(1, 4), timestamp: 0 };
    expect(said('maker_b', [0, lies], [1_000, lies], [2_000, sits], [3_000, lies], [HOUR, sits], [DAY, lies])).toEqual([
      'fall_detected',
      '',
      'fall_finished',
      'fall_detected',
      'fall_finished',
      'fall_detected',
    ]);
  });
  test('reports two falls by calling, finished, calling, also within one second', () => {
    const list = [calling(0), calling(0, 'finished'), calling(0)].map((message) => [0, message] as const);
    expect(said('maker_a', ...list)).toEqual(['fall_detected', 'fall_finished', 'fall_detected']);
  });
  test('reports states of the open fall of that kind', () => {
    const states = ['fall_detected', 'calling', 'finished'].map(
      (status, at) => [at * 1_000, calling(0, status)] as const,
    );
    const { said: told, state } = play('maker_a', ...states);
    expect(told).toEqual(['fall_suspected', 'fall_detected', 'fall_finished']);
    expect(state.falls).toHaveLength(1);
  });
  test('makes three reports of 0, 2 and 0 people', () => {
    const counts = [2, 0, 2, 0].map((count, at) => [at, { ...b.people(count), timestamp: 0 }] as const);
    expect(said('maker_b', ...counts)).toEqual(['occupied_room', 'empty_room', 'occupied_room', 'empty_room']);
  });
  test('makes an event about its clock at the first message, and then once a day', () => {
    let state: SensorState = { ...newSensorState, isActive: true };
    const told = [0, 1, DAY - 1, DAY, DAY + HOUR].map((at) => {
      const decoded = credible(decoders.maker_b({ ...b.people(0), timestamp: 0 }), start + at);
      const cause = { uuid: String(at), receiveDate: start + at, sensorId: 's', source: String(at), raw: '' };
      const { next, events } = stepByMessage(state, decoded, cause, noRoomContext);
      state = next;
      return events.map(({ happening }) => happening.situation).join(' ');
    });
    expect(told).toEqual(['sensor_clock_wrong', '', '', 'sensor_clock_wrong', '']);
  });
});

describe('a late message', () => {
  const pose = (second: number, number: number) => ({ ...b.pose(1, number), timestamp: start + second * 1_000 });
  /** Messages that are received a second after each other, in this order. */
  const inOrder = (maker: Maker, ...messages: object[]) =>
    said(maker, ...messages.map((message, at) => [20_000 + at * 1_000, message] as const));

  test('does not end an open fall, and is kept as late', () => {
    expect(inOrder('maker_b', pose(1, 5), pose(0, 1))).toEqual(['fall_detected', 'late']);
    // Also when the fall was said again meanwhile.
    expect(inOrder('maker_b', pose(1, 5), pose(9, 5), pose(5, 1), pose(10, 1))).toEqual([
      'fall_detected',
      '',
      'late',
      'fall_finished',
    ]);
  });
  test.each([5, 8])('alarms once if it has pose %d, and the fall is over then', (number) => {
    const { said: told, state } = play(
      'maker_b',
      ...[pose(5, 1), pose(1, number), pose(2, number)].map((message, at) => [20_000 + at, message] as const),
    );
    expect(told).toEqual(['', expect.stringMatching(/^fall_detected\w* fall_finished$/), 'late']);
    expect(state.tracks?.[0]?.fallPostures).toBeUndefined();
  });
  test('is no second alarm of a fall that was alarmed before it was over', () => {
    expect(inOrder('maker_b', pose(1, 5), pose(5, 1), pose(3, 5))).toEqual(['fall_detected', 'fall_finished', 'late']);
  });
  test('is no second alarm of a fall that ended because the person left', () => {
    const leaves = { ...b.move(1, 2), timestamp: start + 5_000 };
    expect(inOrder('maker_b', pose(1, 5), leaves, pose(3, 5))).toEqual(['fall_detected', 'fall_finished', 'late']);
  });
  test('is recognised by a memory that stays small, however many people come and go', () => {
    const visits = Array.from({ length: 60 }, (_, at) => [
      { ...b.move(at, 1), timestamp: start + at * 100 },
      { ...b.move(at, 2), timestamp: start + at * 100 + 50 },
    ]).flat();
    const { state } = play('maker_b', ...visits.map((message, at) => [20_000 + at, message] as const));
    expect(state.tracks?.length).toBeLessThanOrEqual(8);
  });
  test('does not bring back a person who has left', () => {
    const leaves = { ...b.move(1, 2), timestamp: start + 5_000 };
    const { said: told, state } = play('maker_b', [20_000, pose(1, 1)], [21_000, leaves], [22_000, pose(3, 1)]);
    expect(told).toEqual(['', '', 'late']);
    expect(state.tracks).toEqual([{ id: 1, at: start + 5_000 }]);
  });
  test('about a fall of maker A changes nothing, but calling alarms even after the fall was canceled', () => {
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
