import { describe, expect, test } from 'vitest';
import type { ProcessDeps } from '#functions/workers/process/context.ts';
import { type MessageInput, readInputs, type SensorInput } from '#functions/workers/process/inputs.ts';
import { createEventIds, judge } from '#functions/workers/process/judge.ts';
import { uuidV5 } from '#shared/domain/ids.ts';
import { newSensorState } from '#shared/domain/sensor/sensor-state.ts';
import { withLogContext } from '#shared/observability/log.ts';
import { some } from '#test/fixtures/alarm-stubs.ts';
import { customerId, sensorId } from '#test/fixtures/hit-stubs.ts';
import { fallMessage } from '#test/fixtures/home.ts';
import { recordedCalls } from '#test/fixtures/recorded-calls.ts';
import { NOW, stubDeps } from '#test/fixtures/stub-deps.ts';

const sensor = {
  id: sensorId,
  hardwareId: '0a1b',
  name: 'Room 1',
  groupId: 4,
  room: null,
  firmwareVersion: 42,
  manufacturer: 'maker_a',
};
const online = { ...newSensorState, version: 3, decision: null, isActive: true, lastSeen: NOW - 1_000 };
const presence = (isPresent: boolean, uuid?: string, at = NOW) =>
  JSON.stringify({ type: 4, ...(uuid && { uuid }), payload: { presenceDetected: isPresent, timestamp: at } });
const uuidOf = (at: number) => `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`;

type World = {
  stored?: readonly string[];
  latest?: { sensor: object | null; state: object | null };
  basic?: object | null;
  putResults?: readonly string[];
  answer?: object;
  exists?: boolean;
};
const world = ({
  stored = [],
  latest = { sensor, state: online },
  basic = null,
  putResults = [],
  answer = {},
  exists = false,
}: World = {}) => {
  const { calls, recorded, named } = recordedCalls();
  const [results, puts] = [[...stored], [...putResults]];
  const store = {
    sensors: {
      getWithContext: recorded('latest', () => ({ ...latest, customer: { rules: 0 } })),
      former: async () => null,
      setFirmware: recorded('setFirmware'),
    },
    events: {
      storeMessage: recorded('storeMessage', () => results.shift() ?? 'stored'),
      exists: recorded('exists', () => exists),
      notice: async () => null,
    },
    configs: {
      get: recorded('config', () => basic && { values: basic }),
      put: recorded('putConfig', () => puts.shift() ?? 'done'),
    },
    rooms: { get: recorded('room', () => ({ regions: [] })) },
    fallAnswers: { get: recorded('answer', () => answer) },
  };
  const stubs = stubDeps<ProcessDeps>(store);
  const inputsOf = (...messages: string[]) =>
    readInputs(
      stubs.deps,
      some([
        {
          sequence: '5',
          receives: 1,
          task: {
            type: 'process_messages',
            manufacturer: 'maker_a',
            messages,
            receiveDate: NOW,
            first: 0,
            requestId: 'call-1',
          },
        },
      ]),
    );
  const contextOf = (more: object = {}) =>
    some({ customerId, sensor, customer: { rules: 0 }, former: null, freshness: 'latest', state: online, ...more });
  return { ...stubs, calls, named, inputsOf, contextOf };
};
/** Judges messages, with these items in the store. */
const run = async (messages: string[], given: World & { context?: object; inputs?: readonly object[] } = {}) => {
  const stubs = world(given);
  const inputs = [...(await stubs.inputsOf(...messages)), ...((given.inputs ?? []) as SensorInput[])];
  const result = await withLogContext({}, () => judge(stubs.deps, stubs.contextOf(given.context), inputs));
  if (result.kind !== 'judged') return { ...stubs, inputs, result: null };
  return { ...stubs, inputs, result };
};

test("a message that creates an event is stored first, with the event's id", async () => {
  const message = presence(true, uuidOf(1));
  const { result, named, inputs } = await run([message]);
  const [event] = result?.events ?? [];
  expect(event).toMatchObject({
    uuid: uuidOf(1),
    source: uuidOf(1),
    requestId: 'call-1',
    createDate: NOW,
    receiveDate: NOW,
    happening: { situation: 'occupied_room' },
  });
  expect(named('storeMessage')).toEqual([
    [{ uuid: uuidOf(1), raw: message, at: 0, customerId, sensorId, id: event?.id, receiveDate: NOW }],
  ]);
  expect(result?.next).toMatchObject({ lastSeen: NOW });
  expect(result?.inputs).toEqual(inputs);
  expect(result?.judged).toMatchObject({ position: '5#000', receiveDate: NOW });
  expect(event).not.toHaveProperty('isLong');
});

test('a message too long for lists is marked as long', async () => {
  const { payload, ...others } = JSON.parse(presence(true, uuidOf(1)));
  const long = JSON.stringify({ ...others, payload: { ...payload, note: 'x'.repeat(300_000) } });
  expect((await run([long])).result?.events).toMatchObject([{ isLong: true }]);
});

test('a message that is already stored only marks the device as online', async () => {
  const { result } = await run([presence(true, uuidOf(1))], { stored: ['duplicate'] });
  expect(result?.events).toEqual([]);
  expect(result?.next).toMatchObject({ lastSeen: NOW, isActive: true });
  const back = await run([presence(true, uuidOf(1))], {
    stored: ['duplicate'],
    context: { state: { ...online, isActive: false } },
  });
  // The event's UUID is derived, because the message's UUID belongs to the earlier event.
  expect(back.result?.events).toMatchObject([
    { uuid: uuidV5(sensorId, 'heard', NOW), source: null, happening: { situation: 'sensor_active' } },
  ]);
});

test('a message that reuses a UUID gets one derived from its content', async () => {
  const message = presence(true, uuidOf(1));
  const { result, named } = await run([message], { stored: ['uuid_used', 'stored'] });
  const derived = uuidV5(uuidOf(1), message);
  expect(named('storeMessage').map(([item]) => (item as { uuid: string }).uuid)).toEqual([uuidOf(1), derived]);
  expect(result?.events.map(({ uuid, happening }) => [uuid === derived, happening.action])).toEqual([
    [true, 'occupied_room'],
    [false, 'uuid_reused'],
  ]);
  // A message without a UUID cannot be distinguished from the earlier one.
  const plain = await run([presence(true)], { stored: ['uuid_used'] });
  expect([plain.result?.events, plain.named('storeMessage').length]).toEqual([[], 1]);
});

test('a message that does not create an event is not stored', async () => {
  const { result, named } = await run([presence(false, uuidOf(1)), presence(false, uuidOf(2))], {
    context: { state: { ...online, presence: false } },
  });
  expect(named('storeMessage').length).toBe(result?.events.length);
  expect((await run([], { inputs: [{ kind: 'call', position: '1', receiveDate: NOW }] })).calls).toEqual([]);
});

describe('events in a decision', () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, at) => presence(at % 2 === 0, uuidOf(at), NOW + at));

  test('a decision has at most 25 events, or fewer if there are many rules', async () => {
    expect((await run(many(30))).result?.events).toHaveLength(25);
    expect((await run(many(30), { context: { customer: { rules: 50 } } })).result?.events).toHaveLength(5);
    expect((await run(many(3), { context: { customer: { rules: 1_000 } } })).result?.events).toHaveLength(1);
    expect((await run(many(30), { context: { customer: null } })).result?.events).toHaveLength(25);
  });

  test('events that do not fit into a decision are left for the next one', async () => {
    const { result, inputs } = await run(many(30));
    expect(result?.inputs).toEqual(inputs.slice(0, 25));
    expect(result?.judged).toMatchObject({ position: '5#024' });
  });

  test('event ids continue from the previous decision in order', async () => {
    const ids = (await run(many(3))).result?.events.map(({ id }) => id) ?? [];
    expect(ids.toSorted((a, b) => a - b)).toEqual(ids);
    const { deps } = world();
    const first = createEventIds(deps, some({ decision: null }))(NOW);
    const last = { id: first + 5, createDate: NOW };
    expect(createEventIds(deps, some({ decision: { decided: [last] } }))(NOW)).toBe(first + 6);
  });
});

describe('sensor versions', () => {
  const recent = { freshness: 'recent', customer: null };

  test('the sensor is read again before anything depends on its latest version', async () => {
    const { result, named } = await run([presence(true, uuidOf(1))], { context: recent });
    expect(named('latest')).toEqual([[customerId, sensorId, online]]);
    expect(result?.context.freshness).toBe('latest');
    expect(named('storeMessage')).toHaveLength(1);
    const fall = JSON.stringify(fallMessage('calling', NOW));
    expect((await run([fall], { context: recent })).named('latest')).toHaveLength(1);
  });

  test('the sensor is not read again for a call without messages', async () => {
    const state = { ...online, lastSeen: NOW - 60_000 };
    const call = { kind: 'call', position: '6', receiveDate: NOW };
    const { result, named } = await run([], { context: { ...recent, state }, inputs: [call] });
    expect(named('latest')).toEqual([]);
    expect(result).toMatchObject({ events: [], context: { freshness: 'recent' }, next: { lastSeen: NOW } });
  });

  test('a message from a missing sensor is not judged', async () => {
    const { result } = await run([presence(true, uuidOf(1))], {
      context: recent,
      latest: { sensor: null, state: null },
    });
    expect(result).toBeNull();
  });
});

test('the timings for a fall are read when it is first reported', async () => {
  const { result, named } = await run([JSON.stringify(fallMessage('fall_detected', NOW))]);
  expect(named('config')).toEqual([[{ customerId, sensorId }, 'critical']]);
  expect(result?.timings).toMatchObject({ calling: expect.any(Number) });
  expect((await run([presence(true, uuidOf(1))])).result?.timings).toBeNull();
});

describe('reported firmware', () => {
  const stateSignal = (firmware: number | null): MessageInput =>
    some({
      kind: 'message',
      position: '6',
      receiveDate: NOW,
      raw: '{}',
      at: 0,
      decoded: { signal: { kind: 'state', firmware }, uuid: null, deviceTime: null, identity: null, byBytes: true },
    });
  const reported = async (firmware: number | null) =>
    (await run([], { inputs: [stateSignal(firmware)] })).named('setFirmware');

  test('the firmware version that a device reports is stored if it has changed', async () => {
    expect(await reported(43)).toEqual([[customerId, sensorId, 43]]);
    expect(await reported(42)).toEqual([]);
    expect(await reported(null)).toEqual([]);
    expect((await run([presence(true, uuidOf(1))])).named('setFirmware')).toEqual([]);
  });
});

describe('the end of a learning phase', () => {
  const basic = { learningUntil: NOW + 60_000, testUntil: NOW + 5 };
  const learnt = JSON.stringify(fallMessage('calling', NOW, { isLearning: false }));
  const learning = { context: { state: { ...online, learning: true } } };

  test('the end of the learning phase is stored when a device reports it', async () => {
    const { named } = await run([learnt], { ...learning, basic });
    const key = { customerId, sensorId, manufacturer: 'maker_a' };
    const values = { learningUntil: 0, testUntil: 0 };
    expect(named('config')[0]).toEqual([key, 'basic']);
    expect(named('putConfig')).toEqual([
      [key, 'basic', { values, learning: { started: null, canceled: NOW + 60_000 } }, { values: basic }],
    ]);
  });

  test('the end of the learning phase is stored even if the configuration changes concurrently', async () => {
    expect(
      (await run([learnt], { ...learning, basic, putResults: ['changed', 'done'] })).named('putConfig'),
    ).toHaveLength(2);
    expect((await run([learnt], { ...learning, basic: null })).named('putConfig')).toEqual([]);
    expect((await run([learnt], { ...learning, basic: { ...basic, learningUntil: 0 } })).named('putConfig')).toEqual(
      [],
    );
    expect((await run([learnt], { basic })).named('putConfig')).toEqual([]);
  });
});

describe('notices', () => {
  const notice = (more: object = {}, uuid = uuidOf(7)) => ({
    kind: 'notice',
    position: '6#000',
    receiveDate: NOW - 3,
    uuid,
    requestId: 'call-2',
    notice: { notice: 'unnotified', receiveDate: NOW - 3, ...more },
  });

  test('a notice becomes an event only once, even if the task is repeated', async () => {
    const { result, named } = await run([], { inputs: [notice(), notice()] });
    expect(result?.events.map(({ uuid }) => uuid)).toEqual([uuidOf(7)]);
    expect(result?.events[0]).toMatchObject({
      source: null,
      createDate: NOW - 3,
      requestId: 'call-2',
      happening: { type: 'alarm', action: 'unnotified' },
    });
    expect(named('exists')).toEqual([[customerId, sensorId, uuidOf(7)]]);
    expect(named('answer')).toEqual([]);
    const before = await run([], { inputs: [notice()], exists: true });
    expect(before.result).toMatchObject({ events: [], judged: { position: '6#000' } });
  });

  test("acknowledging or closing a fall changes the fall's state", async () => {
    const fall = NOW.toString(36);
    const state = { ...online, falls: [{ start: NOW, phases: ['calling'], at: NOW }] };
    const { result, named } = await run([], {
      inputs: [notice({ notice: 'fall_changed', fall })],
      context: { state },
      answer: { acknowledgement: { name: 'Anna' } },
    });
    expect(named('answer')).toEqual([[{ customerId, sensorId, fall }]]);
    expect(result).toMatchObject({ events: [], next: { falls: [{ isAcknowledged: true }] } });
  });
});
