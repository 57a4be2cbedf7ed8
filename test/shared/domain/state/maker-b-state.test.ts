import { describe, expect, test } from 'vitest';
import { stepByMessage } from '#shared/domain/event/event-steps.ts';
import { withTrustedTimes } from '#shared/domain/makers/decoders.ts';
import { decodeMakerB } from '#shared/domain/makers/maker-b/decode.ts';
import { newSensorState, type SensorState } from '#shared/domain/sensor/sensor-state.ts';
import { noRoomContext } from '#shared/domain/state/room-context.ts';
import { encodeState } from '#shared/store/sensors/state-item.ts';
import { b } from '#test/fixtures/messages.ts';

const active: SensorState = { ...newSensorState, isActive: true };
const SECOND = 1_000;
const start = Date.now();
const without = (message: object) => ({ ...message, timestamp: undefined });

/** The situations that result from messages `everyMs` apart, and the final state. */
const play = (messages: readonly object[], everyMs = 60 * SECOND, from = active, byDevice = false) => {
  let state = from;
  const situations = messages.map((message, at) => {
    const cause = { uuid: `${at}`, receiveDate: start + at * everyMs, sensorId: 's', source: `${at}` };
    const decoded = decodeMakerB(message);
    // By default, only the service clock matters.
    if (!byDevice) decoded.deviceTime = null;
    const known = withTrustedTimes(decoded, cause.receiveDate);
    const outcome = stepByMessage(state, known, { ...cause, raw: JSON.stringify(message) }, noRoomContext);
    state = outcome.next;
    return outcome.events.map(({ happening }) => happening.situation ?? 'unknown').join(' ');
  });
  return { state, situations };
};
const situationsOf = (...messages: object[]) => play(messages).situations;

describe('people counts', () => {
  test('a room becomes occupied or empty when the reported count changes', () => {
    const counts = [2, 0, 2, 0].map((count) => b.people(count));
    const expected = ['occupied_room', 'empty_room', 'occupied_room', 'empty_room'];
    expect(situationsOf(...counts)).toEqual(expected);
    expect(play(counts.map(without), SECOND).situations).toEqual(expected);
  });
  test('the number of people never drops below 0 when someone leaves', () => {
    const messages = [b.move(1, 1), b.move(2, 1), b.move(1, 2), b.people(1), b.move(2, 2), b.move(9, 2), b.move(3, 1)];
    expect(situationsOf(...messages)).toEqual(['occupied_room', '', '', '', 'empty_room', '', 'occupied_room']);
  });
  test('an empty room in the first report does not cause an event', () => {
    expect(situationsOf(b.people(0), b.people(1))).toEqual(['', 'occupied_room']);
  });
});

describe('identical bytes', () => {
  const tilt = without(b.tilt());
  test('identical bytes count as a duplicate for two minutes', () => {
    const moves = Array(3).fill(without(b.move(1, 1)));
    expect(play(moves, 120 * SECOND).state.people).toBe(1);
    expect(play(moves, 120 * SECOND + 1).state.people).toBe(3);
  });
  test('identical bytes count as a new event after a different message', () => {
    expect(play([without(b.people(0)), without(b.people(2)), without(b.people(0))], SECOND).situations[2]).toBe(
      'empty_room',
    );
  });
  test('identical bytes count as a new event after a different message with a timestamp', () => {
    const messages = [without(b.people(0)), b.people(2), without(b.people(0))];
    expect(play(messages, SECOND, active, true).situations).toEqual(['', 'occupied_room', 'empty_room']);
  });
  test('a duplicate still shows that the sensor is online', () => {
    expect(play([tilt, tilt], SECOND).state.lastSeen).toBe(start + SECOND);
  });
});

describe('track falls', () => {
  test('a track fall causes one event per posture', () => {
    const poses = [2, 2, 5, 5, 2, 5, 3, 3].map((pose) => b.pose(1, pose));
    expect(situationsOf(...poses)).toEqual(['fall_suspected', '', 'fall_detected', '', '', '', 'fall_finished', '']);
    expect(situationsOf(...[2, 10, 7, 8, 11].map((pose) => b.pose(1, pose)))).toEqual([
      'fall_suspected',
      'fall_canceled',
      'fall_suspected_sensitive',
      'fall_detected_sensitive',
      'fall_finished sitting_up_in_bed',
    ]);
  });
  test('a track fall is new if the previous one has ended', () => {
    expect(situationsOf(...[5, 1, 5].map((pose) => b.pose(1, pose)))).toEqual([
      'fall_detected',
      'fall_finished',
      'fall_detected',
    ]);
  });
  test.each([
    [2, 'fall_suspected'],
    [5, 'fall_detected'],
    [7, 'fall_suspected_sensitive'],
    [8, 'fall_detected_sensitive'],
  ])('a track fall is reported again for pose %i after more than 5 minutes', (pose, situation) => {
    const lies = Array.from({ length: 3 }, () => b.pose(1, pose));
    for (const byDevice of [false, true]) {
      const spaced = (ms: number) => lies.map((message, at) => ({ ...message, timestamp: start + at * ms }));
      expect(play(spaced(300_000), 300_000, active, byDevice).situations).toEqual([situation, '', '']);
      expect(play(spaced(300_001), 300_001, active, byDevice).situations).toEqual([situation, situation, situation]);
    }
  });
  test('a different fall posture causes another event for the same fall', () => {
    const { situations, state } = play(
      [b.pose(1, 5), b.pose(1, 2), b.pose(1, 5), b.vital(0, 14, 60), b.pose(1, 5)],
      180_000,
    );
    expect(situations).toEqual(['fall_detected', 'fall_suspected', '', '', 'fall_detected']);
    expect(state.tracks).toMatchObject([{ since: start, fallPostures: ['fallen', 'suspected'] }]);
    expect(play([b.pose(1, 1)], 1, state).situations).toEqual(['fall_finished']);
  });
  test('repeating a pose that is not a fall does not cause events', () => {
    expect(play([b.pose(1, 11), b.pose(1, 11)], 3_600_000).situations).toEqual(['sitting_up_in_bed', '']);
  });
  test('falls on different tracks are separate', () => {
    expect(situationsOf(b.pose(1, 5), b.pose(2, 5), b.pose(1, 1))).toEqual([
      'fall_detected',
      'fall_detected',
      'fall_finished',
    ]);
  });
  test('falls of two people with the same track number are separate', () => {
    expect(situationsOf(b.move(1, 1), b.pose(1, 5), b.move(1, 2), b.pose(1, 5)).at(-1)).toBe('fall_detected');
    expect(situationsOf(b.pose(1, 5), b.online(false), b.pose(1, 5)).at(-1)).toBe('fall_detected sensor_active');
  });
  test('a track fall ends when the person leaves the room', () => {
    for (const [pose, end] of [
      [5, 'fall_finished'],
      [8, 'fall_finished'],
      [2, 'fall_canceled'],
      [7, 'fall_canceled'],
    ] as const) {
      expect(situationsOf(b.people(1), b.pose(1, pose), b.people(0), b.people(0)).slice(2)).toEqual([
        `empty_room ${end}`,
        '',
      ]);
      expect(situationsOf(b.people(2), b.pose(1, pose), b.move(1, 2), b.move(2, 2)).slice(2)).toEqual([
        end,
        'empty_room',
      ]);
      // This holds even if another track leaves and no one else can be there.
      expect(situationsOf(b.people(1), b.pose(1, pose), b.move(2, 2)).at(-1)).toBe(`empty_room ${end}`);
    }
    expect(situationsOf(b.pose(1, 5), b.people(0), b.pose(1, 5))).toEqual([
      'fall_detected',
      'fall_finished',
      'fall_detected',
    ]);
  });
  test('a track fall is remembered even after many other tracks', () => {
    const others = Array.from({ length: 20 }, (_, at) => b.pose(at + 2, 1));
    const messages = [b.pose(1, 5), ...others, b.pose(1, 5), b.pose(1, 1)];
    expect(play(messages, SECOND).situations.slice(-2)).toEqual(['', 'fall_finished']);
  });
  test('three suspected falls on a track within 5 minutes cause one loop event', () => {
    const falls = (...poses: number[]) => situationsOf(...poses.map((pose) => b.pose(1, pose)));
    expect(falls(2, 1, 2, 1, 2, 1)).toEqual([
      'fall_suspected',
      'fall_canceled',
      'fall_suspected',
      'fall_canceled',
      'fall_suspected fall_loop',
      'fall_canceled',
    ]);
    expect(falls(2, 1, 2, 5, 1, 2).join(' ')).not.toContain('loop');
    const slow = [2, 1, 2, 1, 2].map((pose) => b.pose(1, pose));
    expect(play(slow, 76 * SECOND).situations.join(' ')).not.toContain('loop');
    expect(play(slow, 75 * SECOND).situations.join(' ')).toContain('loop');
  });
});

describe('lasting conditions', () => {
  test('entering an area twice causes one event per track', () => {
    expect(situationsOf(b.move(1, 3, 2), b.move(1, 3, 2), b.move(2, 3, 2), b.move(1, 4, 2), b.move(1, 4, 2))).toEqual([
      'bed_entered',
      '',
      'bed_entered',
      'bed_left',
      '',
    ]);
  });
  test('a vital sign alarm is raised again after normal readings', () => {
    const high = b.vital(11, 30, 70);
    const low = b.vital(12, 5, 70);
    const heart = b.vital(14, 15, 130);
    const normal = b.vital(0, 15, 70);
    const nothing = b.vital(0, 0, 0);
    expect(situationsOf(high, high, heart, high, low, normal, low, nothing, low)).toEqual([
      'respiration_high',
      '',
      'heart_rate_high',
      '',
      'respiration_low',
      '',
      'respiration_low',
      '',
      '',
    ]);
  });
  test('a tilt is reported again after an hour, or when the sensor is back online', () => {
    expect(play([b.tilt(), b.tilt(), b.tilt()], 3_599 * SECOND).situations).toEqual(['sensor_tilted', '', '']);
    expect(play([b.tilt(), b.tilt()], 3_600 * SECOND).situations).toEqual(['sensor_tilted', 'sensor_tilted']);
    expect(situationsOf(b.tilt(), b.online(false), b.tilt()).at(-1)).toBe('sensor_tilted sensor_active');
  });
  test('a sensor that goes offline causes only one event', () => {
    expect(situationsOf(b.online(false), b.online(false), b.online(true), b.online(true))).toEqual([
      'sensor_inactive',
      '',
      'sensor_active',
      '',
    ]);
    expect(play([b.online(false)], SECOND, newSensorState).situations).toEqual(['']);
  });
});

test('the stored state stays small after any number of reports', () => {
  const many = Array.from({ length: 200 }, (_, at) => [b.pose(at, 5), b.move(at, 3, at % 6, at % 16)]).flat();
  expect(JSON.stringify(encodeState({ ...play(many).state, decision: null })).length).toBeLessThan(900);
});
