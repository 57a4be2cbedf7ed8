import { describe, expect, test } from 'vitest';
import { type Decided, numberAfter, rawMessageOf } from '#shared/domain/event/decision.ts';
import {
  DAY,
  EVENT_RETENTION,
  eventOf,
  eventType,
  fallAlarms,
  isTrustedTime,
  kindsWithoutRules,
  lateEvent,
  NormalizedCoordinates,
  noticeEvent,
  pingEvent,
  Situation,
  unknownEvent,
  uuidReusedEvent,
} from '#shared/domain/event/event.ts';
import { eventKeyOf, fallKeyOf, fallOfKey, isEventKey } from '#shared/domain/event/fall-key.ts';
import { firstIdAt } from '#shared/domain/ids.ts';
import { kinds } from '#shared/domain/kinds.ts';

const now = 1_800_000_000_000;
const plain = { point: null, region: null, isSimulated: false, isSilent: false, newFall: false };

test('a device time is trusted from 24 hours before receipt to 5 minutes after', () => {
  expect([now - DAY, now, now + 300_000].map((time) => isTrustedTime(time, now))).toEqual([true, true, true]);
  expect([now - DAY - 1, now + 300_001].map((time) => isTrustedTime(time, now))).toEqual([false, false]);
  expect(DAY).toBe(24 * 60 * 60 * 1_000);
});

test('events are stored for 120 days', () => {
  expect(EVENT_RETENTION).toBe(120 * 24 * 60 * 60 * 1_000);
});

describe('events', () => {
  test('an event has the type and code of its situation', () => {
    expect(eventOf('fall_detected')).toEqual({ situation: 'fall_detected', ...kinds.fall_detected, ...plain });
    const more = { isSimulated: true, isSilent: true, newFall: true, point: { x: 1, y: 2 } };
    expect(eventOf('apnea', more)).toMatchObject({ situation: 'apnea', type: 'vital', code: null, ...more });
  });

  test('an event that no rule can watch for has no situation', () => {
    const kindOf = (type: string, action: string) => ({ situation: null, type, action, code: null, ...plain });
    expect(unknownEvent).toEqual(kindOf('unknown', 'received'));
    expect(lateEvent).toEqual(kindOf('message', 'late'));
    expect(uuidReusedEvent).toEqual(kindOf('message', 'uuid_reused'));
    expect(pingEvent).toEqual({ ...kindOf('test', 'ping'), code: 8 });
    expect(noticeEvent('unnotified', {})).toEqual(kindOf('alarm', 'unnotified'));
  });

  test('the names of service events never change', () => {
    expect(Object.values(kindsWithoutRules).map(({ type, action, code }) => `${type}/${action} ${code}`)).toEqual([
      'sensor/registered null',
      'sensor/registration_refused null',
      'sensor/learning_completed null',
      'webhook/disabled null',
      'delivery/failed null',
      'alarm/acknowledged null',
      'alarm/unnotified null',
      'alarm/unanswered null',
      'unknown/received null',
      'message/late null',
      'message/uuid_reused null',
      'test/ping null',
    ]);
  });

  test('an acknowledgement event contains the acknowledgement', () => {
    const acknowledgement = { ruleHitId: 1, userId: 2, name: 'Anna', date: 3 };
    expect(noticeEvent('acknowledged', { acknowledgement })).toMatchObject({ acknowledgement });
  });

  test('a fall event is never rate-limited', () => {
    expect(fallAlarms).toEqual(['fall_suspected', 'fall_detected', 'fall_detected_sensitive']);
  });
});

describe('event schemas', () => {
  test('event schemas list exactly the known codes and situations', () => {
    expect([1, 8, 31].map((code) => eventType().safeParse(code).success)).toEqual([true, true, true]);
    expect([0, 3, 99, null, '1'].map((code) => eventType().safeParse(code).success)).not.toContain(true);
    expect(Situation.options).toEqual(Object.keys(kinds));
  });

  test('event coordinates range from 0 to 1', () => {
    for (const edge of [0, 1]) expect(NormalizedCoordinates.parse({ x: edge, y: edge, z: edge })).toBeTruthy();
    for (const axis of ['x', 'y', 'z'])
      for (const outside of [-0.001, 1.001])
        expect(NormalizedCoordinates.safeParse({ x: 0, y: 0, z: 0, [axis]: outside }).success).toBe(false);
  });
});

describe('event keys', () => {
  test('an event key never equals a fall key', () => {
    const key = eventKeyOf(firstIdAt(now) + 5);
    expect(key).toBe(`${now.toString(36)}-e`);
    expect(isEventKey(key)).toBe(true);
    for (const fall of [{ fall: now }, { fall: now, isSensitive: true }, { fall: now, track: 14 }])
      expect(isEventKey(fallKeyOf(fall) ?? '')).toBe(false);
    expect(fallOfKey(key)).toEqual({ start: now, began: now, isSensitive: false, track: null });
  });
});

describe('decisions', () => {
  test('hits are numbered in the order in which rules fire', () => {
    const decided = [{ rules: [1, 2] }, { rules: [] }, { rules: [3, 4] }] as unknown as Decided[];
    expect(numberAfter({ decided, after: null, numbered: { series: 5, number: 7 } }, now)).toEqual({
      series: 5,
      number: 11,
    });
    expect(numberAfter({ decided: [], after: null, numbered: { series: 5, number: 7 } }, now)).toEqual({
      series: 5,
      number: 7,
    });
    expect(numberAfter(null, now)).toEqual({ series: now, number: 0 });
  });

  test("a Raw delivery contains the event's message, or the fall's message if the event has none", () => {
    expect(rawMessageOf({ source: 'own', fallMessage: 'of the fall' })).toBe('own');
    expect(rawMessageOf({ source: null, fallMessage: 'of the fall' })).toBe('of the fall');
    expect(rawMessageOf({ source: null })).toBe(null);
  });
});
