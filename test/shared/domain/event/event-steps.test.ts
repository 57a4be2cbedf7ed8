import { describe, expect, test } from 'vitest';
import { eventOf, noticeEvent } from '#shared/domain/event/event.ts';
import {
  type Cause,
  isRecent,
  stepByCall,
  stepByMessage,
  stepByNotice,
  stepByTime,
  timeCause,
} from '#shared/domain/event/event-steps.ts';
import type { Signal, TrustedMessage } from '#shared/domain/event/message.ts';
import { uuidV5 } from '#shared/domain/ids.ts';
import { newSensorState, type SensorState } from '#shared/domain/sensor/sensor-state.ts';
import { noRoomContext } from '#shared/domain/state/room-context.ts';

const now = 1_800_000_000_000;
const MINUTE = 60_000;
const uuid = '00000000-0000-4000-8000-000000000000';
const cause: Cause = { uuid, receiveDate: now, sensorId: 's', source: uuid };
const active: SensorState = { ...newSensorState, version: 1, isActive: true, lastSeen: now - 1, clockWrongAt: now };
const message = (signal: Signal, more: Partial<TrustedMessage> = {}): TrustedMessage => ({
  signal,
  deviceTime: null,
  uuid,
  identity: null,
  wrong: [],
  byBytes: false,
  isClockWrong: false,
  ...more,
});
const apply = (state: SensorState, sent: TrustedMessage, raw = 'raw', at = now) =>
  stepByMessage(state, sent, { ...cause, receiveDate: at, raw }, noRoomContext);
const tilt: Signal = { kind: 'sign', situation: 'sensor_tilted' };
const moves: Signal = { kind: 'moves', moves: [{ track: 1, entered: true, area: null }] };
const situations = ({ events }: ReturnType<typeof apply>) => events.map(({ happening }) => happening.situation);

describe('message events', () => {
  const fallen = { fallPostures: ['fallen' as const], since: now - 5 };
  const state: SensorState = { ...active, isActive: false, presence: true, people: 2 };
  test("each event has a different UUID, and the first has the message's UUID", () => {
    const tracks = [
      { id: 1, ...fallen },
      { id: 2, ...fallen },
    ];
    const { events } = apply({ ...state, isActive: true, tracks }, message({ kind: 'people', count: 0 }));
    expect(events.map(({ happening }) => happening.situation)).toEqual([
      'empty_room',
      'fall_finished',
      'fall_finished',
    ]);
    expect(events.map((event) => event.uuid)).toEqual([
      uuid,
      uuidV5('s', uuid, 'fall', 'finished', 0),
      uuidV5('s', uuid, 'fall', 'finished', 1),
    ]);
  });

  test('an event UUID does not depend on events of other kinds', () => {
    const { events } = apply(state, message({ kind: 'people', count: 0 }));
    expect(events.map(({ happening }) => happening.situation)).toEqual(['empty_room', 'sensor_active']);
    expect(events[1]?.uuid).toBe(uuidV5('s', uuid, 'sensor', 'active', 0));
  });

  test('an event UUID depends on the kind and the number of earlier events of that kind', () => {
    const kinds = [
      'fall_finished',
      'fall_finished',
      'bed_entered',
      'door_entered',
      'sensor_tilted',
      'sensor_active',
    ] as const;
    const step = { state: active, events: kinds.map((kind) => eventOf(kind)) };
    const { events } = stepByNotice(step, ['fall_changed', {}], cause);
    expect(events.map((event) => event.uuid)).toEqual([
      uuid,
      uuidV5('s', uuid, 'fall', 'finished', 1),
      uuidV5('s', uuid, 'bed', 'entered', 0),
      uuidV5('s', uuid, 'door', 'entered', 0),
      uuidV5('s', uuid, 'sensor', 'tilted', 0),
      uuidV5('s', uuid, 'sensor', 'active', 0),
    ]);
  });

  test("events have the message's source and receipt date, and the device time if it is trusted", () => {
    expect(apply(active, message(tilt)).events).toMatchObject([{ source: uuid, receiveDate: now, createDate: now }]);
    expect(apply(active, message(tilt, { deviceTime: now - 9 })).events).toMatchObject([
      { receiveDate: now, createDate: now - 9 },
    ]);
  });

  test('a message that reuses the UUID of another message causes an event', () => {
    expect(
      apply(active, message(tilt, { isUuidReused: true })).events.map(({ happening }) => happening.action),
    ).toEqual(['tilted', 'uuid_reused']);
  });

  test('events report a wrong clock on the first message, then once a day', () => {
    const wrong = message({ kind: 'people', count: 0 }, { isClockWrong: true });
    const since = (clockWrongAt?: number) => {
      const { clockWrongAt: _, ...never } = active;
      return apply({ ...never, ...(clockWrongAt !== undefined && { clockWrongAt }) }, wrong);
    };
    expect(situations(since())).toEqual(['sensor_clock_wrong']);
    expect(since().next.clockWrongAt).toBe(now);
    expect(situations(since(now - 24 * 60 * MINUTE + 1))).toEqual([]);
    expect(situations(since(now - 24 * 60 * MINUTE))).toEqual(['sensor_clock_wrong']);
  });
});

describe('messages identified only by bytes', () => {
  const byBytes = message(tilt, { uuid: null, byBytes: true });
  const { next } = apply(active, byBytes, 'same');
  test('a message identified only by its bytes counts as a duplicate within two minutes', () => {
    expect([isRecent(next, now + 2 * MINUTE), isRecent(next, now + 2 * MINUTE + 1)]).toEqual([true, false]);
    expect([isRecent(next, now - 2 * MINUTE), isRecent(next, now - 2 * MINUTE - 1)]).toEqual([true, false]);
    expect(isRecent(active, now)).toBe(false);
    const repeated = apply({ ...next, signs: {} }, byBytes, 'same', now + 2 * MINUTE);
    expect([situations(repeated), repeated.next.last?.at]).toEqual([[], now + 2 * MINUTE]);
  });

  test('a message identified only by its bytes counts as new if the bytes differ or it arrives later', () => {
    expect(situations(apply({ ...next, signs: {} }, byBytes, 'other', now + 1))).toEqual(['sensor_tilted']);
    expect(situations(apply({ ...next, signs: {} }, byBytes, 'same', now + 2 * MINUTE + 1))).toEqual(['sensor_tilted']);
  });

  test('identical state reports are never treated as duplicates', () => {
    const state = message({ kind: 'people', count: 1 }, { uuid: null, byBytes: true });
    expect(apply(next, state, 'same').next).not.toHaveProperty('last');
    expect(apply(next, message(tilt), 'same').next).not.toHaveProperty('last');
  });
});

describe('track messages without an event', () => {
  test('a repeated track message does not count people twice', () => {
    const people = { ...active, people: 1, presence: true };
    const once = apply(people, message(moves), 'one');
    expect(once.next).toMatchObject({ people: 2, eventless: [expect.stringMatching(/^.{8}$/)] });
    expect(apply(once.next, message(moves), 'one').next.people).toBe(2);
    expect(apply(once.next, message(moves), 'two').next.people).toBe(3);
  });

  test('a repeated track message without a UUID is recognized by its identity', () => {
    const identified = message(moves, { uuid: null, identity: [1, 2] });
    const once = apply({ ...active, people: 1, presence: true }, identified, 'one');
    expect(apply(once.next, identified, 'with another space').next.people).toBe(2);
  });

  test('a track message is remembered only if it changed a track or a fall is open', () => {
    const nothing = message({ kind: 'postures', postures: [] });
    expect(apply({ ...active, tracks: [{ id: 1 }] }, nothing, 'x').next).not.toHaveProperty('eventless');
    const fallen: SensorState = {
      ...active,
      presence: true,
      people: 1,
      tracks: [{ id: 1, fallPostures: ['fallen'], since: now - 5 }],
    };
    const { next } = apply(fallen, nothing, 'x');
    expect(next.eventless).toHaveLength(1);
    expect(apply(next, nothing, 'x').next.eventless).toHaveLength(1);
    expect(apply(fallen, message({ kind: 'people', count: 1 }), 'x').next).not.toHaveProperty('eventless');
  });

  test('the state remembers the last 16 track messages that caused no event', () => {
    let state: SensorState = { ...active, people: 1, presence: true };
    for (let at = 0; at < 20; at++) state = apply(state, message(moves), `${at}`).next;
    expect(state.eventless).toHaveLength(16);
    const other = apply(state, message({ kind: 'people', count: 5 }), 'x').next;
    expect(other.eventless).toEqual(state.eventless);
    expect(apply({ ...active, people: 0 }, message(moves), 'x').next).not.toHaveProperty('eventless');
  });
});

test('a service notice causes an event but does not change the sensor state', () => {
  const answered = { state: active, events: [eventOf('fall_finished')] };
  const { next, events } = stepByNotice(answered, ['acknowledged', {}], cause);
  expect(next).toBe(active);
  expect(events.map(({ happening }) => happening.action)).toEqual(['acknowledged', 'finished']);
  expect(events[0]).toMatchObject({ uuid, createDate: now, happening: noticeEvent('acknowledged', {}) });
  expect(stepByNotice(answered, ['fall_changed', {}], cause).events.map(({ happening }) => happening.action)).toEqual([
    'finished',
  ]);
});

test('a request without a message reactivates an inactive sensor', () => {
  const { next, events } = stepByCall({ ...active, isActive: false }, cause);
  expect([next.isActive, next.lastSeen]).toEqual([true, now]);
  expect(events).toMatchObject([{ uuid, createDate: now, happening: { situation: 'sensor_active' } }]);
  expect(stepByCall(active, cause).events).toEqual([]);
});

test('a time-based event gets the same UUID when the decision is repeated', () => {
  const limits = { silentAt: now, timings: noRoomContext.timings };
  const timed = timeCause('s', active, now);
  expect(timed).toMatchObject({ receiveDate: now, sensorId: 's', source: null });
  expect(stepByTime(active, timed, limits).events).toMatchObject([
    { uuid: timed.uuid, happening: { situation: 'sensor_inactive' } },
  ]);
  expect(stepByTime(active, timed, { ...limits, silentAt: now + 1 }).events).toEqual([]);
  expect(timeCause('s', active, now + 5).uuid).toBe(timed.uuid);
  // A newer version can apply the same decision again.
  expect(timed.uuid).toBe('f66a9551-2157-5dd1-8119-5fe0bb0fb4a8');
  const others = [
    timeCause('t', active, now),
    timeCause('s', { ...active, version: 2 }, now),
    timeCause('s', { ...active, lastSeen: 1 }, now),
  ];
  expect(new Set([timed, ...others].map((other) => other.uuid)).size).toBe(4);
});
