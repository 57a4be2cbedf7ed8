import { describe, expect, test } from 'vitest';
import { decide } from '#functions/workers/process/decide.ts';
import { RetryLater } from '#shared/worker/failure.ts';
import { some } from '#test/fixtures/alarm-stubs.ts';
import { type DecisionWorld, decisionOf, decisionStubs, emptyState, sensor } from '#test/fixtures/decision-stubs.ts';
import { customerId, FALL, fallEvent, ruleOf, sensorId } from '#test/fixtures/hit-stubs.ts';
import { NOW } from '#test/fixtures/stub-deps.ts';

describe('deciding a judgement', () => {
  const timings = { confirm: 60, alert: 30, calling: 120 };
  const newEvent = (more: object = {}, happening: object = {}) => {
    const { rules: _, ...event } = fallEvent(more, happening);
    return event;
  };
  type JudgementWorld = DecisionWorld & {
    state?: object;
    next?: object;
    events?: object[];
    judged?: object;
    more?: object;
    timings?: unknown;
  };
  const judge = async ({
    state = {},
    next = {},
    events = [],
    judged,
    more = {},
    timings: of = null,
    ...given
  }: JudgementWorld) => {
    const stubs = decisionStubs(given);
    const before = { lastSeen: NOW, isActive: true, dueAt: String(NOW - 5), duePk: 'due', ...state };
    const judgement = { next: { ...emptyState, ...before, isActive: true, ...next }, events, timings: of, judged };
    const outcome = await decide(stubs.deps, stubs.context(before, more), some(judgement));
    const [[key, version, written, times] = []] = stubs.named('decide');
    return { ...stubs, outcome, key, version, written: written as Record<string, unknown>, times };
  };

  test('a judgement that changes nothing is not written', async () => {
    const { outcome, calls } = await judge({});
    expect(outcome).toMatchObject({ kind: 'unchanged', state: { version: 3 } });
    expect(calls).toEqual([]);
  });

  test('a judgement without events is written if the sensor state has changed', async () => {
    const { outcome, key, version, written, times, places, measured } = await judge({
      next: { lastSeen: NOW + 900_000 },
    });
    expect(outcome).toMatchObject({ kind: 'noted', state: { version: 4, lastSeen: NOW + 900_000, decision: null } });
    expect([key, version, times]).toEqual([{ customerId, sensorId }, 3, { checkAt: null, formerUntil: null }]);
    expect(written).toMatchObject({ duePk: 'due', dueAt: String(NOW - 5), decision: null });
    expect(places).toEqual(['process.judged']);
    expect(measured).toEqual([]);
  });

  test('a judgement is written if a recorded call was processed', async () => {
    const run = (last: string) => ({ position: '1', receiveDate: NOW, run: { last, since: 1 } });
    expect((await judge({ judged: run('b'), state: { judged: run('a') } })).written).toMatchObject({
      judged: run('b'),
    });
    expect((await judge({ judged: run('a'), state: { judged: run('a') } })).calls).toEqual([]);
    expect((await judge({ state: { judged: run('a') }, next: { lastSeen: NOW + 900_000 } })).written).toMatchObject({
      judged: run('a'),
    });
  });

  test('events and the rules that fire are written in one conditional write', async () => {
    const { outcome, named, measured, written, names } = await judge({
      events: [newEvent()],
      rules: [ruleOf(111, { isEnabled: true, rateLimitSeconds: 0 }), ruleOf(112, { isEnabled: false })],
    });
    expect(named('rules')).toEqual([[customerId, sensor, 'fall_detected']]);
    // The hits follow the last one written before the decision.
    expect(names()).toEqual(['rules', 'lastPlace', 'decide']);
    const { requestId: _, ...stored } = fallEvent();
    const { subject: __, ...happening } = stored.happening;
    const decided = [{ ...stored, happening, fall: FALL.toString(36), rules: [111] }];
    const place = { id: 50, createDate: NOW - 9 };
    expect(written).toMatchObject({ decision: { decided, after: place, numbered: { series: NOW, number: 0 } } });
    expect(written.fired).toEqual({ 111: NOW - 20 });
    expect((written.decision as { decided: object[] }).decided[0]).toEqual(decided[0]);
    expect(outcome).toMatchObject({ kind: 'decided', state: { version: 4 } });
    if (outcome.kind !== 'decided') throw new Error('not decided');
    expect(outcome.decision.decided).toEqual([fallEvent()]);
    expect([...outcome.rules.keys()]).toEqual([111, 112]);
    expect(measured).toEqual([
      ['Events', 1],
      ['RuleHits', 1],
    ]);
  });

  test("a decision keeps an event's subject only if an escalation needs it to determine when to end", async () => {
    const rule = ruleOf(111, { isEnabled: true, rateLimitSeconds: 0, untilAcknowledged: false });
    const { written } = await judge({ events: [newEvent({}, { isSilent: false, newFall: true })], rules: [rule] });
    const [event] = (written.decision as { decided: { happening: object }[] }).decided;
    expect(event?.happening).toHaveProperty('subject', { fall: FALL });
    for (const name of ['isSilent', 'newFall']) expect(event?.happening).not.toHaveProperty(name);
  });

  test("a decision keeps an event's subject if any rule depends on it", async () => {
    const common = { isEnabled: true, rateLimitSeconds: 0 };
    const rules = [ruleOf(111, common), ruleOf(112, { ...common, untilAcknowledged: false })];
    const other = newEvent({ uuid: 'event-2' }, { situation: null, subject: undefined });
    const { written, named } = await judge({ events: [newEvent(), other], rules });
    const [event, second] = (written.decision as { decided: { happening: object }[] }).decided;
    expect(event?.happening).toHaveProperty('subject');
    expect(second).not.toHaveProperty('fall');
    expect(named('lastPlace')).toHaveLength(1);
  });

  test("a decision without hits keeps the previous decision's hit numbers", async () => {
    const decision = some({ ...(decisionOf(fallEvent({ rules: [1, 2] })) as object) });
    const { written, names, measured } = await judge({ events: [newEvent()], state: { decision }, isApplied: true });
    expect(names()).toEqual(['rules', 'isApplied', 'decide']);
    expect(written).toMatchObject({ decision: { after: null, numbered: { series: 5, number: 5 } } });
    expect(measured).toEqual([['Events', 1]]);
  });

  test('a decision finishes the previous one before replacing it', async () => {
    const decision = decisionOf(fallEvent({ rules: [] }));
    const { names } = await judge({ events: [newEvent()], state: { decision } });
    expect(names().indexOf('events')).toBeGreaterThan(-1);
    expect(names().indexOf('events')).toBeLessThan(names().indexOf('decide'));
  });

  test('no rule fires for an event without a situation', async () => {
    const rules = [ruleOf(111, { isEnabled: true, rateLimitSeconds: 0 })];
    const events = [newEvent({}, { situation: null })];
    expect((await judge({ events, rules })).named('rules')).toEqual([]);
    const { named, written } = await judge({ events: [newEvent()], rules, more: { customerId: 0 } });
    expect(named('rules')).toEqual([]);
    expect(written).toMatchObject({ decision: { decided: [{ rules: [] }] } });
    const twice = await judge({ events: [newEvent(), newEvent()], rules });
    expect(twice.named('rules')).toHaveLength(1);
  });

  test('a judgement is retried if another process writes first', async () => {
    await expect(judge({ next: { lastSeen: NOW + 900_000 }, isDecided: false })).rejects.toThrow(RetryLater);
  });

  test('a judgement schedules a check when a sensor comes back online', async () => {
    const offline = NOW + 3_600_000;
    const back = await judge({ state: { isActive: false, dueAt: undefined, duePk: undefined } });
    expect(back.times).toMatchObject({ checkAt: offline });
    expect(back.written.dueAt).toBeUndefined();
    // The sensor's entry stays unchanged if it is due early enough.
    expect((await judge({ state: { isActive: false, dueAt: String(offline) } })).times).toMatchObject({
      checkAt: null,
    });
    expect((await judge({ state: { isActive: false, dueAt: String(offline + 1) } })).times).toMatchObject({
      checkAt: offline,
    });
    expect((await judge({ next: { isActive: false }, state: { isActive: true } })).times).toMatchObject({
      checkAt: null,
    });
    const ahead = { lastSeen: NOW + 10_001, dueAt: String(NOW + 9_000_000) };
    expect((await judge({ state: ahead, next: { lastSeen: NOW } })).times).toMatchObject({ checkAt: offline });
  });

  test('the state of a former sensor expires together with its record', async () => {
    const { times, enqueued } = await judge({
      state: { isActive: false, dueAt: undefined },
      more: { former: { ttl: 77 } },
      timings,
    });
    expect(times).toEqual({ checkAt: null, formerUntil: 77 });
    expect(enqueued).toEqual([]);
  });

  const open = (at = NOW) => ({ start: at, phases: ['detected'], at });
  const noEntry = { dueAt: undefined, duePk: undefined };

  test("a fall's next check is enqueued before the decision is written", async () => {
    const { enqueued, times, places } = await judge({ next: { falls: [open()] }, timings, state: noEntry });
    // The device has three seconds to report the change itself.
    expect(enqueued).toEqual([[[{ type: 'check_sensor', customerId, sensorId }], 63]]);
    expect(times).toEqual({ checkAt: null, formerUntil: null });
    expect(places).toEqual(['process.judged']);
    const longest = await judge({ next: { falls: [open()] }, timings: { ...timings, confirm: 897 }, state: noEntry });
    expect(longest.enqueued).toMatchObject([[[{}], 900]]);
    const former = { more: { former: { ttl: 77 } }, state: noEntry };
    expect((await judge({ next: { falls: [open()] }, timings, ...former })).enqueued).toEqual([]);
  });

  test('a check too far in the future for a queue is left to the sweep', async () => {
    const late = { next: { falls: [open()] }, timings: { ...timings, confirm: 897.001 } };
    const dueAt = NOW + 900_001;
    const far = await judge({ ...late, state: noEntry });
    expect(far.enqueued).toEqual([]);
    expect(far.times).toMatchObject({ checkAt: dueAt });
    expect((await judge({ ...late, state: { dueAt: String(dueAt + 1) } })).times).toMatchObject({ checkAt: dueAt });
    expect((await judge({ ...late, state: { dueAt: String(dueAt) } })).times).toMatchObject({ checkAt: null });
    // A sensor that is back online may go offline before the fall advances.
    const back = await judge({
      ...late,
      state: { ...noEntry, isActive: false },
      next: { ...late.next, lastSeen: NOW - 3_000_000 },
    });
    expect(back.times).toMatchObject({ checkAt: NOW + 600_000 });
  });

  test('no further check is enqueued for an unchanged fall', async () => {
    const falls = [open()];
    const changed = { lastSeen: NOW + 900_000 };
    expect((await judge({ state: { falls }, next: { ...changed, falls }, timings })).enqueued).toEqual([]);
    expect((await judge({ next: { falls } })).enqueued).toEqual([]);
  });
});
