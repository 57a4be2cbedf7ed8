import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { messageUuid } from '#shared/domain/event/message.ts';
import { decoders, withTrustedTimes } from '#shared/domain/makers/decoders.ts';
import { decodeMakerB } from '#shared/domain/makers/maker-b/decode.ts';

const event = (type: unknown, data?: unknown, more: object = {}) => ({ cmd: 'event', type, data, ...more });
const signal = (message: unknown) => decodeMakerB(message).signal;
const UUID = '0b0e1c2d-3f40-4a5b-8c6d-7e8f90a1b2c3';

describe('maker B decoder', () => {
  test('decodeMakerB decodes who enters and leaves the room, beds, doors and other regions', () => {
    const move = (event: number, area_type?: number) => ({ 'track-id': 7, event, area_type, area_id: 3 });
    const kinds = [2, 5, 4, 1, undefined].map((type) => move(3, type));
    expect(signal(event(1, [move(1), move(2), ...kinds, move(4, 2)]))).toEqual({
      kind: 'moves',
      moves: [
        { track: 7, entered: true, area: null },
        { track: 7, entered: false, area: null },
        ...['bed', 'bed', 'door', 'default', null].map((kind) => ({
          track: 7,
          entered: true,
          area: { index: 3, kind },
        })),
        { track: 7, entered: false, area: { index: 3, kind: 'bed' } },
      ],
    });
  });
  test('decodeMakerB decodes the pose of each track', () => {
    const data = [
      { 'track-id': 1, pose: 5 },
      { 'track-id': 2, pose: 10 },
    ];
    expect(signal(event(2, data))).toEqual({
      kind: 'postures',
      postures: [
        { track: 1, pose: 5 },
        { track: 2, pose: 10 },
      ],
    });
  });
  test('decodeMakerB keeps valid list entries and skips invalid ones', () => {
    const invalid = [null, 5, {}, { 'track-id': 1 }, { pose: '5' }, { 'track-id': 1, pose: 5.5 }, { pose: Number.NaN }];
    const read = signal(event(2, [...invalid, { 'track-id': 'x', pose: 5 }]));
    expect(read).toEqual({ kind: 'postures', postures: [{ track: 0, pose: 5 }] });
    expect(signal(event(2, invalid))).toEqual({ kind: 'unknown', isAboutFalls: true });
    expect(signal(event(2, []))).toEqual({ kind: 'postures', postures: [] });
  });
  test.each([
    [event(3, { 'number-people': 2 }), { kind: 'people', count: 2 }],
    [event(5, { status: 0 }), { kind: 'online', isOnline: true }],
    [event(5, { status: 1 }), { kind: 'online', isOnline: false }],
    [event(7), { kind: 'sign', situation: 'sensor_weak_signal' }],
    [event(8, null), { kind: 'sign', situation: 'sensor_tilted' }],
    [
      { cmd: 'alarm', type: 8 },
      { kind: 'sign', situation: 'sensor_tilted' },
    ],
  ])('decodeMakerB decodes %j', (message, expected) => {
    expect(signal(message)).toEqual(expected);
  });
  test.each([
    [{ alarmType: 11, respirationRate: 30, heartRate: 70 }, 'respiration_high', true],
    [{ alarmType: 13, respirationRate: 0, heartRate: 0 }, 'apnea', false],
    [{ alarmType: 16 }, 'vital_signs_weak', true],
    [{ alarmType: 0, respirationRate: 15, heartRate: 0 }, null, true],
    [{ respirationRate: 0, heartRate: 0 }, null, false],
    [{ respirationRate: 15, heartRate: 'x' }, null, true],
  ])('decodeMakerB decodes vital signs %j as %s, with a reading: %s', (data, alarm, hasReading) => {
    expect(signal({ cmd: 'stat', data })).toEqual({ kind: 'vital', alarm, hasReading });
  });
  test.each([
    null,
    [],
    {},
    { cmd: 'event' },
    { cmd: 'other', type: 3, data: { 'number-people': 1 } },
    event(99, {}),
    event('3', { 'number-people': 1 }),
    event(3, { 'number-people': '1' }),
    event(3, { 'number-people': -1 }),
    event(3, { 'number-people': 1e9 }),
    event(3),
    event(5, { status: true }),
    event(5, {}),
    event(1, {}),
    event(2, { 'track-id': 1, pose: 5 }),
    { cmd: 'stat', data: {} },
    { cmd: 'stat', data: [] },
    { cmd: 'event', type: '__proto__', data: [] },
  ])('decodeMakerB decodes %j as unknown', (message) => {
    expect(signal(message)).toEqual({ kind: 'unknown' });
  });
  test('decodeMakerB never throws, regardless of message content', () => {
    const cmd = fc.constantFrom('event', 'alarm', 'stat', 'x');
    const data = fc.oneof(
      fc.jsonValue(),
      fc.array(fc.record({ 'track-id': fc.jsonValue(), pose: fc.jsonValue(), event: fc.jsonValue() })),
      fc.record({ 'number-people': fc.jsonValue(), alarmType: fc.jsonValue(), status: fc.jsonValue() }),
    );
    const property = fc.property(
      cmd,
      fc.oneof(fc.nat(20), fc.jsonValue()),
      data,
      fc.jsonValue(),
      (cmd, type, data, timestamp) => {
        expect(typeof decoders.maker_b({ cmd, type, data, timestamp }).signal.kind).toBe('string');
      },
    );
    fc.assert(property, { numRuns: 500 });
  });
});

describe('maker B message UUIDs', () => {
  const uuidOf = (message: object, arrival = [1, 0], sensorId = 's') =>
    messageUuid(sensorId, decodeMakerB(message), JSON.stringify(message), arrival);
  const people = (more: object) => event(3, { 'number-people': 1, ...more });

  test('uuidOf returns the UUID in a maker B message or its data', () => {
    for (const key of ['uuid', 'sensorEventId']) {
      expect(uuidOf({ ...people({}), [key]: UUID })).toBe(UUID);
      expect(uuidOf(people({ [key]: UUID }))).toBe(UUID);
    }
  });
  test('a derived maker B UUID depends on sensor, content and device timestamp', () => {
    for (const stamped of [people({ timestamp: 5 }), { ...people({}), timestamp: 5 }]) {
      expect(uuidOf(stamped, [9, 9])).toBe(uuidOf(stamped));
      expect(uuidOf(stamped, [1, 0], 'other')).not.toBe(uuidOf(stamped));
      expect(withTrustedTimes(decodeMakerB(stamped), 5)).toMatchObject({ deviceTime: 5, byBytes: false });
    }
    expect(uuidOf(people({ timestamp: 5 }))).not.toBe(uuidOf(people({ timestamp: 6 })));
    expect(uuidOf(people({ timestamp: 5 }))).not.toBe(uuidOf(people({ timestamp: 5, more: 1 })));
  });
  test('a derived maker B UUID depends on the arrival if the message is undated', () => {
    expect(uuidOf(people({}), [1, 0])).not.toBe(uuidOf(people({}), [2, 0]));
    for (const timestamp of [null, '5', -1, 1.5, 2 ** 60])
      expect(withTrustedTimes(decodeMakerB({ ...people({}), timestamp }), 5)).toMatchObject({
        deviceTime: null,
        byBytes: true,
      });
  });
});

test('a decoder warning names the fields that could not be decoded', () => {
  const wrongOf = (message: object) => {
    const { signal, wrong } = decodeMakerB({ cmd: 'event', ...message });
    return [signal.kind, ...wrong];
  };
  const pose = { 'track-id': '0', pose: '5' };
  expect(wrongOf({ type: 2, data: [pose] })).toEqual(['unknown', 'data.0.track-id', 'data.0.pose']);
  expect(wrongOf({ type: 3, data: { 'number-people': '1' } })).toEqual(['unknown', 'data.number-people']);
  expect(wrongOf({ type: 5, data: { status: 'x' } })).toEqual(['unknown', 'data.status']);
});
