import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { messageUuid } from '#shared/domain/event/message.ts';
import { splitMessages } from '#shared/domain/event/raw.ts';
import { decoders, withTrustedTimes } from '#shared/domain/makers/decoders.ts';
import { decodeMakerA } from '#shared/domain/makers/maker-a/decode.ts';

const UUID = '0b0e1c2d-3f40-4a5b-8c6d-7e8f90a1b2c3';
const fall = (payload: object = {}, top: object = {}) => ({
  type: 5,
  payload: { status: 'calling', timestamp: 1_000, ...payload },
  ...top,
});
const uuidOf = (message: object, sensorId = 's', arrival = [1, 0]) =>
  messageUuid(sensorId, decodeMakerA(message), JSON.stringify(message), arrival);

describe('maker A decoder', () => {
  test('decodeMakerA decodes all fall fields', () => {
    const location = { fallLocX_cm: 90, fallLocY_cm: -16.5, fallLocZ_cm: 20 };
    const message = fall({
      ...location,
      statusUpdateTimestamp: 2_000,
      isSimulated: true,
      isSilent: true,
      isLearning: true,
    });
    expect(decodeMakerA(message)).toMatchObject({
      signal: {
        kind: 'fall',
        status: 'calling',
        start: 1_000,
        point: { x: 90, y: -16.5, z: 20 },
        isSimulated: true,
        isSilent: true,
      },
      deviceTime: 2_000,
      uuid: null,
    });
  });
  test('decodeMakerA decodes a fall with only the required fields', () => {
    expect(decodeMakerA(fall())).toMatchObject({
      signal: { kind: 'fall', status: 'calling', point: null, isSimulated: false, isSilent: false },
      deviceTime: 1_000,
    });
    expect(decodeMakerA(fall({ fallLocX_cm: 1, fallLocY_cm: 2 }))).toMatchObject({
      signal: { point: { x: 1, y: 2 } },
    });
  });
  test.each([
    { fallLocX_cm: null },
    { fallLocX_cm: 1e6, fallLocY_cm: 1 },
    { fallLocZ_cm: 'high' },
    { statusUpdateTimestamp: 1.5 },
    { isSilent: null },
    { isSimulated: 0 },
  ])('decodeMakerA decodes a fall despite invalid optional fields %j', (invalid) => {
    expect(decodeMakerA(fall(invalid)).signal).toMatchObject({ kind: 'fall', status: 'calling', start: 1_000 });
  });
  test('decodeMakerA rounds coordinates that are too small for the table', () => {
    const location = { fallLocX_cm: 1e-140, fallLocY_cm: -5e-324, fallLocZ_cm: 0.12345 };
    expect(JSON.stringify(decodeMakerA(fall(location)).signal)).toContain('"point":{"x":0,"y":0,"z":0.123}');
  });
  test.each([
    [5, 'fall_detected', 'fall_detected', 'fall', false],
    [8, 'fall_suspected', 'fall_detected', 'sensitive', true],
    [8, 'calling', 'calling', 'sensitive', true],
    [5, 'on_call', 'calling', 'fall', false],
  ])('decodeMakerA decodes a fall of type %i and status %s', (type, reported, status, identity, isSensitive) => {
    const { signal, identity: found } = decodeMakerA({ ...fall({ status: reported }), type });
    expect(signal).toEqual({
      kind: 'fall',
      status,
      ...(reported === 'on_call' && { isOnCall: true }),
      start: 1_000,
      isSensitive,
      point: null,
      isSimulated: false,
      isSilent: false,
    });
    expect(found).toEqual([identity, 1_000, status]);
  });
  test('decodeMakerA decodes whether a fall happened during the learning phase', () => {
    expect(decodeMakerA(fall({ isLearning: true })).signal).toMatchObject({ isLearning: true });
    expect(decodeMakerA(fall({ isLearning: false })).signal).toMatchObject({ isLearning: false });
  });
  test('decodeMakerA decodes the regions a presence report covers', () => {
    const decode = (payload: object) => decodeMakerA({ type: 4, payload: { timestamp: 7, ...payload } });
    const regions = { 0: true, 3: false };
    const found = decode({ presenceRegionMap: { 0: 1, 3: 0, 1: 2, 2: true, x: 1 } });
    expect(found.signal).toEqual({ kind: 'presence', present: null, regions, point: null });
    expect(found.identity).toEqual(['presence', 7, JSON.stringify([null, regions])]);
    expect(decode({ presenceDetected: true, timestamp: undefined }).identity).toBeNull();
    for (const presenceRegionMap of [undefined, null, 'all', {}, { 0: 2 }])
      expect(decode({ presenceRegionMap }).signal.kind).toBe('unknown');
  });
  test.each([
    [{ fallLocX_cm: 1 }],
    [{ fallLocY_cm: 1 }],
    [{ trackerTargets: [{ xPosCm: 1 }] }],
    [{ trackerTargets: [{ yPosCm: 1 }] }],
    [{ trackerTargets: [] }],
    [{ trackerTargets: null }],
  ])('decodeMakerA does not decode a point from fewer than two coordinates: %j', (payload) => {
    expect(decodeMakerA(fall(payload)).signal).toMatchObject({ kind: 'fall', point: null });
  });
  test("decodeMakerA decodes presence with the first target's position", () => {
    const trackerTargets = [
      { xPosCm: 1, yPosCm: 2 },
      { xPosCm: 3, yPosCm: 4, zPosCm: 5 },
    ];
    const payload = { presenceDetected: true, presenceRegionMap: { 0: 1 }, trackerTargets, timestamp: 7, more: {} };
    expect(decodeMakerA({ type: 4, payload })).toMatchObject({
      signal: { kind: 'presence', present: true, point: { x: 1, y: 2 } },
      deviceTime: 7,
    });
    const without = { type: 4, payload: { presenceDetected: false, trackerTargets: [] } };
    expect(decodeMakerA(without)).toMatchObject({ signal: { present: false, point: null }, deviceTime: null });
  });
  test('decodeMakerA prefers the fall position to the tracker position', () => {
    const trackerTargets = [{ xPosCm: 1, yPosCm: 2 }];
    const times = { timestamp: 7, statusUpdateTimestamp: 9 };
    for (const [type, more] of [
      [4, { presenceDetected: true }],
      [5, { status: 'calling' }],
      [8, { status: 'calling' }],
      [10, {}],
    ] as const) {
      const message = { type, payload: { ...more, ...times, trackerTargets } };
      expect(decodeMakerA(message)).toMatchObject({ signal: { point: { x: 1, y: 2 } }, deviceTime: 9 });
    }
    const both = fall({ fallLocX_cm: 3, fallLocY_cm: 4, trackerTargets });
    expect(decodeMakerA(both).signal).toMatchObject({ point: { x: 3, y: 4 } });
  });
  test('decodeMakerA finds the firmware version in a state message, whatever the product name', () => {
    for (const [versionName, firmware] of [
      ['v0.44.5.26', 44],
      ['care-china-v0.44.5.26', 44],
      ['product_v0.45', 45],
      ['product 1 v0.46.1', 46],
      ['rev0.44', null],
      ['product-0.44', null],
    ] as const)
      for (const message of [
        { status: 'monitoring', versionName },
        { type: 'state', payload: { versionName } },
      ])
        expect(decodeMakerA(message).signal).toEqual({ kind: 'state', firmware });
    expect(decodeMakerA({ status: 'calling' }).signal.kind).toBe('unknown');
  });
  test('decodeMakerA names the invalid field in a message it cannot decode', () => {
    expect(decodeMakerA({ type: 5, payload: { status: 'CALLING' } })).toMatchObject({
      signal: { kind: 'unknown', isAboutFalls: true },
      wrong: ['payload.status'],
    });
  });
  test('decodeMakerA decodes the firmware version in a state message', () => {
    expect(decodeMakerA({ type: 'state', payload: { status: 'x' } }).signal).toEqual({ kind: 'state', firmware: null });
    for (const [versionName, firmware] of [
      ['0.42.1', 42],
      ['v0.40', 40],
      ['0.7-beta', 7],
      ['1.2.3', null],
      ['0.x', null],
      ['0.99999999999', null],
      [42, null],
    ])
      expect(decodeMakerA({ type: 'state', payload: { versionName } }).signal).toEqual({ kind: 'state', firmware });
  });
  test.each([undefined, '1000', -1, null])('a fall without a valid start has no start time: %j', (at) => {
    for (const type of [5, 8]) {
      const decoded = decodeMakerA({ type, payload: { status: 'calling', timestamp: at } });
      const { signal, byBytes, identity } = withTrustedTimes(decoded, 1_800_000_000_000);
      expect({ signal, byBytes, identity }).toMatchObject({
        signal: { kind: 'fall', status: 'calling', start: null },
        byBytes: true,
        identity: null,
      });
    }
  });
  test.each([
    {},
    { type: 5 },
    { type: 5, payload: null },
    { type: 5, payload: [] },
    { type: 99, payload: {} },
    { type: 'constructor', payload: {} },
    { type: '__proto__', payload: {} },
    { type: 'toString', payload: {} },
    fall({ status: 'fell' }),
    { type: 4, payload: {} },
    { type: 4, payload: { presenceDetected: 1 } },
    { payload: { status: 'calling', timestamp: 1 } },
  ])('decodeMakerA decodes %j as unknown', (message) => {
    expect(decodeMakerA(message).signal.kind).toBe('unknown');
  });
  test('the decoders never throw, regardless of message content', () => {
    const property = fc.property(fc.jsonValue(), fc.constantFrom(4, 5, 8, 10, 'state', 1), (payload, type) => {
      for (const maker of ['maker_a', 'maker_b'] as const)
        for (const message of [payload, { type, payload }, { cmd: 'event', type, data: payload }])
          expect(typeof decoders[maker](message).signal.kind).toBe('string');
    });
    fc.assert(property, { numRuns: 300 });
  });
});

describe('maker A message UUIDs', () => {
  test('uuidOf returns the UUID in a maker A message or its payload', () => {
    for (const key of ['uuid', 'sensorEventId'])
      for (const message of [fall({ [key]: UUID }), fall({}, { [key]: UUID }), { [key]: UUID.toUpperCase() }])
        expect(uuidOf(message)).toBe(UUID);
  });
  test('an invalid maker A UUID is replaced with a derived one', () => {
    for (const uuid of ['', 'x', 7, null, `${UUID}0`]) expect(uuidOf(fall({}, { uuid }))).toBe(uuidOf(fall()));
  });
  test('duplicates of a fall report get the same derived UUID', () => {
    expect(uuidOf(fall({ fallLocX_cm: 1 }), 's', [9, 9])).toBe(uuidOf(fall()));
    const others = [fall({ status: 'finished' }), fall({ timestamp: 1_001 })].map((message) => uuidOf(message));
    expect(new Set([...others, uuidOf(fall()), uuidOf(fall(), 'other')]).size).toBe(4);
  });
  test('otherwise identical maker A messages get different derived UUIDs', () => {
    const state = { type: 'state', payload: {} };
    expect(uuidOf(state, 's', [1, 0])).not.toBe(uuidOf(state, 's', [1, 1]));
  });
});

describe('splitMessages', () => {
  test('splitMessages returns array elements exactly as sent, or else the entire text', () => {
    expect(splitMessages(' [ {"a" : "],[\\"" } ,\n{"b":[1,{"c":"\\\\"}]}] ')).toEqual([
      '{"a" : "],[\\"" }',
      '{"b":[1,{"c":"\\\\"}]}',
    ]);
    expect(splitMessages(' {"a":[1,2]} ')).toEqual(['{"a":[1,2]}']);
    expect(splitMessages('[ ]')).toEqual([]);
  });
  test('splitMessages returns every element of any array', () => {
    const property = fc.property(
      fc.array(fc.dictionary(fc.string(), fc.jsonValue())),
      fc.nat(3),
      (messages, indent) => {
        const found = splitMessages(JSON.stringify(messages, null, indent)).map((text) => JSON.parse(text));
        expect(JSON.stringify(found)).toBe(JSON.stringify(messages));
      },
    );
    fc.assert(property);
  });
});
