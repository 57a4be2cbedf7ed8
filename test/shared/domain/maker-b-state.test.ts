import { describe, expect, test } from 'vitest';
import { stepByMessage } from '#shared/domain/event/event-steps.ts';
import { credible } from '#shared/domain/event/message.ts';
import { decodeMakerB } from '#shared/domain/makers/maker-b/decode.ts';
import { newSensorState, type SensorState } from '#shared/domain/sensor/sensor-state.ts';
import { noRoomContext } from '#shared/domain/state/room-context.ts';
import { encodeState } from '#shared/store/sensors/state-item.ts';
import { b } from '#test/fixtures/messages.ts';

const active: SensorState = { ...newSensorState, isActive: true };
const SECOND = 1_000;
const start = Date.now();
const without = (message: object) => ({ ...message, timestamp: undefined });

/** What comes of messages that are `everyMs` apart, one list for each; the state they leave. */
const play = (messages: readonly object[], everyMs = 60 * SECOND, from = active, byDevice = false) => {
  let state = from;
  const situations = messages.map((message, at) => {
    const cause = { uuid: `${at}`, receiveDate: start + at * everyMs, sensorId: 's', source: `${at}` };
    const decoded = decodeMakerB(message);
    // What matters here is our own clock.
    if (!byDevice) decoded.deviceTime = null;
    const known = credible(decoded, cause.receiveDate);
    const outcome = stepByMessage(state, known, { ...cause, raw: JSON.stringify(message) }, noRoomContext);
    state = outcome.next;
    return outcome.events.map(({ happening }) => happening.situation ?? 'unknown').join(' ');
  });
  return { state, situations };
};
const said = (...messages: object[]) => play(messages).situations;

describe('people', () => {
  test('0 -> 2 -> 0 are three messages, with and without timestamps', () => {
    const counts = [2, 0, 2, 0].map((count) => b.people(count));
    const expected = ['occupied_room', 'empty_room', 'occupied_room', 'empty_room'];
    expect(said(...counts)).toEqual(expected);
    expect(play(counts.map(without), SECOND).situations).toEqual(expected);
  });
  test('are counted as they enter and leave, never below 0, and set by a count', () => {
    const messages = [b.move(1, 1), b.move(2, 1), b.move(1, 2), b.people(1), b.move(2, 2), b.move(9, 2), b.move(3, 1)];
    expect(said(...messages)).toEqual(['occupied_room', '', '', '', 'empty_room', '', 'occupied_room']);
  });
  test('make no event when there are none at the first report', () => {
    expect(said(b.people(0), b.people(1))).toEqual(['', 'occupied_room']);
  });
});

describe('the same bytes', () => {
  const tilt = without(b.tilt());
  test('are a duplicate within 2 minutes when nothing distinguishes them, and an event later', () => {
    const moves = Array(3).fill(without(b.move(1, 1)));
    expect(play(moves, 120 * SECOND).state.people).toBe(1);
    expect(play(moves, 120 * SECOND + 1).state.people).toBe(3);
  });
  test('are no duplicate after another message', () => {
    expect(play([without(b.people(0)), without(b.people(2)), without(b.people(0))], SECOND).situations[2]).toBe(
      'empty_room',
    );
  });
  test('are no duplicate after another message with a timestamp', () => {
    const words = [without(b.people(0)), b.people(2), without(b.people(0))];
    expect(play(words, SECOND, active, true).situations).toEqual(['', 'occupied_room', 'empty_room']);
  });
  test('show that the sensor is online', () => {
    expect(play([tilt, tilt], SECOND).state.lastSeen).toBe(start + SECOND);
  });
});

describe('a fall of a track', () => {
  test('makes one event for each posture, and is ended by any other pose', () => {
    const poses = [2, 2, 5, 5, 2, 5, 3, 3].map((pose) => b.pose(1, pose));
    expect(said(...poses)).toEqual(['fall_suspected', '', 'fall_detected', '', '', '', 'fall_finished', '']);
    expect(said(...[2, 10, 7, 8, 11].map((pose) => b.pose(1, pose)))).toEqual([
      'fall_suspected',
      'fall_canceled',
      'fall_suspected_sensitive',
      'fall_detected_sensitive',
      'fall_finished sitting_up_in_bed',
    ]);
  });
  test('is a new one after it ended', () => {
    expect(said(...[5, 1, 5].map((pose) => b.pose(1, pose)))).toEqual([
      'fall_detected',
      'fall_finished',
      'fall_detected',
    ]);
  });
  test('is not that of another track', () => {
    expect(said(b.pose(1, 5), b.pose(2, 5), b.pose(1, 1))).toEqual(['fall_detected', 'fall_detected', 'fall_finished']);
  });
  test('is not that of the next person with its number', () => {
    expect(said(b.move(1, 1), b.pose(1, 5), b.move(1, 2), b.pose(1, 5)).at(-1)).toBe('fall_detected');
    expect(said(b.pose(1, 5), b.online(false), b.pose(1, 5)).at(-1)).toBe('fall_detected sensor_active');
  });
  test('ends when the room is empty, or when its track leaves it', () => {
    for (const [pose, end] of [
      [5, 'fall_finished'],
      [8, 'fall_finished'],
      [2, 'fall_canceled'],
      [7, 'fall_canceled'],
    ] as const) {
      expect(said(b.people(1), b.pose(1, pose), b.people(0), b.people(0)).slice(2)).toEqual([`empty_room ${end}`, '']);
      expect(said(b.people(2), b.pose(1, pose), b.move(1, 2), b.move(2, 2)).slice(2)).toEqual([end, 'empty_room']);
      // Of another track too, when nobody else can be there.
      expect(said(b.people(1), b.pose(1, pose), b.move(2, 2)).at(-1)).toBe(`empty_room ${end}`);
    }
    expect(said(b.pose(1, 5), b.people(0), b.pose(1, 5))).toEqual(['fall_detected', 'fall_finished', 'fall_detected']);
  });
  test('is recognised while many others had no fall', () => {
    const others = Array.from({ length: 20 }, (_, at) => b.pose(at + 2, 1));
    expect(said(b.pose(1, 5), ...others, b.pose(1, 5), b.pose(1, 1)).slice(-2)).toEqual(['', 'fall_finished']);
  });
  test('suspected 3 times in 5 minutes is one loop, unless an alarm was raised', () => {
    const falls = (...poses: number[]) => said(...poses.map((pose) => b.pose(1, pose)));
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

describe('a lasting condition', () => {
  test('makes one event for an area that a track enters twice', () => {
    expect(said(b.move(1, 3, 2), b.move(1, 3, 2), b.move(2, 3, 2), b.move(1, 4, 2), b.move(1, 4, 2))).toEqual([
      'bed_entered',
      '',
      'bed_entered',
      'bed_left',
      '',
    ]);
  });
  test('repeats an alarm of vital signs after all was well, or after another alarm of its group', () => {
    const high = b.vital(11, 30, 70);
    const low = b.vital(12, 5, 70);
    const heart = b.vital(14, 15, 130);
    const well = b.vital(0, 15, 70);
    const nothing = b.vital(0, 0, 0);
    expect(said(high, high, heart, high, low, well, low, nothing, low)).toEqual([
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
  test('repeats a tilt after an hour without one, or when the sensor is online again', () => {
    expect(play([b.tilt(), b.tilt(), b.tilt()], 3_599 * SECOND).situations).toEqual(['sensor_tilted', '', '']);
    expect(play([b.tilt(), b.tilt()], 3_600 * SECOND).situations).toEqual(['sensor_tilted', 'sensor_tilted']);
    expect(said(b.tilt(), b.online(false), b.tilt()).at(-1)).toBe('sensor_tilted sensor_active');
  });
  test('reports offline once, and any message after it makes the sensor active', () => {
    expect(said(b.online(false), b.online(false), b.online(true), b.online(true))).toEqual([
      'sensor_inactive',
      '',
      'sensor_active',
      '',
    ]);
    expect(play([b.online(false)], SECOND, newSensorState).situations).toEqual(['']);
  });
});

test('a stored state stays small, whatever is reported', () => {
  const many = Array.from({ length: 200 }, (_, at) => [b.pose(at, 5), b.move(at, 3, at % 6, at % 16)]).flat();
  expect(JSON.stringify(encodeState({ ...play(many).state, decision: null })).length).toBeLessThan(900);
});
