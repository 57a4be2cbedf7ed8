import { describe, expect, test } from 'vitest';
import { record, recordAttempt } from '#functions/workers/deliver/record.ts';
import type { AttemptOutcome, Delivery } from '#shared/domain/delivery/delivery.ts';
import { derivedUlid } from '#shared/domain/ids.ts';
import { kinds } from '#shared/domain/kinds.ts';
import { some } from '#test/fixtures/alarm-stubs.ts';
import {
  ACCEPTED,
  customerId,
  type DeliveryWorld,
  deliveryStubs,
  deliveryTo,
  snapshotOf,
} from '#test/fixtures/delivery-stubs.ts';
import { NOW } from '#test/fixtures/stub-deps.ts';

const webhook = {
  id: 'w1',
  customerId,
  name: 'Nurse call',
  url: 'https://nurse.example.org/call',
  isEnabled: true,
  consecutiveFailures: 0,
  lastSuccess: NOW,
};
/** A webhook delivery claimed for its first attempt. */
const toWebhook = (more: object = {}): Delivery => {
  const { person: _, ...others } = deliveryTo('email', { webhookId: 'w1', format: 'full', ...more });
  return others;
};
const plain = { status: 500, error: null, durationMs: 80, responseBody: '' };
const slow = { ...plain, durationMs: 2_000 };
const accepted = { what: 'accepted' } as const;
const failed = { what: 'failed', isOverloaded: false, retryAfterSeconds: 0 } as const;
const gone = { what: 'gone' } as const;

type AttemptWorld = DeliveryWorld & {
  webhook?: object;
  current?: object | null;
  kind?: 'sent' | 'unsent';
  made?: unknown;
  result?: object;
};
const world = ({ current, made = null, ...given }: AttemptWorld) => {
  const order: string[] = [];
  const changes: unknown[][] = [];
  const acknowledged: unknown[][] = [];
  const health =
    (name: string, result: unknown) =>
    async (...args: unknown[]) => {
      order.push(name);
      changes.push([name, ...args]);
      return result;
    };
  const recordResult = async (...args: unknown[]) => {
    order.push('recordResult');
    stubs.calls.push(['recordResult', ...args]);
  };
  const stubs = deliveryStubs({
    ...given,
    more: {
      attempts: { recordResult },
      health: {
        failed: health('failed', null),
        recordSuccess: health('recordSuccess', undefined),
        recordBack: health('recordBack', true),
        disable: health('disable', true),
        notePending: health('notePending', undefined),
      },
      webhooks: { get: async () => (current === undefined ? { ...webhook, ...given.webhook } : current) },
      acknowledgements: {
        make: async (...args: unknown[]) => {
          acknowledged.push(args);
          return made;
        },
      },
    },
  });
  return { ...stubs, order, changes, acknowledged };
};
const slot = { release: () => {}, withUnneeded: (write: (leases: string[]) => unknown) => write([]) };
const run = async (delivery: Delivery, outcome: AttemptOutcome, given: AttemptWorld = {}) => {
  const stubs = world(given);
  const admitted = { webhook: { ...webhook, ...given.webhook }, slot };
  const answer = { kind: given.kind ?? 'sent', result: given.result ?? plain, outcome };
  const state = await record(stubs.deps, some(admitted), delivery, some(answer));
  const [[, recorded, ...rest] = []] = stubs.named('recordResult');
  return { ...stubs, state, recorded: recorded as { next: Record<string, unknown> }, rest };
};

describe('an attempt accepted by a receiver', () => {
  test('an accepted attempt ends the delivery and is recorded in each hit', async () => {
    const delivery = toWebhook({ alsoHits: [{ id: 12, message: 0 }] });
    const { state, named, recorded, rest, places, logged } = await run(delivery, accepted);
    expect(state).toBe('delivered');
    expect(recorded).toEqual({ result: plain, next: { state: 'delivered' } });
    expect(rest).toEqual([NOW, true]);
    const report = { customerId, tries: [NOW], sent: true };
    expect(named('report')).toEqual([
      [{ ...report, hitId: 11, at: 2 }, NOW],
      [{ ...report, hitId: 12, at: 0 }, NOW],
    ]);
    expect(places).toEqual(['deliver.reported', 'deliver.originals_ended', 'deliver.recorded', 'deliver.rescheduled']);
    // Nothing from the response is logged.
    const details = {
      deliveryId: delivery.id,
      attempt: 1,
      status: 500,
      reason: null,
      durationMs: 80,
      state: 'delivered',
    };
    expect(logged).toEqual([['info', 'an attempt was made', details]]);
  });

  test('an accepted attempt also reports unrecorded attempts by dead processes', async () => {
    const times = [NOW - 3_000, NOW - 2_000, NOW];
    const interrupted = toWebhook({ sendTryTimes: times, attempts: 3, log: [[1]] });
    expect((await run(interrupted, accepted)).named('report')).toMatchObject([[{ tries: times.slice(1) }, NOW]]);
    const unlogged = toWebhook({ sendTryTimes: times, attempts: 3 });
    expect((await run(unlogged, accepted)).named('report')).toMatchObject([[{ tries: times }, NOW]]);
  });

  test('an accepted redelivery ends the original and any completed replay', async () => {
    const job = { state: 'running', total: 1, sent: 1 };
    const original = toWebhook({ id: 'original', replay: 'old' });
    const delivery = toWebhook({ replayOf: 'original', replay: 'new' });
    const { named } = await run(delivery, accepted, { ended: original, replay: job });
    expect(named('endOriginal')).toEqual([[{ customerId, webhookId: 'w1', id: 'original' }, NOW]]);
    expect(named('getReplay')).toEqual([
      [customerId, 'w1', 'new'],
      [customerId, 'w1', 'old'],
    ]);
  });

  test("an accepted attempt ends the event's alarm if the delivery is at least 30 seconds old", async () => {
    const { type, action } = kinds.fall_detected;
    const { event, ...others } = snapshotOf('fall_detected', { webhook: { name: 'n', isCustomerHook: true } });
    const snapshot = { ...others, event: { ...event, type, action } };
    const late = toWebhook({ createDate: NOW - 30_000, snapshot });
    expect((await run(late, accepted)).named('endAlarm')).toEqual([[customerId, 'event-1']]);
    expect((await run(late, failed)).named('endAlarm')).toEqual([]);
    expect((await run({ ...late, createDate: NOW - 29_999 }, accepted)).named('endAlarm')).toEqual([]);
  });
});

describe("an acknowledgement in a receiver's response", () => {
  const named = { what: 'accepted', acknowledgedBy: 'Night nurse' } as const;

  test("an acknowledgement in a response applies to all of the delivery's hits", async () => {
    const notice = { customerId, sensorId: 's1', uuid: 'n1', receiveDate: NOW };
    const delivery = toWebhook({ alsoHits: [{ id: 12, message: 0 }] });
    const { acknowledged, enqueued, places } = await run(delivery, named, { made: { notice } });
    const line = (hitId: number) => ({
      id: expect.any(String),
      actor: { kind: 'receiver', id: 'w1', name: 'Night nurse' },
      address: 'nurse.example.org',
      operation: 'acknowledgeRuleHit',
      object: { kind: 'rule_hit', id: String(hitId) },
      changes: [],
      requestId: delivery.id,
      refused: false,
    });
    const since = NOW - 120 * 86_400_000;
    const by = { userId: null, name: 'Night nurse', date: NOW };
    expect(acknowledged).toEqual([
      [{ customerId, hitId: 11 }, by, since, line(11)],
      [{ customerId, hitId: 12 }, by, since, line(12)],
    ]);
    expect(enqueued).toEqual([
      [[{ type: 'process_notice', ...notice }], 0],
      [[{ type: 'process_notice', ...notice }], 0],
    ]);
    expect(places.slice(0, 3)).toEqual(['deliver.acknowledged', 'deliver.acknowledged', 'deliver.reported']);
  });

  test('an acknowledgement in a response sends no notice if the hit is already acknowledged', async () => {
    const { acknowledged, enqueued } = await run(toWebhook(), named);
    expect([acknowledged.length, enqueued]).toEqual([1, []]);
    const lost = await run(toWebhook(), named, { webhook: { url: null } });
    expect(lost.acknowledged[0]?.[3]).toMatchObject({ address: '' });
  });

  test('an acknowledgement in a response is ignored if the attempt failed', async () => {
    expect((await run(toWebhook(), accepted)).acknowledged).toEqual([]);
    expect((await run(toWebhook({ hit: null }), named)).acknowledged).toEqual([]);
    expect((await run(toWebhook(), { ...failed, acknowledgedBy: 'x' } as never)).acknowledged).toEqual([]);
  });
});

test('a failed attempt is retried according to the schedule', async () => {
  const delivery = toWebhook();
  const { state, recorded, rest, enqueued, named } = await run(delivery, failed);
  expect(state).toBe('retrying');
  const { nextAttempt } = recorded.next as { nextAttempt: number };
  expect(nextAttempt).toBeGreaterThan(NOW + 3_000);
  expect(rest).toEqual([NOW, true]);
  expect(enqueued).toMatchObject([[[{ deliveryId: delivery.id, notBefore: nextAttempt, isRetry: true }], 4]]);
  expect(named('report')).toMatchObject([[{ sent: false }, NOW]]);
  expect(named('endOriginal')).toEqual([]);
  expect(named('getReplay')).toEqual([]);
  const late = await run(toWebhook(), { ...failed, retryAfterSeconds: 3_000 });
  expect(late.rest).toEqual([NOW, false]);
  expect(late.enqueued).toEqual([]);
});

test('a failed attempt does not enqueue a second task', async () => {
  const { deps, enqueued } = world({});
  const next = { state: 'retrying', nextAttempt: NOW + 9_000 } as const;
  await recordAttempt(deps, some(webhook), toWebhook(), { result: some(plain), next, hasTask: true });
  expect(enqueued).toEqual([]);
  await recordAttempt(deps, some(webhook), toWebhook(), { result: some(plain), next });
  expect(enqueued).toHaveLength(1);
});

test('early attempts do not count toward the retry schedule', async () => {
  const settings = { RETRY_SCHEDULE: [0, 9, 9] };
  const early = toWebhook({ attempts: 4, earlyAttempts: 2 });
  expect((await run(early, failed, { settings })).state).toBe('retrying');
  expect((await run(toWebhook({ attempts: 3 }), failed, { settings })).state).toBe('failed');
});

test("a failed early attempt does not move the delivery's scheduled attempt", async () => {
  const delivery = toWebhook({ nextAttempt: NOW + 600_000, earlyAttempts: 1, attempts: 2 });
  expect((await run(delivery, failed)).recorded.next).toMatchObject({ nextAttempt: NOW + 600_000 });
});

test('the last failure is reported before it is recorded', async () => {
  const settings = { RETRY_SCHEDULE: [0] };
  const { state, recorded, calls, enqueued } = await run(toWebhook(), failed, { settings });
  expect(state).toBe('failed');
  expect(recorded.next).toEqual({ state: 'failed', reason: 'exhausted' });
  const names = calls.map(([name]) => name);
  expect(names.indexOf('storeNotice')).toBeLessThan(names.indexOf('recordResult'));
  expect(enqueued.map(([[task]]) => task?.type)).toEqual(['process_notice', 'escalate']);
});

test("a failed attempt updates the receiver's health before it is recorded", async () => {
  const { changes, order } = await run(toWebhook(), failed);
  expect(order).toEqual(['failed', 'recordResult']);
  expect(changes[0]?.[3]).toMatchObject({ isGone: false });
  const temporary = await run(toWebhook(), gone);
  expect(temporary.changes[0]?.[3]).toMatchObject({ isGone: true });
  const unsent = await run(toWebhook(), failed, { kind: 'unsent' });
  expect(unsent.changes).toEqual([]);
});

test('the first success after a failure updates the receiver before the delivery', async () => {
  const failing = { pendingSince: ACCEPTED - 9_000, consecutiveFailures: 1, lastFailure: NOW - 1 };
  expect((await run(toWebhook(), accepted, { webhook: failing })).order).toEqual(['recordBack', 'recordResult']);
  expect((await run(toWebhook(), accepted, { result: slow })).order).toEqual(['recordResult', 'recordSuccess']);
});

test('an attempt is recorded even if it cannot be reported', async () => {
  const failure = new Error('throttled');
  const stubs = world({ report: () => Promise.reject(failure) });
  const admitted = { webhook, slot };
  const answer = { kind: 'sent', result: plain, outcome: accepted };
  await expect(record(stubs.deps, some(admitted), toWebhook(), some(answer))).rejects.toBe(failure);
  expect(stubs.named('recordResult')).toHaveLength(1);
});

describe('missing receivers', () => {
  const since = (ms: number) => ({ webhook: { goneSince: NOW - ms } });

  test('a webhook is disabled after the receiver has been gone for two minutes', async () => {
    const { state, recorded, changes } = await run(toWebhook(), gone, since(120_000));
    expect(state).toBe('failed');
    expect(recorded.next).toEqual({ state: 'failed', reason: 'gone' });
    expect(changes.map(([name]) => name)).toContain('disable');
  });

  test.each([
    ['for a shorter time', since(119_999)],
    ['for the first time', {}],
    [
      'at an address that the webhook no longer has',
      { ...since(120_000), current: { ...webhook, url: 'https://new' } },
    ],
  ])('a delivery is retried if the receiver responds with 410 %s', async (_, given) => {
    const { state, changes } = await run(toWebhook(), gone, given);
    expect(state).toBe('retrying');
    expect(changes.map(([name]) => name)).not.toContain('disable');
  });

  test('a delivery to a missing receiver fails if the webhook was deleted', async () => {
    expect((await run(toWebhook(), gone, { ...since(120_000), current: null })).state).toBe('failed');
  });
});

describe('delivery times', () => {
  const timesOf = async (delivery: Delivery, outcome: AttemptOutcome = accepted, given: AttemptWorld = {}) => {
    const { measured } = await run(delivery, outcome, given);
    return measured.filter(([name]) => !name.startsWith('Deliveries') && !name.endsWith('Failed'));
  };

  test('the delivery time is measured from when the message is accepted', async () => {
    expect(await timesOf(toWebhook())).toEqual([
      ['TimeToFirstAttempt', NOW - ACCEPTED],
      ['TimeToReceiver', NOW - ACCEPTED],
    ]);
    expect(await timesOf(toWebhook({ log: [[1]], attempts: 2 }))).toEqual([['TimeToReceiver', NOW - ACCEPTED]]);
    expect(await timesOf(toWebhook(), failed)).toEqual([['TimeToFirstAttempt', NOW - ACCEPTED]]);
  });

  test('a delivery that takes more than 30 seconds counts as late', async () => {
    const acceptedAt = (ms: number) => toWebhook({ id: derivedUlid(NOW - ms, 'late') });
    const { measured } = await run(acceptedAt(3_600_000), accepted);
    expect(measured.map(([name]) => name)).toContain('AttemptsLate');
    expect((await timesOf(acceptedAt(30_000))).map(([name]) => name)).not.toContain('AttemptsLate');
    expect((await timesOf(acceptedAt(30_001))).map(([name]) => name)).toContain('AttemptsLate');
  });

  test.each([
    ['a test', { isTest: true }],
    ['a redelivery', { replayOf: 'd0' }],
    ['part of a replay', { replay: 'r1' }],
    ['feedback', { body: '{}', hit: null }],
  ])('the delivery time is not measured for %s', async (_, more) => {
    expect(await timesOf(toWebhook(more))).toEqual([]);
  });

  test('the delivery time is not measured for held or delayed deliveries', async () => {
    expect(await timesOf(toWebhook(), accepted, { webhook: { releasedUntil: ACCEPTED } })).toEqual([]);
    expect(await timesOf(toWebhook(), accepted, { webhook: { releasedUntil: ACCEPTED - 1 } })).toHaveLength(2);
    expect(await timesOf(toWebhook(), accepted, { webhook: { retrySchedule: [1] } })).toEqual([]);
    expect(await timesOf(toWebhook(), accepted, { webhook: { retrySchedule: [0] } })).toHaveLength(2);
  });

  test('the delivery time is not measured for messages about several sensors', async () => {
    const { deps, measured } = world({});
    const next = { state: 'delivered' } as const;
    const offline = deliveryTo('email', { snapshot: snapshotOf('sensor_inactive') });
    await recordAttempt(deps, null, offline, { result: some(plain), next });
    expect(measured).toEqual([['DeliveriesDelivered']]);
  });

  test('attempts are counted by result', async () => {
    const counts = async (outcome: AttemptOutcome, given: AttemptWorld = {}) =>
      (await run(toWebhook(), outcome, given)).measured.filter(([name]) => name.startsWith('Deliveries'));
    expect(await counts(accepted)).toEqual([['DeliveriesDelivered']]);
    expect(await counts(failed)).toEqual([['DeliveriesRetried']]);
    expect(await counts(failed, { settings: { RETRY_SCHEDULE: [0] } })).toEqual([['DeliveriesFailed']]);
  });
});
