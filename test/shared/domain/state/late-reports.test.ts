import { describe, expect, test } from 'vitest';
import { stepByMessage } from '#shared/domain/event/event-steps.ts';
import { decoders, withTrustedTimes } from '#shared/domain/makers/decoders.ts';
import { decodeMakerA } from '#shared/domain/makers/maker-a/decode.ts';
import { RoomUpdate } from '#shared/domain/sensor/room.ts';
import { numberRegions } from '#shared/domain/sensor/room-rules.ts';
import { newSensorState, type SensorState } from '#shared/domain/sensor/sensor-state.ts';
import { messageTime, noRoomContext } from '#shared/domain/state/room-context.ts';
import { step } from '#shared/domain/state/step.ts';
import { passTime } from '#shared/domain/state/time.ts';
import { a, b, room } from '#test/fixtures/messages.ts';

const SECOND = 1_000;
const active: SensorState = { ...newSensorState, isActive: true };
const roomContext = {
  ...noRoomContext,
  regions: numberRegions(RoomUpdate.parse(room).regions, [], () => crypto.randomUUID()),
};

describe('late reports', () => {
  const hour = 3_600 * SECOND;
  /** The situations that result from messages received 1 s apart, each with a device time or null. */
  const late = (...messages: readonly [message: object, time: number | null][]) => {
    let state = active;
    return messages.map(([message, time], index) => {
      const received = 24 * hour + index * SECOND;
      const next = step(state, decodeMakerA(message).signal, messageTime(received, time), roomContext);
      state = next.state;
      return next.events.map(({ situation }) => situation).join(' ');
    });
  };
  const here = a.presence(true);
  const gone = a.presence(false);

  test('a late report does not change presence', () => {
    expect(late([here, 10], [gone, 9], [gone, 10])).toEqual(['occupied_room', '', 'empty_room']);
    expect(late([gone, 10], [here, 9], [here, 8], [here, 11])).toEqual(['', '', '', 'occupied_room']);
    const inBed = a.regions({ 0: 1 });
    const up = a.regions({ 0: 0 });
    expect(late([inBed, 10], [up, 9], [inBed, 8], [up, 11])).toEqual(['bed_entered', '', '', 'bed_left']);
  });
  test('a late report is recognized even within the same millisecond', () => {
    const at = 24 * hour;
    const actions = (
      maker: 'maker_a' | 'maker_b',
      ...messages: readonly [message: object, received: number, time: number][]
    ) => {
      let state = active;
      return messages.map(([message, received, time]) => {
        const next = step(state, decoders[maker](message).signal, messageTime(received, time), roomContext);
        state = next.state;
        return next.events.map(({ action }) => action).join(' ');
      });
    };
    const of = (status: string) => a.fall(status, at);
    expect(
      actions(
        'maker_a',
        [of('fall_detected'), at, at],
        [of('finished'), at + 9, at + 9],
        [of('fall_confirmed'), at + 10, at + 3],
      ),
    ).toEqual(['fall_suspected', 'finished', 'late']);
    expect(actions('maker_b', [b.pose(1, 5), at + 9, at + 9], [b.pose(1, 1), at + 10, at])).toEqual([
      'fall_detected',
      'late',
    ]);
  });
  test('a report without a device timestamp is never late', () => {
    expect(late([here, 25 * hour], [gone, null])).toEqual(['occupied_room', 'empty_room']);
  });
  test('an older report still counts if it is the newest of its kind', () => {
    expect(late([a.regions({ 0: 1 }), 10], [here, 9])).toEqual(['bed_entered', 'occupied_room']);
    expect(late([here, 10], [a.fall('calling', 1), 9])).toEqual(['occupied_room', 'fall_detected']);
  });
  test('a late bed exit does not shorten the suspension of further exit events', () => {
    const out = a.bedExit();
    expect(late([out, 9 * hour], [out, hour], [out, 9 * hour + 899 * SECOND], [out, 9 * hour - 899 * SECOND])).toEqual([
      'bed_left',
      'bed_left',
      '',
      '',
    ]);
  });
});

test('two identical undated fall reports within 2 minutes raise only one alarm', () => {
  const raw = JSON.stringify({ type: 5, payload: { status: 'calling' } });
  let state = active;
  const situations = [0, 120, 241].map((seconds) => {
    const cause = {
      uuid: `${seconds}`,
      receiveDate: 1_000_000 + seconds * SECOND,
      sensorId: 's',
      source: `${seconds}`,
      raw,
    };
    const { next, events } = stepByMessage(
      state,
      withTrustedTimes(decodeMakerA(JSON.parse(raw)), cause.receiveDate),
      cause,
      roomContext,
    );
    state = next;
    return events.map(({ happening }) => happening.situation);
  });
  expect(situations).toEqual([['fall_detected'], [], ['fall_detected']]);
  expect(state.falls.map(({ start }) => start)).toEqual([1_000_000, 1_241_000]);
  const { timings } = noRoomContext;
  const { events } = passTime(state, { now: 2_000_000, silentAt: Number.POSITIVE_INFINITY, timings });
  expect(events.map(({ happening }) => happening.situation)).toEqual(['fall_finished', 'fall_finished']);
});
