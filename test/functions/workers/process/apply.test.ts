import { describe, expect, test } from 'vitest';
import { applyDecision, finishDecision, finishOrQuarantine } from '#functions/workers/process/apply.ts';
import { defaultRoom } from '#shared/domain/sensor/room-geometry.ts';
import { currentTrace } from '#shared/observability/log.ts';
import { TableUnavailable } from '#shared/store/engine/unavailable.ts';
import { RetryLater } from '#shared/worker/failure.ts';
import { some } from '#test/fixtures/alarm-stubs.ts';
import { type DecisionWorld, decisionOf, decisionStubs, emptyState, sensor } from '#test/fixtures/decision-stubs.ts';
import { customerId, FALL, fallEvent, ruleOf, sensorId } from '#test/fixtures/hit-stubs.ts';
import { NOW } from '#test/fixtures/stub-deps.ts';

describe('applying a new decision', () => {
  const apply = async (
    events: object[],
    { state = {}, known = [], ...given }: DecisionWorld & { state?: object; known?: object[] },
  ) => {
    const stubs = decisionStubs(given);
    const rules = new Map(known.map((rule) => [(rule as { id: number }).id, rule]));
    await applyDecision(stubs.deps, stubs.context(state), decisionOf(...events), some(rules));
    return stubs;
  };

  test('a decision writes the events after hits, deliveries and tasks', async () => {
    const { names, places, enqueued, named, measured, logged } = await apply([fallEvent()], { known: [ruleOf(111)] });
    expect(names()).toEqual(['hit', 'delivery', 'events']);
    expect(places).toEqual([
      'process.decided',
      'process.hits_written',
      'process.deliveries_written',
      'process.applied',
    ]);
    expect(enqueued.map(([[task], delay]) => [task?.type, delay])).toEqual([
      ['deliver', 0],
      ['check_alarm', 120],
    ]);
    expect(measured).toEqual([['AlarmsToTell', 1]]);
    const [[delivery] = []] = named('delivery');
    expect(logged).toEqual([
      [
        'info',
        'a decision was applied',
        { events: ['event-1'], ruleIds: [111], deliveries: [(delivery as { id: string }).id] },
      ],
    ]);
  });

  test('each event is stored with the fields shown by the API', async () => {
    const region = { id: 'r', index: 2, name: 'Bed' };
    const shown = fallEvent({ isLong: true, rules: [] }, { point: { x: 0, y: 0, z: 90 }, region });
    const plain = fallEvent(
      { uuid: 'event-2', source: null, rules: [] },
      { situation: 'occupied_room', subject: undefined },
    );
    const { named } = await apply([shown, plain], {});
    const common = {
      id: 900,
      createDate: NOW - 20,
      receiveDate: NOW - 10,
      type: 'fall',
      action: 'fall_detected',
      code: 1,
    };
    const { yMin, yMax } = defaultRoom;
    expect(named('events')).toEqual([
      [
        customerId,
        sensorId,
        [
          {
            ...common,
            uuid: 'event-1',
            coordinates: { x: 0.5, y: yMin / (yMin + yMax), z: 0.5 },
            region: { index: 2, name: 'Bed' },
            source: 'message-1',
            isLong: true,
            fall: FALL.toString(36),
            isUnruled: true,
          },
          { ...common, uuid: 'event-2', coordinates: null, source: null, isUnruled: false },
        ],
      ],
    ]);
  });

  test('a decision reads rules that are not yet loaded', async () => {
    const { named } = await apply([fallEvent({ rules: [111, 112, 113] }), fallEvent({ rules: [112] })], {
      known: [ruleOf(111)],
      rules: [ruleOf(112)],
    });
    expect(named('rule')).toEqual([
      [customerId, 112],
      [customerId, 113],
    ]);
    // The deleted rule's hit notifies no one.
    expect(named('hit').map(([, , hit]) => (hit as { messages: [] }).messages.length)).toEqual([1, 1, 0, 1]);
  });

  test("a decision's tasks and log lines include the message and request ids", async () => {
    const traceOf = async (...events: object[]) => {
      const traces: object[] = [];
      const { deps, context } = decisionStubs();
      const enqueue = async () => void traces.push(currentTrace());
      const rules = new Map([[111, some(ruleOf(111))]]);
      await applyDecision({ ...deps, enqueue } as never, context(), decisionOf(...events), some(rules));
      return traces[0];
    };
    expect(await traceOf(fallEvent())).toEqual({ uuid: 'message-1', requestId: 'call-1' });
    expect(await traceOf(fallEvent({ source: null, requestId: undefined }))).toEqual({ uuid: 'event-1' });
  });

  test('the sensor list is updated when a sensor goes offline or comes back online', async () => {
    const { named } = await apply(
      [
        fallEvent({ rules: [] }, { situation: 'sensor_active' }),
        fallEvent({ rules: [] }, { situation: 'sensor_inactive' }),
        fallEvent({ rules: [] }),
      ],
      {},
    );
    expect(named('setActive')).toEqual([
      [customerId, sensorId, true, NOW - 10],
      [customerId, sensorId, false, NOW - 10],
    ]);
  });

  test('a second alarm about the same fall is recorded before anyone is notified', async () => {
    const subject = { fall: FALL, began: FALL - 5_000, track: 3 };
    const { names } = await apply([fallEvent({}, { subject })], { known: [ruleOf(111)] });
    expect(names()).toEqual(['recordAlarm', 'hit', 'delivery', 'events']);
    const both = [fallEvent({ rules: [] }), fallEvent({ rules: [] }, { subject })];
    expect((await apply(both, {})).names()).toEqual(['recordAlarm', 'events']);
  });

  test('new hits about an acknowledged fall are acknowledged before anything is sent', async () => {
    const fall = { start: FALL, isAcknowledged: true };
    const acknowledged = await apply([fallEvent()], { state: { falls: [fall] }, known: [ruleOf(111)] });
    expect(acknowledged.names()).toEqual(['hit', 'settle', 'delivery', 'events']);
    const track = { id: 3, since: FALL, fallPostures: [], isAcknowledged: true };
    const byTrack = fallEvent({}, { subject: { fall: FALL, track: 3 } });
    const ofTrack = await apply([byTrack], { state: { tracks: [track] }, known: [ruleOf(111)] });
    expect(ofTrack.names()).toContain('settle');
    const another = { falls: [{ start: FALL - 9 }, fall] };
    expect((await apply([fallEvent()], { state: another, known: [ruleOf(111)] })).names()).toContain('settle');
    const open = await apply([fallEvent()], { state: { falls: [{ start: FALL }] }, known: [ruleOf(111)] });
    expect(open.names()).not.toContain('settle');
  });
});

describe('applying the previous decision', () => {
  const decision = decisionOf(fallEvent({ rules: [] }));

  test('the previous decision is applied again if a crash left it incomplete', async () => {
    const { deps, named, context } = decisionStubs();
    await finishDecision(deps, context({ decision }));
    expect(named('isApplied')).toEqual([[customerId, sensorId, decision, NOW]]);
    expect(named('events')).toHaveLength(1);
    expect(named('latest')).toEqual([]);
  });

  test('a completed previous decision is not applied again', async () => {
    const none = decisionStubs();
    await finishDecision(none.deps, none.context());
    expect(none.calls).toEqual([]);
    const applied = decisionStubs({ isApplied: true });
    await finishDecision(applied.deps, applied.context({ decision }));
    expect(applied.names()).toEqual(['isApplied']);
  });

  test('the previous decision is applied with the latest sensor and customer', async () => {
    const state = { ...emptyState, decision };
    const newer = { ...sensor, name: 'Room 2', room: { ...defaultRoom, yMin: 0 } };
    const point = { x: 0, y: 0 };
    const of = (latest: NonNullable<DecisionWorld['latest']>) => {
      const stubs = decisionStubs({ latest });
      const moved = decisionOf(fallEvent({ rules: [] }, { point }));
      return finishDecision(stubs.deps, stubs.context({ decision: moved }, { freshness: 'recent' })).then(() => stubs);
    };
    const found = await of({ sensor: newer, state });
    expect(found.named('latest')).toEqual([[customerId, sensorId, expect.objectContaining({ version: 3 })]]);
    expect(found.named('events')[0]?.[2]).toMatchObject([{ coordinates: { y: 0 } }]);
    const gone = await of({ sensor: null, state: null });
    expect(gone.named('events')[0]?.[2]).toMatchObject([{ coordinates: { y: expect.any(Number) } }]);
    expect(gone.named('events')[0]?.[2]).not.toMatchObject([{ coordinates: { y: 0 } }]);
  });

  const quarantine = async (given: DecisionWorld, state: object = { decision }, more: object = {}) => {
    const stubs = decisionStubs(given);
    const quarantined: unknown[][] = [];
    const cause = async (...args: unknown[]) => void quarantined.push(args);
    const after = await finishOrQuarantine(stubs.deps, stubs.context(state, more), cause).catch(
      (error: Error) => error,
    );
    return { ...stubs, quarantined, after };
  };

  test('a previous decision that keeps failing is quarantined', async () => {
    const { quarantined, after, named } = await quarantine({ failure: new Error('a bug') });
    expect(quarantined).toEqual([[decision, 'a decision fails on its own: Error: a bug']]);
    const key = { customerId, sensorId };
    expect(named('decide')).toEqual([[key, 3, { ...emptyState, decision: null }, { formerUntil: null }]]);
    expect(after).toEqual({ ...emptyState, decision: null, version: 4 });
    const former = await quarantine({ failure: new Error('a bug') }, { decision }, { former: { ttl: 77 } });
    expect(former.named('decide')[0]?.[3]).toEqual({ formerUntil: 77 });
  });

  test('the previous decision is not quarantined if a retry succeeds', async () => {
    const { quarantined, after, named } = await quarantine({});
    expect([quarantined, named('decide')]).toEqual([[], []]);
    expect(after).toMatchObject({ version: 3, decision });
  });

  test('the previous decision is not quarantined during an outage', async () => {
    for (const failure of [new TableUnavailable('away'), new RetryLater('later')]) {
      const { quarantined, after } = await quarantine({ failure });
      expect([quarantined, after]).toEqual([[], failure]);
    }
    const raced = await quarantine({ failure: new Error('a bug'), isDecided: false });
    expect(raced.after).toBeInstanceOf(RetryLater);
  });
});
