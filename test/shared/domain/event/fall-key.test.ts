import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { eventOf } from '#shared/domain/event/event.ts';
import { fallKeyOf, fallOfEvent, fallOfKey, firstKeyOf, isRaisedAgain } from '#shared/domain/event/fall-key.ts';
import { MAX_ACKNOWLEDGED_MS, openFallsOf } from '#shared/domain/event/open-fall.ts';
import { type FallPosture, newSensorState } from '#shared/domain/sensor/sensor-state.ts';

const time = fc.integer({ min: 0, max: 2 ** 45 });

describe('fall keys', () => {
  test('a fall key contains everything that identifies the fall', () => {
    const falls = fc.oneof(
      fc.record({ fall: time, isSensitive: fc.boolean() }),
      fc.record({ fall: time, track: fc.nat() }),
      fc.record({ fall: time, track: fc.nat(), began: time }),
    );
    fc.assert(
      fc.property(falls, (subject: { fall: number; track?: number; began?: number; isSensitive?: boolean }) => {
        const { fall: start, began = start, track = null, isSensitive = false } = subject;
        expect(fallOfKey(fallKeyOf(subject) ?? '')).toEqual({ start, began, isSensitive, track });
      }),
    );
  });

  test('only fall events have a fall key', () => {
    expect([fallKeyOf(), fallKeyOf({ track: 1 })]).toEqual([null, null]);
    expect([
      fallKeyOf({ fall: 36 }),
      fallKeyOf({ fall: 36, isSensitive: true }),
      fallKeyOf({ fall: 36, track: 0 }),
    ]).toEqual(['10', '10-s', '10-0']);
  });

  test('the fall key of an event comes from the event or its subject', () => {
    const happening = eventOf('fall_detected', { subject: { fall: 36 } });
    expect(fallOfEvent({ happening })).toBe('10');
    expect(fallOfEvent({ happening, fall: 'z' })).toBe('z');
    expect(fallOfEvent({ happening: eventOf('apnea') })).toBeNull();
  });

  test("firstKeyOf returns the first alarm's key for any later alarm on the same track", () => {
    const [first, again] = [
      fallKeyOf({ fall: 36, track: 7 }) ?? '',
      fallKeyOf({ fall: 99, track: 7, began: 36 }) ?? '',
    ];
    expect([firstKeyOf(first), firstKeyOf(again), firstKeyOf('10-s'), firstKeyOf('10')]).toEqual([
      first,
      first,
      '10-s',
      '10',
    ]);
    expect([isRaisedAgain(first), isRaisedAgain(again), isRaisedAgain('10-s')]).toEqual([false, true, false]);
  });
});

describe('open falls', () => {
  test('open falls include every fall that may have left someone on the floor, newest first', () => {
    const falls = openFallsOf({
      ...newSensorState,
      falls: [
        { start: 100, phases: ['detected'], at: 110 },
        { start: 300, phases: ['detected', 'confirmed'], at: 200, isSimulated: true, isSensitive: true },
        { start: 150, phases: ['calling', 'finished'], endedByTime: 160, isAcknowledged: true },
        { start: 999, phases: ['calling', 'finished'] },
      ],
      tracks: [
        { id: 1, since: 400, fallPostures: ['suspected', 'fallen'] },
        { id: 2, since: 50, fallPostures: ['sitting_suspected'], isAcknowledged: true },
        { id: 3, since: 60, fallPostures: ['sitting'], alarmedAgain: 500 },
        { id: 4, since: 800, fallPostures: ['fallen'], isClosed: true },
        { id: 5, pose: 1 },
      ],
    });
    const plain = { isSensitive: false, isSimulated: false, isAcknowledged: false, suspicion: null };
    expect(falls).toEqual([
      { ...plain, since: 400, start: 400, fallState: 'calling', key: fallKeyOf({ fall: 400, track: 1 }) },
      {
        ...plain,
        since: 200,
        start: 300,
        fallState: 'confirmed',
        isSensitive: true,
        isSimulated: true,
        key: fallKeyOf({ fall: 300, isSensitive: true }),
        suspicion: expect.objectContaining({ start: 300 }),
      },
      { ...plain, since: 150, start: 150, fallState: 'calling', isAcknowledged: true, key: fallKeyOf({ fall: 150 }) },
      {
        ...plain,
        since: 100,
        start: 100,
        fallState: 'detected',
        key: fallKeyOf({ fall: 100 }),
        suspicion: expect.anything(),
      },
      {
        ...plain,
        since: 60,
        start: 500,
        fallState: 'calling',
        isSensitive: true,
        key: fallKeyOf({ fall: 500, track: 3, began: 60 }),
      },
      {
        ...plain,
        since: 50,
        start: 50,
        fallState: 'detected',
        isSensitive: true,
        isAcknowledged: true,
        key: fallKeyOf({ fall: 50, track: 2 }),
      },
    ]);
    expect(openFallsOf(newSensorState)).toEqual([]);
  });

  test('an open maker B fall is sensitive only if reported by sensitive detection alone', () => {
    const isSensitive = (...fallPostures: FallPosture[]) =>
      openFallsOf({ ...newSensorState, tracks: [{ id: 1, since: 5, fallPostures }] }).map((fall) => fall.isSensitive);
    expect([isSensitive('suspected'), isSensitive('fallen'), isSensitive('sitting', 'fallen')]).toEqual([
      [false],
      [false],
      [false],
    ]);
    expect(isSensitive('sitting_suspected', 'sitting')).toEqual([true]);
  });

  test('an acknowledged fall stays open for two hours', () => {
    expect(MAX_ACKNOWLEDGED_MS).toBe(2 * 60 * 60 * 1_000);
  });
});
