import { describe, expect, test } from 'vitest';
import { checkTime } from '#functions/workers/process/check-time.ts';
import { currentState, loadRoom, loadSensor, type ProcessDeps } from '#functions/workers/process/context.ts';
import { newSensorState, UNCLEAR_MS } from '#shared/domain/sensor/sensor-state.ts';
import { durationsOf } from '#shared/domain/state/room-context.ts';
import { some } from '#test/fixtures/alarm-stubs.ts';
import { customerId, sensorId } from '#test/fixtures/hit-stubs.ts';
import { recordedCalls } from '#test/fixtures/recorded-calls.ts';
import { NOW, stubDeps } from '#test/fixtures/stub-deps.ts';

const key = { customerId, sensorId };
const sensor = { id: sensorId, hardwareId: '0a1b', name: 'Room 1', groupId: 4, room: null, firmwareVersion: 42 };
const customer = { id: customerId, name: 'Elm', timeZone: 'UTC' };
const stateOf = (more: object = {}) => ({
  ...newSensorState,
  version: 3,
  decision: null,
  isActive: true,
  lastSeen: NOW,
  ...more,
});

type World = {
  latest?: { sensor: object | null; customer: object | null; state: object | null };
  recent?: { sensor: object | null; state: object | null };
  former?: object | null;
  critical?: object | null;
  upSince?: number;
  isDecided?: boolean;
};
const world = ({
  latest = { sensor, customer, state: stateOf() },
  recent = { sensor, state: stateOf() },
  former = null,
  critical = null,
  upSince = 0,
  isDecided = true,
}: World = {}) => {
  const { calls, recorded, named, names } = recordedCalls();
  const store = {
    sensors: {
      getWithContext: recorded('latest', () => latest),
      getEventual: recorded('recent', () => recent.sensor),
      former: recorded('former', () => former),
      setActive: recorded('setActive'),
    },
    states: {
      get: recorded('state', () => recent.state),
      decide: recorded('decide', () => isDecided),
      scheduleCheck: recorded('schedule'),
    },
    rooms: { get: recorded('room', () => ({ regions: ['a region'] })) },
    configs: { get: recorded('config', () => critical && { values: critical }) },
    due: { upSince: recorded('upSince', () => upSince) },
    rules: { forSituation: recorded('rules', () => []) },
    recipients: { webhooks: async () => ({ webhooks: new Map(), bots: new Map() }) },
    events: { isApplied: recorded('isApplied', () => false), add: recorded('events') },
  };
  const stubs = stubDeps<ProcessDeps>(store, { longestGap: () => 90_000 });
  Object.assign(stubs.deps.settings, { SENSOR_INACTIVE_AFTER_SECONDS: 3_600 });
  return { ...stubs, calls, named, names };
};

describe('loading a sensor', () => {
  test('a sensor is read from a recent copy if slightly outdated data is enough', async () => {
    const { deps, calls } = world();
    const context = { customerId, sensor, customer: null, former: null, freshness: 'recent', state: stateOf() };
    expect(await loadSensor(deps, key, 'recent')).toEqual({ kind: 'found', context });
    expect(calls).toEqual([
      ['recent', customerId, sensorId],
      ['state', customerId, sensorId],
    ]);
  });

  test('a sensor is read consistently if alarms may follow', async () => {
    const { deps, calls } = world();
    const known = some(stateOf({ version: 2 }));
    expect(await loadSensor(deps, key, 'latest', known)).toMatchObject({
      kind: 'found',
      context: { customer, freshness: 'latest', former: null, state: { version: 3 } },
    });
    expect(calls).toEqual([['latest', customerId, sensorId, known]]);
  });

  test('a new sensor has an empty state', async () => {
    const { deps } = world({ latest: { sensor, customer, state: null } });
    expect(await loadSensor(deps, key, 'latest')).toMatchObject({
      context: { state: { ...newSensorState, decision: null } },
    });
  });

  test('a sensor missing from the first read is read again consistently', async () => {
    const arrived = world({ recent: { sensor: null, state: stateOf({ version: 9 }) } });
    expect(await loadSensor(arrived.deps, key, 'recent')).toMatchObject({ context: { freshness: 'latest' } });
    expect(arrived.named('latest')).toEqual([[customerId, sensorId, stateOf({ version: 9 })]]);
    const left = world({ recent: { sensor, state: stateOf({ ttl: 5 }) } });
    await loadSensor(left.deps, key, 'recent');
    expect(left.named('latest')).toHaveLength(1);
  });

  test('a sensor that left a customer is loaded as of that time', async () => {
    const former = { sensor: { ...sensor, name: 'Former' }, regions: [], critical: null, ttl: 77 };
    const state = stateOf({ ttl: 77 });
    for (const latest of [
      { sensor, customer, state },
      { sensor: null, customer, state: stateOf() },
    ]) {
      const { deps, named } = world({ latest, former });
      expect(await loadSensor(deps, key, 'latest')).toEqual({
        kind: 'found',
        context: { customerId, sensor: former.sensor, customer, former, freshness: 'latest', state: latest.state },
      });
      expect(named('former')).toEqual([[customerId, sensorId]]);
    }
  });

  test('a sensor without a record counts as gone', async () => {
    const latest = { sensor: null, customer: null, state: null };
    const gone = world({ latest });
    expect(await loadSensor(gone.deps, key, 'latest')).toMatchObject({ kind: 'gone', state: { decision: null } });
    const unlinked = world({ latest, former: {} });
    expect(await loadSensor(unlinked.deps, { customerId: 0, sensorId }, 'latest')).toMatchObject({ kind: 'gone' });
    expect(unlinked.named('former')).toEqual([]);
  });
});

test('future times in a state are corrected after the clock has been set back', async () => {
  const { deps } = world();
  const usual = some(stateOf({ lastSeen: NOW + 10_000 }));
  expect(await currentState(deps, usual)).toBe(usual);
  const future = await currentState(deps, some(stateOf({ lastSeen: NOW + 10_001 })));
  expect(future.lastSeen).toBeLessThanOrEqual(NOW);
});

describe('loading a room', () => {
  const load = async (needs: object, given: World & { of?: object } = {}) => {
    const stubs = world(given);
    const context = { customerId, sensor: { ...sensor, room: { regions: ['a bound'] } }, former: null, ...given.of };
    return { ...stubs, room: await loadRoom(stubs.deps, some(context), some(needs)) };
  };

  test('only the parts of a room that the step requires are read', async () => {
    const none = await load({ regions: false, critical: false });
    expect(none.calls).toEqual([]);
    expect(none.room).toEqual({ regions: [], bounds: ['a bound'], ...durationsOf(null, 42) });
    const critical = { callingDurationSec: 999 };
    const all = await load({ regions: true, critical: true }, { critical });
    expect(all.calls).toEqual([
      ['room', customerId, sensorId],
      ['config', { customerId, sensorId }, 'critical'],
    ]);
    expect(all.room).toEqual({ regions: ['a region'], bounds: ['a bound'], ...durationsOf(critical, 42) });
    const unmeasured = await load({ regions: false, critical: false }, { of: { sensor } });
    expect(unmeasured.room.bounds).toEqual([]);
  });

  test('a room is loaded as of the time the sensor left the customer', async () => {
    const former = { regions: ['former'], critical: { callingDurationSec: 888 } };
    const { calls, room } = await load({ regions: true, critical: true }, { of: { former } });
    expect(calls).toEqual([]);
    expect(room).toEqual({ regions: ['former'], bounds: ['former'], ...durationsOf(former.critical, 42) });
  });
});

describe('a scheduled sensor check', () => {
  const check = async (state: object, given: World = {}) => {
    const stubs = world({ latest: { sensor, customer, state }, ...given });
    await checkTime(stubs.deps, key);
    return stubs;
  };
  const entry = { duePk: 'due', dueAt: String(NOW - 5) };
  const HOUR = 3_600_000;

  test('a check does not change an online sensor', async () => {
    const { names } = await check(stateOf(entry));
    expect(names()).toEqual(['latest', 'upSince']);
  });

  test('a sensor is not marked as offline right after a service outage', async () => {
    const { named } = await check(stateOf(entry));
    expect(named('upSince')).toEqual([[NOW, 90_000]]);
    // During a service outage, no sensor counts as offline.
    const silent = stateOf({ ...entry, lastSeen: NOW - HOUR });
    expect((await check(silent, { upSince: NOW - HOUR + 1 })).named('decide')).toEqual([]);
  });

  test('a check marks a sensor as offline after the inactivity limit', async () => {
    const { named, names } = await check(stateOf({ ...entry, lastSeen: NOW - HOUR }));
    expect(named('decide')).toMatchObject([
      [key, 3, { isActive: false, decision: { decided: [{ happening: { situation: 'sensor_inactive' } }] } }, {}],
    ]);
    expect(names()).toContain('events');
    expect(named('setActive')).toEqual([[customerId, sensorId, false, NOW]]);
    expect(named('schedule')).toEqual([[customerId, sensorId, expect.objectContaining({ version: 4 }), null]]);
    expect((await check(stateOf({ ...entry, lastSeen: NOW - HOUR + 1 }))).named('decide')).toEqual([]);
  });

  test('a check advances a fall after the durations configured for the sensor', async () => {
    const fall = { start: NOW - 63_000, phases: ['detected'], at: NOW - 63_000 };
    const critical = { durationUntilConfirmSec: 60, energyDurationUntilConfirm: 0 };
    const { named } = await check(stateOf({ ...entry, falls: [fall] }), { critical });
    expect(named('config')).toEqual([[key, 'critical']]);
    expect(named('decide')).toMatchObject([[key, 3, { falls: [{ phases: ['detected', 'confirmed'] }] }, {}]]);
    expect((await check(stateOf(entry))).named('config')).toEqual([]);
  });

  test('a check removes a fall that timed out long ago', async () => {
    const ended = { start: NOW - 9 * HOUR, phases: ['calling', 'finished'], at: NOW - 8 * HOUR };
    const fall = { ...ended, endedByTime: NOW - 8 * HOUR, isAcknowledged: true };
    expect((await check(stateOf({ ...entry, falls: [fall] }))).named('decide')).toHaveLength(1);
    expect((await check({}, { latest: { sensor, customer, state: null } })).named('decide')).toEqual([]);
  });

  test('a check finishes a decision that a crash left incomplete', async () => {
    const decided = (source: string | null) => ({
      decided: [{ uuid: 'e', source, happening: { situation: null, type: 'x' }, rules: [] }],
      numbered: { series: 1, number: 0 },
      after: null,
    });
    expect((await check(stateOf({ ...entry, decision: decided(null) }))).named('isApplied')).toHaveLength(1);
    expect((await check(stateOf({ ...entry, decision: decided('m') }))).named('isApplied')).toEqual([]);
    const { decided: ofTime, ...others } = decided(null);
    const both = { ...others, decided: [...ofTime, ...decided('m').decided] };
    expect((await check(stateOf({ ...entry, decision: both }))).named('isApplied')).toEqual([]);
  });

  test('a check removes the due entry of a missing or moved sensor', async () => {
    const state = stateOf(entry);
    for (const given of [
      { latest: { sensor: null, customer, state } },
      { latest: { sensor: null, customer, state }, former: { sensor, regions: [], critical: null } },
    ])
      expect((await check({}, given)).named('schedule')).toEqual([[customerId, sensorId, state, null]]);
    expect((await check({}, { latest: { sensor: null, customer, state: stateOf() } })).named('schedule')).toEqual([]);
  });

  test("a check moves an active sensor's due entry only if it is too late", async () => {
    const offline = NOW + HOUR;
    const late = (ms: number) => check(stateOf({ ...entry, dueAt: String(offline + ms) }));
    expect((await late(10_000)).named('schedule')).toEqual([]);
    expect((await late(10_001)).named('schedule')).toEqual([
      [customerId, sensorId, expect.objectContaining({ version: 3 }), offline],
    ]);
    expect((await check(stateOf())).named('schedule')).toEqual([]);
  });

  test("a check moves the due entry of an inactive sensor to the fall's next change", async () => {
    const inactive = { isActive: false, lastSeen: NOW - HOUR };
    expect((await check(stateOf({ ...entry, ...inactive }))).named('schedule')).toEqual([
      [customerId, sensorId, expect.anything(), null],
    ]);
    const fall = { start: NOW, phases: ['detected'], at: NOW };
    const critical = { durationUntilConfirmSec: 60, energyDurationUntilConfirm: 0 };
    const falling = { ...inactive, falls: [fall] };
    expect((await check(stateOf({ ...entry, ...falling }), { critical })).named('schedule')).toEqual([
      [customerId, sensorId, expect.anything(), NOW + 63_000],
    ]);
    const now = { ...falling, duePk: 'due', dueAt: String(NOW) };
    expect((await check(stateOf(now), { critical })).named('schedule')).toHaveLength(1);
    expect((await check(stateOf(falling), { critical })).named('schedule')).toEqual([]);
    const later = { ...falling, duePk: 'due', dueAt: String(NOW + 1) };
    expect((await check(stateOf(later), { critical })).named('schedule')).toEqual([]);
    const ended = { start: NOW - HOUR, phases: ['calling', 'finished'], at: NOW - HOUR, endedByTime: NOW - HOUR };
    expect((await check(stateOf({ ...entry, ...inactive, falls: [ended] }))).named('schedule')).toEqual([
      [customerId, sensorId, expect.anything(), NOW - HOUR + UNCLEAR_MS],
    ]);
    // An entry later than the change dates from before the clock was set back.
    const future = { ...later, dueAt: String(NOW + 63_000 + 10_001) };
    expect((await check(stateOf(future), { critical })).named('schedule')).toHaveLength(1);
  });
});
