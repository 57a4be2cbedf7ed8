import { describe, expect, test } from 'vitest';
import type { ProcessDeps } from '#functions/workers/process/context.ts';
import { followNotice, recordAlarms, settleAcknowledged, withAnswer } from '#functions/workers/process/settle-fall.ts';
import { firstDeliveryId } from '#shared/domain/delivery/snapshot.ts';
import { newSensorState } from '#shared/domain/sensor/sensor-state.ts';
import { customerId, MADE, sensorId, some } from '#test/fixtures/alarm-stubs.ts';
import { recordedCalls } from '#test/fixtures/recorded-calls.ts';
import { NOW, readsOf, stubDeps } from '#test/fixtures/stub-deps.ts';

const start = MADE;
const fall = start.toString(36);
/** A repeated alarm for the same fall on a track. */
const again = `${(start + 500).toString(36)}-3-${start.toString(36)}`;
const ref = { customerId, sensorId, fall };

type World = {
  answer?: object;
  changedHits?: object[];
  unanswered?: object[];
  deliveries?: Record<string, unknown>;
  hooks?: Record<string, string>;
};
const world = ({ answer = {}, changedHits = [], unanswered = [], deliveries = {}, hooks }: World = {}) => {
  const { calls, recorded } = recordedCalls();
  const store = {
    fallAnswers: {
      get: recorded('get', () => answer),
      settle: recorded('settle', () => changedHits),
      unanswered: recorded('unanswered', () => unanswered),
      recordAlarm: recorded('recordAlarm', () => true),
    },
    sensors: { getWithContext: recorded('sensor', () => ({ sensor: null, customer: hooks ? { hooks } : null })) },
    deliveries: { get: recorded('delivery', readsOf(deliveries)) },
  };
  return { ...stubDeps<ProcessDeps>(store), calls };
};
const context = (state: object) => some({ customerId, sensor: { id: sensorId }, state });

describe("a sensor's state", () => {
  const open = { ...newSensorState, falls: [{ start, phases: ['calling'] as const, at: start }] };

  test('the sensor state shows whether a fall is acknowledged', async () => {
    const { deps, calls } = world({ answer: { acknowledgement: { name: 'Anna' } } });
    const { state, events } = await withAnswer(deps, ref, some(open));
    expect(state.falls).toMatchObject([{ start, isAcknowledged: true }]);
    expect(events).toEqual([]);
    expect(calls).toEqual([['get', ref]]);
    const withdrawn = await withAnswer(world().deps, ref, state);
    expect(withdrawn.state.falls[0]).not.toHaveProperty('isAcknowledged');
  });

  test('closing a fall ends it in the sensor state', async () => {
    const { deps } = world({ answer: { acknowledgement: { name: 'Anna' }, closure: { date: NOW - 5 } } });
    const { state, events } = await withAnswer(deps, ref, some(open));
    expect(state.falls).toMatchObject([{ start, closedAt: NOW - 5 }]);
    expect(events).toHaveLength(1);
  });

  test("the sensor state reflects the acknowledgement of a fall's newest alarm", async () => {
    const { deps, calls } = world();
    const track = { id: 3, since: start, alarmedAgain: start + 500, fallPostures: [] };
    await withAnswer(deps, { ...ref, fall: `${fall}-3` }, some({ ...newSensorState, tracks: [track] }));
    expect(calls).toEqual([['get', { ...ref, fall: again }]]);
  });
});

describe('acknowledging or closing a fall', () => {
  const hit = {
    id: 11,
    sensorId,
    sensorEventId: 'event-1',
    situation: 'fall_detected',
    createDate: MADE - 1,
    messages: [],
  };
  const checkOf = (more: object) => ({
    type: 'check_alarm',
    customerId,
    sensorId,
    situation: 'fall_detected',
    ...more,
  });

  test('acknowledging or closing a fall schedules a check of each unnotified hit', async () => {
    const fresh = { ...hit, id: 12, createDate: NOW - 1_000 };
    const { deps, calls, enqueued } = world({ changedHits: [hit, { ...hit, notifiedDate: 1 }, fresh] });
    await followNotice(deps, ref, some({ notice: 'acknowledged' }));
    expect(calls).toEqual([['settle', ref, NOW]]);
    const ofHit = { eventUuid: 'event-1', ofEvent: [] };
    expect(enqueued).toEqual([
      [[checkOf({ ...ofHit, createDate: MADE - 1, at: NOW, hitIds: [11] })], 0],
      [[checkOf({ ...ofHit, createDate: NOW - 1_000, at: NOW + 119_000, hitIds: [12] })], 119],
    ]);
  });

  const alarm = { uuid: 'event-1', source: null, receiveDate: NOW - 2_000, situation: 'fall_detected', hitIds: [11] };
  const ofWebhook = firstDeliveryId({ ...alarm, sensorId }, 0, 'w1', 'full');

  test('acknowledging or closing a fall schedules a check of customer webhook deliveries', async () => {
    const { deps, calls, enqueued } = world({
      unanswered: [alarm],
      hooks: { w1: 'full', w2: 'full' },
      deliveries: { [ofWebhook]: {} },
    });
    await followNotice(deps, ref, some({ notice: 'fall_changed' }));
    expect(calls.map(([name]) => name)).toEqual(['settle', 'unanswered', 'sensor', 'delivery', 'delivery']);
    expect(calls.slice(1, 4)).toEqual([
      ['unanswered', ref],
      ['sensor', customerId, sensorId],
      ['delivery', customerId, 'w1', ofWebhook],
    ]);
    const check = checkOf({
      ...ref,
      eventUuid: 'event-1',
      createDate: NOW - 2_000,
      at: NOW + 118_000,
      hitIds: [11],
      ofEvent: [{ webhookId: 'w1', deliveryId: ofWebhook }],
    });
    expect(enqueued).toEqual([[[check], 118]]);
  });

  test('acknowledging or closing a fall does not schedule a check without customer webhooks', async () => {
    for (const hooks of [{ w1: 'full' }, undefined]) {
      const { deps, enqueued } = world({ unanswered: [alarm], ...(hooks && { hooks }) });
      await followNotice(deps, ref, some({ notice: 'fall_changed' }));
      expect(enqueued).toEqual([]);
    }
  });

  test('acknowledging or closing a fall causes no further reads if no alarm is open', async () => {
    const { deps, calls } = world();
    await followNotice(deps, ref, some({ notice: 'fall_changed' }));
    expect(calls.map(([name]) => name)).toEqual(['settle', 'unanswered']);
  });
});

describe('a decision', () => {
  const event = (key: string | undefined, rules: number[] = [1]) => ({
    ...(key !== undefined && { fall: key }),
    happening: {},
    rules,
  });
  const decisionOf = (...decided: object[]) => some({ decided });

  test('a decision records a second alarm about a fall only once', async () => {
    const { deps, calls } = world();
    await recordAlarms(deps, context({}), decisionOf(event(again), event(again), event(fall), event(undefined)));
    expect(calls).toEqual([['recordAlarm', { ...ref, fall: again }]]);
  });

  test('a decision acknowledges new hits only if their fall is acknowledged', async () => {
    const { deps, calls } = world();
    const other = (start + 9_000).toString(36);
    const quiet = (start + 18_000).toString(36);
    const falls = [
      { start, isAcknowledged: true },
      { start: start + 9_000 },
      { start: start + 18_000, isAcknowledged: true },
    ];
    const decision = decisionOf(event(fall), event(fall), event(other), event(quiet, []), event(undefined));
    await settleAcknowledged(deps, context({ falls }), decision);
    expect(calls).toEqual([['settle', ref, NOW]]);
  });
});
