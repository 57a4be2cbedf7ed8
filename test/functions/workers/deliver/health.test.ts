import { describe, expect, test } from 'vitest';
import type { DeliverDeps } from '#functions/workers/deliver/deps.ts';
import { attemptAgain, checkEarly, earlyAttempt, enqueueEarly } from '#functions/workers/deliver/early.ts';
import { recordHealth } from '#functions/workers/deliver/health.ts';
import { releasePending } from '#functions/workers/deliver/release.ts';
import type { Delivery } from '#shared/domain/delivery/delivery.ts';
import { derivedUlid } from '#shared/domain/ids.ts';
import { kinds } from '#shared/domain/kinds.ts';
import type { Back, Deliver } from '#shared/queue/task.ts';
import { some } from '#test/fixtures/alarm-stubs.ts';
import { ACCEPTED, customerId, deliveryTo, snapshotOf } from '#test/fixtures/delivery-stubs.ts';
import { recordedCalls } from '#test/fixtures/recorded-calls.ts';
import { NOW, stubDeps } from '#test/fixtures/stub-deps.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
const webhook = {
  id: 'w1',
  customerId,
  name: 'Nurse call',
  url: 'https://nurse.example.org/call',
  isEnabled: true,
  consecutiveFailures: 0,
  lastSuccess: NOW,
};
const idAt = (time: number, name = '') => derivedUlid(time, 'delivery', name);
const toWebhook = (more: object = {}): Delivery => {
  const { person: _, ...others } = deliveryTo('email', { webhookId: 'w1', id: idAt(ACCEPTED), ...more });
  return others;
};

type AttemptWorld = {
  after?: object | null;
  isBack?: readonly boolean[];
  isWarned?: boolean;
  found?: object;
  pages?: readonly object[][];
  current?: object | null;
};
const world = ({
  after = null,
  isBack = [],
  isWarned = true,
  found = {},
  pages = [],
  current = null,
}: AttemptWorld = {}) => {
  const { calls, recorded, named } = recordedCalls();
  const backs = [...isBack];
  const store = {
    health: {
      failed: recorded('failed', () => after),
      recordBack: recorded('recordBack', () => backs.shift() ?? true),
      recordSuccess: recorded('recordSuccess'),
      recordWarning: recorded('recordWarning', () => isWarned),
      disable: recorded('disable', () => true),
      notePending: recorded('notePending'),
      endRelease: recorded('endRelease'),
    },
    events: { storeNotice: recorded('storeNotice') },
    hitReports: { report: recorded('report') },
    users: { list: async () => [] },
    webhooks: { get: recorded('webhook', () => current) },
    deliveries: {
      getQueued: async () => found,
      range: recorded(
        'range',
        (...[, , , { startAfter }]: [number, string, number[], { startAfter: string | null }]) => {
          const at =
            startAfter === null
              ? 0
              : pages.findIndex((page) => page.some((one) => (one as Delivery).id === startAfter)) + 1;
          const page = pages[at] ?? [];
          return { page, next: at + 1 < pages.length ? 'more' : undefined };
        },
      ),
    },
  };
  const stubs = stubDeps<DeliverDeps>(store, { mail: async () => {}, quotas: {} });
  Object.assign(stubs.deps.settings, { RETRY_SCHEDULE: [], MAIL_SENDER: '' });
  return { ...stubs, calls, named };
};

const success = { next: { state: 'delivered' }, durationMs: 80, isGone: false };
const failure = (nextAttempt = NOW + 5_000) => ({
  next: { state: 'retrying', nextAttempt },
  durationMs: 80,
  isGone: false,
});
const record = async (of: object, attempt: object, given: AttemptWorld = {}, leases: string[] = []) => {
  const stubs = world(given);
  const slot = { release: () => {}, withUnneeded: (write: (unneeded: string[]) => unknown) => write(leases) };
  const admitted = { webhook: { ...webhook, ...of }, slot };
  await recordHealth(stubs.deps, some(admitted), some({ delivery: toWebhook(), ...attempt }));
  return { ...stubs, admitted };
};

describe('successful attempts', () => {
  test("a success is recorded only if it changes the receiver's state", async () => {
    expect((await record({}, success)).calls).toEqual([]);
    const slow = await record({}, { ...success, durationMs: 2_000 });
    expect(slow.named('recordSuccess')).toEqual([[slow.admitted.webhook, NOW, NOW + 600_000, []]]);
    const leased = await record({}, success, {}, ['slot1']);
    expect(leased.named('recordSuccess')).toEqual([[leased.admitted.webhook, NOW, null, ['slot1']]]);
    expect((await record({ consecutiveFailures: 1 }, success)).named('recordSuccess')).toHaveLength(1);
    expect((await record({ lastSuccess: NOW - 60_000 }, success)).named('recordSuccess')).toHaveLength(1);
  });

  const failing = { pendingSince: ACCEPTED - 9_000, consecutiveFailures: 3, lastFailure: NOW - 1, lastSuccess: 0 };
  const back = { date: NOW, isRest: false, after: null, isListed: false };
  const release = [[{ type: 'release_held', customerId, webhookId: 'w1', back }], 1];

  test('the first success after failures triggers a release before it is recorded', async () => {
    const { enqueued, named, places, admitted } = await record(failing, success, {}, ['slot1']);
    expect(enqueued).toEqual([release]);
    expect(named('recordBack')).toEqual([[admitted.webhook, { now: NOW, slowUntil: null, leases: ['slot1'] }, null]]);
    expect(named('recordSuccess')).toEqual([]);
    expect(places).toEqual(['release.begun']);
  });

  test('a success releases nothing if no other delivery has failed', async () => {
    const alone = { ...failing, pendingSince: ACCEPTED, consecutiveFailures: 1 };
    const delivery = toWebhook({ sendTryTimes: [NOW - 5_000, NOW], log: [[1]] });
    const only = await record(alone, { ...success, delivery });
    expect(only.enqueued).toEqual([]);
    expect(only.named('recordBack')).toEqual([[only.admitted.webhook, expect.anything(), 1]]);
    // Another delivery has failed at the same time.
    const raced = await record(alone, { ...success, delivery }, { isBack: [false] });
    expect(raced.enqueued).toEqual([release]);
    expect(raced.named('recordBack').map(([, , own]) => own)).toEqual([1, null]);
  });
});

describe('failed attempts', () => {
  test("a failure is recorded in the receiver's health", async () => {
    const { named, admitted } = await record({}, { ...failure(), isGone: true }, {}, ['slot2']);
    const recorded = { openUntil: null, isGone: true, isLost: false, since: ACCEPTED, begun: NOW };
    expect(named('failed')).toEqual([[admitted.webhook, NOW, recorded, ['slot2']]]);
  });

  test('a first delivery that fails for good counts as lost', async () => {
    const lost = { ...failure(), next: { state: 'failed', reason: 'exhausted' } };
    expect((await record({}, lost)).named('failed')).toMatchObject([[{}, NOW, { isLost: true, begun: null }, []]]);
    const test = { ...lost, delivery: toWebhook({ isTest: true }) };
    expect((await record({}, test)).named('failed')).toMatchObject([[{}, NOW, { isLost: false }, []]]);
  });

  test('ten consecutive failures open the circuit and raise one alarm', async () => {
    const tenth = await record({ consecutiveFailures: 9 }, failure());
    expect(tenth.named('failed')).toMatchObject([[{}, NOW, { openUntil: NOW + 5_000 }, []]]);
    expect(tenth.measured).toEqual([['BreakersOpened']]);
    expect((await record({ consecutiveFailures: 8 }, failure())).measured).toEqual([]);
    expect((await record({ consecutiveFailures: 9, openUntil: NOW }, failure())).measured).toEqual([]);
    const last = { ...failure(), next: { state: 'failed', reason: 'exhausted' } };
    expect((await record({ consecutiveFailures: 9 }, last)).measured).toEqual([]);
  });

  test('the next release starts at the oldest failed delivery', async () => {
    const after = { ...webhook, consecutiveFailures: 1 };
    const older = { ...after, pendingSince: ACCEPTED + 1 };
    expect((await record({}, failure(), { after: older })).named('notePending')).toEqual([[older, ACCEPTED]]);
    for (const pendingSince of [ACCEPTED, undefined])
      expect((await record({}, failure(), { after: { ...after, pendingSince } })).named('notePending')).toEqual([]);
  });

  test('a webhook is disabled after several days of failures, with a warning halfway through', async () => {
    const since = (ms: number) => ({ ...webhook, consecutiveFailures: 20, failingSince: NOW - ms });
    const disabled = await record({}, failure(), { after: since(5 * DAY) });
    expect(disabled.named('disable')).toMatchObject([[{ id: 'w1' }, NOW, 'failing', expect.anything()]]);
    expect(disabled.measured).toEqual([['WebhooksDisabled']]);
    const warned = await record({}, failure(), { after: since(2.5 * DAY) });
    expect(warned.named('recordWarning')).toEqual([[since(2.5 * DAY), NOW]]);
    expect(warned.named('disable')).toEqual([]);
    expect(warned.logged.map(([level]) => level)).toEqual(['warn']);
    const again = await record({}, failure(), { after: since(2.5 * DAY), isWarned: false });
    expect(again.logged).toEqual([]);
    expect((await record({}, failure(), { after: webhook })).named('recordWarning')).toEqual([]);
    // A webhook that is gone is disabled for that reason.
    const gone = { ...failure(), next: { state: 'failed', reason: 'gone' } };
    expect((await record({}, gone, { after: since(5 * DAY) })).named('disable')).toEqual([]);
    const last = { ...failure(), next: { state: 'failed', reason: 'exhausted' } };
    expect((await record({}, last, { after: since(5 * DAY) })).named('disable')).toHaveLength(1);
  });

  test('an attempt that began before the receiver recovered is retried at once if it fails', async () => {
    const after = { ...webhook, consecutiveFailures: 1, backDate: NOW };
    const soon = await record({}, failure(NOW + HOUR), { after });
    expect(soon.enqueued).toMatchObject([[[{ isRetry: true, notBefore: NOW + 1_000, early: { back: NOW } }], 1]]);
    // Another process recorded the failure.
    const other = await record({}, failure(NOW + HOUR), { after: null, current: after });
    expect(other.named('webhook')).toEqual([[customerId, 'w1']]);
    expect(other.enqueued).toHaveLength(1);
    expect((await record({}, failure(NOW + HOUR), { after: null })).enqueued).toEqual([]);
  });
});

const pending = (more: object = {}) =>
  toWebhook({ state: 'retrying', attempts: 2, nextAttempt: NOW + HOUR, sendTryTimes: [NOW - HOUR], ...more });

describe('early attempts', () => {
  const isBack = { ...webhook, backDate: NOW - 5 };
  const taskOf = (delivery: Delivery, more: object = {}) => ({
    type: 'deliver',
    customerId,
    webhookId: 'w1',
    deliveryId: delivery.id,
    uuid: 'event-1',
    isRetry: true,
    notBefore: NOW,
    early: { insteadOf: NOW + HOUR, back: NOW - 5 },
    ...more,
  });

  test('the task of an early attempt names the scheduled attempt it replaces', () => {
    const { deps } = world();
    const delivery = pending({ requestId: 'q' });
    expect(earlyAttempt(deps, some(isBack), delivery, NOW)).toEqual({ time: NOW, task: taskOf(delivery) });
    const halfway = earlyAttempt(deps, some({ ...isBack, backDate: undefined }), delivery, NOW + 0.5);
    expect(halfway?.task).toMatchObject({ notBefore: NOW + 1, early: { back: 0 } });
  });

  test('an early attempt is skipped if it is useless or due too late', () => {
    const { deps } = world();
    const attemptOf = (delivery: Delivery, turn = NOW) => earlyAttempt(deps, some(isBack), delivery, turn);
    expect(attemptOf(pending({ state: 'delivered' }))).toBeNull();
    expect(attemptOf(pending({ nextAttempt: NOW + 1_000 }))).toBeNull();
    expect(attemptOf(pending(), NOW + 900_000)).not.toBeNull();
    expect(attemptOf(pending(), NOW + 900_001)).toBeNull();
  });

  test("an early attempt does not shorten the schedule's delay for first attempts", () => {
    const { deps } = world();
    const fresh = pending({ state: 'pending', attempts: 0, sendTryTimes: [], nextAttempt: ACCEPTED + 65_000 });
    expect(earlyAttempt(deps, some({ ...isBack, retrySchedule: [60] }), fresh, NOW)).toBeNull();
    expect(earlyAttempt(deps, some({ ...isBack, retrySchedule: [59] }), fresh, NOW)).not.toBeNull();
    const later = { ...fresh, nextAttempt: ACCEPTED + 65_001 };
    expect(earlyAttempt(deps, some({ ...isBack, retrySchedule: [60] }), later, NOW)).not.toBeNull();
  });

  test('early attempts in the same second are enqueued together', async () => {
    const { deps, enqueued } = world();
    const at = (time: number) => ({ time, task: some({ at: time - NOW }) });
    await enqueueEarly(deps, [at(NOW - 5), at(NOW + 999), at(NOW + 1_000), at(NOW + 2_500)]);
    expect(enqueued).toEqual([
      [[{ at: -5 }, { at: 999 }], 0],
      [[{ at: 1_000 }], 1],
      [[{ at: 2_500 }], 2],
    ]);
  });

  test('an attempt that fails during the recovery is repeated a second later', async () => {
    const next = { state: 'retrying', nextAttempt: NOW + HOUR } as const;
    const again = async (of: object, delivery: Delivery) => {
      const { deps, enqueued } = world();
      await attemptAgain(deps, some({ ...isBack, ...of }), delivery, next);
      return enqueued.length;
    };
    const tried = (sendTryTime: number, nextAttempt: number | null = null) =>
      toWebhook({ sendTryTimes: [sendTryTime], nextAttempt, attempts: 1 });
    expect(await again({}, tried(NOW - 5))).toBe(1);
    const { deps, enqueued } = world();
    await attemptAgain(deps, some(isBack), tried(NOW - 5), next);
    expect(enqueued).toMatchObject([[[{ notBefore: NOW + 1_000 }], 1]]);
    expect(await again({}, tried(NOW - 4))).toBe(0);
    // This attempt was itself made early.
    expect(await again({}, tried(NOW - 4, NOW + HOUR))).toBe(1);
    expect(await again({ consecutiveFailures: 3 }, tried(NOW - 5))).toBe(0);
    expect(await again({ openUntil: NOW }, tried(NOW - 5))).toBe(0);
    expect(await again({ backDate: undefined }, tried(NOW - 5))).toBe(0);
  });

  const key = { customerId, webhookId: 'w1', id: idAt(ACCEPTED) };
  const check = async (found: object, task: Partial<Deliver> = {}, of: object = {}) => {
    const { deps, enqueued, named } = world({ found });
    const outcome = await checkEarly(deps, key, some({ ...isBack, ...of }), some({ notBefore: NOW, ...task }));
    return [outcome, enqueued.length, ...named('report').map(() => 'reported')];
  };
  const early = { insteadOf: NOW + HOUR, back: NOW - 5 };

  test('an early attempt is made only if the delivery and receiver are unchanged', async () => {
    expect(await check({ delivery: pending(), until: null }, { early })).toEqual([null, 0]);
    expect(await check({ delivery: pending(), until: null }, { early }, { backDate: NOW })).toEqual(['postponed', 0]);
    expect(await check({ delivery: pending(), until: null }, { early }, { consecutiveFailures: 3 })).toEqual([
      'postponed',
      0,
    ]);
    const moved = pending({ nextAttempt: NOW + 2 * HOUR });
    expect(await check({ delivery: moved, until: NOW + 9_000 }, { early })).toEqual(['requeued', 1]);
  });

  test('makes the scheduled attempt instead of an early one if it is due', async () => {
    expect(await check({ delivery: pending({ nextAttempt: NOW }), until: null })).toEqual([null, 0]);
    const first = pending({ state: 'pending', nextAttempt: null });
    expect(await check({ delivery: first, until: null })).toEqual([null, 0]);
    expect(await check({ delivery: pending({ nextAttempt: NOW + 1 }), until: NOW + 1 })).toEqual(['requeued', 1]);
  });

  test('an early attempt waits for the lease of a dead process to expire', async () => {
    const sending = pending({ state: 'sending' });
    expect(await check({ delivery: sending, until: NOW })).toEqual([null, 0]);
    expect(await check({ delivery: sending, until: NOW + 1 })).toEqual(['requeued', 1]);
  });

  test('no early attempt is made if another task has attempted the delivery', async () => {
    const delivered = (...sendTryTimes: number[]) => ({
      delivery: toWebhook({ state: 'delivered', sendTryTimes }),
      until: null,
    });
    expect(await check(delivered(NOW + 5, NOW - 1))).toEqual(['delivered', 0]);
    // This task's own attempt was recorded, but may not have been reported yet.
    expect(await check(delivered(NOW))).toEqual(['delivered', 0, 'reported']);
    expect(await check({ delivery: pending({ nextAttempt: NOW + 1 }), until: null })).toEqual(['retrying', 0]);
  });
});

describe('releasing deliveries to a recovered receiver', () => {
  const releasing = { ...webhook, pendingSince: ACCEPTED - HOUR, backDate: NOW - 5, lastFailure: NOW - 9 };
  const start: Back = { date: NOW - 5, isRest: false, after: null, isListed: false };
  const alarm = (name: string) => pending({ id: idAt(ACCEPTED, name) });
  const other = (name: string, kind: object = { type: 'room', action: 'occupied' }) => {
    const { event, ...others } = snapshotOf();
    return pending({ id: idAt(ACCEPTED, name), snapshot: { ...others, event: { ...event, ...kind } } });
  };
  const release = async (pages: Delivery[][], more: Partial<Back> = {}, of: object = {}, left = 20_000) => {
    const stubs = world({ pages });
    const task = { type: 'release_held', customerId, webhookId: 'w1', back: { ...start, ...more } };
    await releasePending(stubs.deps, some({ ...releasing, ...of }), some(task), () => left);
    const [attempts, next] = [stubs.enqueued.slice(0, -1), stubs.enqueued.at(-1)];
    const ids = attempts.flatMap(([tasks]) => tasks.map((one) => ('deliveryId' in one ? one.deliveryId : '')));
    return { ...stubs, ids, next, task };
  };

  test('the release waits until the success has been recorded', async () => {
    const early = { pendingSince: ACCEPTED, backDate: NOW - 100, lastFailure: NOW - 50 };
    const waiting = await release([], {}, early);
    expect(waiting.enqueued).toEqual([[[waiting.task], 1]]);
    expect((await release([], {}, { backDate: NOW - 4 })).enqueued).toEqual([]);
    expect((await release([], { date: NOW - 30_000 }, early)).enqueued).toEqual([]);
    expect((await release([], { date: NOW - 29_999 }, early)).enqueued).toHaveLength(1);
    expect((await release([], { date: NOW + 10_001 }, early)).enqueued).toEqual([]);
  });

  test.each([
    ['nothing is pending', { pendingSince: undefined }],
    ['the receiver is failing again', { consecutiveFailures: 3 }],
    ['the webhook has lost its URL', { url: null }],
  ])('the release ends if %s', async (_, of) => {
    const { enqueued, calls } = await release([[alarm('a')]], {}, of);
    expect([enqueued, calls]).toEqual([[], []]);
  });

  test('the release sends alarms about people first', async () => {
    const [a, b, c, d] = [alarm('a'), other('b'), other('c', kinds.sensor_inactive), alarm('d')];
    const { ids, next, named, places } = await release([
      [a, b],
      [c, d],
    ]);
    expect(ids).toEqual([a.id, d.id, c.id, b.id]);
    expect(places).toEqual(['release.enqueued']);
    const bounds = { startAfter: null, limit: 100 };
    expect(named('range')[0]).toEqual([customerId, 'w1', [ACCEPTED - HOUR, NOW - 5], bounds]);
    const listed = { date: NOW - 5, isRest: true, after: null, isListed: true };
    // The lease for the last attempt, which will be made 0.3 s from now.
    expect(next).toEqual([[expect.objectContaining({ back: listed })], 31]);
    expect(named('endRelease')).toEqual([]);
  });

  test('the release ends once no deliveries are left', async () => {
    expect((await release([], { isListed: true })).named('endRelease')).toEqual([[expect.anything(), NOW - 5]]);
    const nothing = await release([[]]);
    expect(nothing.named('endRelease')).toHaveLength(1);
    expect(nothing.enqueued).toEqual([]);
  });

  test('the release attempts up to fifty deliveries at a rate of ten a second', async () => {
    const many = Array.from({ length: 60 }, (_, at) => alarm(String(at)));
    const { ids, next, enqueued } = await release([many]);
    expect(ids).toEqual(many.slice(0, 50).map(({ id }) => id));
    expect(enqueued.slice(0, -1).map(([tasks, delay]) => [tasks.length, delay])).toEqual(
      [0, 1, 2, 3, 4].map((at) => [10, at]),
    );
    expect(next).toEqual([[expect.objectContaining({ back: { ...start, after: many[49]?.id } })], 5]);
  });

  test('the release leaves the rest to the next task when time runs out', async () => {
    const { ids, next, named } = await release([[alarm('a')]], {}, {}, 5_000);
    expect([ids, named('range')]).toEqual([[], []]);
    expect(next).toEqual([[expect.objectContaining({ back: start })], 0]);
  });

  test('the release finds deliveries created before the clock was set back', async () => {
    const { named } = await release([[alarm('a')]], {}, { pendingSince: NOW + HOUR });
    expect(named('range')[0]?.[2]).toEqual([NOW - 5, Number.MAX_SAFE_INTEGER]);
  });
});
