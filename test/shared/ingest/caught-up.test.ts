import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stepByMessage } from '#shared/domain/event/event-steps.ts';
import { fallStatuses } from '#shared/domain/event/message.ts';
import { decoders, withTrustedTimes } from '#shared/domain/makers/decoders.ts';
import { isUnchanged, newSensorState, type SensorState } from '#shared/domain/sensor/sensor-state.ts';
import { noRoomContext } from '#shared/domain/state/room-context.ts';
import { applyReports, changesNothing, mustRecordCall } from '#shared/ingest/ingest.ts';

const device = { sensorId: 'sensor-of-this-test', manufacturer: 'maker_a' } as const;
/** Applies a message to a state the way `process` does for queued messages. */
const processed = (state: SensorState, message: object, receiveDate: number) => {
  const raw = JSON.stringify(message);
  const cause = { receiveDate, sensorId: device.sensorId, uuid: 'u', source: null, raw };
  return stepByMessage(state, withTrustedTimes(decoders.maker_a(message), cause.receiveDate), cause, noRoomContext);
};
const stateAfter = (messages: readonly object[], from: SensorState = newSensorState): SensorState =>
  messages.reduce((state: SensorState, message, at) => processed(state, message, 1_000_000 + at).next, from);

const presence = (presenceDetected: boolean, more: object = {}) => ({
  type: 4,
  payload: { presenceDetected, ...more },
});
const timed = (presenceDetected: boolean, timestamp: number) => presence(presenceDetected, { timestamp });
const fall = (status: string, timestamp: number) => ({ type: 5, payload: { status, timestamp } });
const received = (messages: readonly object[], manufacturer: 'maker_a' | 'maker_b' = 'maker_a') =>
  messages.map((message) => ({
    raw: JSON.stringify(message),
    decoded: withTrustedTimes(decoders[manufacturer](message), 2_000_000),
  }));
const quietly = (state: SensorState, ...messages: object[]) =>
  applyReports(state, device.sensorId, received(messages), 2_000_000);

describe('skipping the queue', () => {
  const state = stateAfter([timed(true, 900_000), timed(true, 900_001)]);

  test('a report skips the queue only if it does not create an event', () => {
    expect(isUnchanged(state, quietly(state, timed(true, 900_002)) ?? newSensorState)).toBe(true);
    expect(quietly(state, timed(false, 900_002))).toBe(null);
    expect(quietly(state, timed(true, 900_002), timed(false, 900_003))).toBe(null);
  });

  test('a report that depends on more than the sensor state never skips the queue', () => {
    const reports = [
      presence(true, { timestamp: 900_002, presenceRegionMap: { 0: 1 } }),
      { type: 'state', payload: { status: 'monitoring', versionName: '0.42.1' } },
      { type: 10, payload: { timestamp: 900_002 } },
      { type: 99, payload: {} },
      {},
    ];
    for (const message of reports) expect(quietly(state, message), JSON.stringify(message)).toBe(null);
  });

  test('other messages never skip the queue, and the state is not even read', async () => {
    const states = { get: () => Promise.reject(new Error('the state was read')) };
    const sender = { ...device, customerId: 1, hash: 'h', notedCall: 'a', notedAt: 1 };
    for (const message of received([fall('calling', 1), { type: 10, payload: {} }, { type: 99 }]))
      expect(await changesNothing({ store: { states } } as never, sender, [message], 2_000_000)).toBe(false);
  });

  test('a fall report never skips the queue, even for a known fall', () => {
    const fallen = stateAfter([fall('calling', 900_002)], state);
    expect(processed(fallen, fall('calling', 900_002), 2_000_000).events).toEqual([]);
    expect(quietly(fallen, fall('calling', 900_002))).toBe(null);
  });

  test('a report from an offline sensor never skips the queue', () => {
    const inactive = { ...state, isActive: false };
    expect(quietly(inactive, timed(true, 900_002))).toBe(null);
    const offline = { cmd: 'event', type: 5, timestamp: 900_002, data: { status: 1 } };
    expect(applyReports(inactive, device.sensorId, received([offline], 'maker_b'), 2_000_000)).toBe(null);
  });
});

describe('recording requests', () => {
  test('a request with only falls does not need a record', () => {
    expect(mustRecordCall(received([fall('calling', 1), fall('finished', 1)]), {})).toBe(false);
    expect(mustRecordCall(received([fall('calling', 1), timed(true, 2)]), {})).toBe(true);
    expect(mustRecordCall(received([{}]), {})).toBe(true);
  });

  test("a busy device's request needs a record even if it contains only falls", () => {
    expect(mustRecordCall(received([fall('calling', 1)]), { isBusy: true })).toBe(true);
    expect(mustRecordCall(received([fall('calling', 1)]), { isHeldBack: true })).toBe(true);
  });

  test('a report with no effect still has none after pending falls are processed', () => {
    const start = fc.constantFrom(900_000, 900_100, 900_200);
    const falls = fc.array(
      fc.record({ type: fc.constantFrom(5, 8), status: fc.constantFrom(...fallStatuses), start }).map((fall) => ({
        type: fall.type,
        payload: {
          status: fall.status,
          isLearning: fall.start === 900_200,
          ...(fall.start !== 900_100 && { timestamp: fall.start }),
        },
      })),
      { maxLength: 6 },
    );
    const messages = fc.array(
      fc.oneof(
        fc.boolean().map((is) => presence(is)),
        fc.tuple(fc.boolean(), fc.integer({ min: 900_000, max: 900_300 })).map(([is, at]) => timed(is, at)),
        start.map((at) => fall('calling', at)),
        start.map((timestamp) => ({ type: 10, payload: { timestamp } })),
      ),
      { maxLength: 8 },
    );
    const report = fc.oneof(
      fc.boolean().map((is) => presence(is)),
      fc.tuple(fc.boolean(), fc.integer({ min: 900_000, max: 900_400 })).map(([is, at]) => timed(is, at)),
    );
    let quiet = 0;
    fc.assert(
      fc.property(messages, falls, report, (before, pending, last) => {
        const state = stateAfter(before);
        const unrecorded = quietly(state, last);
        if (!unrecorded || !isUnchanged(state, unrecorded)) return;
        quiet += 1;
        const later = stateAfter(pending, state);
        const result = processed(later, last, 2_000_000);
        expect(result.events).toEqual([]);
        // Only the counts of understood messages may differ, because they need not be exact.
        const { understanding: _, ...next } = result.next;
        const { understanding: counts } = later;
        expect(isUnchanged(later, { ...next, ...(counts && { understanding: counts }) })).toBe(true);
      }),
      { numRuns: 2_000 },
    );
    expect(quiet).toBeGreaterThan(100);
  });
});
