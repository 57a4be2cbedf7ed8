import { describe, expect, test } from 'vitest';
import type { DeliverDeps } from '#functions/workers/deliver/deps.ts';
import {
  delayBefore,
  enqueueIfSoon,
  fitsQueue,
  postpone,
  requeue,
  requeueAsRetry,
  requeueTaskAt,
  retrySchedule,
} from '#functions/workers/deliver/schedule.ts';
import { RETRY_DELAYS } from '#shared/domain/delivery/delivery.ts';
import type { Deliver } from '#shared/queue/task.ts';
import { Quarantine } from '#shared/worker/failure.ts';
import { some } from '#test/fixtures/alarm-stubs.ts';
import { NOW, stubDeps } from '#test/fixtures/stub-deps.ts';

const key = { customerId: 7, webhookId: 'w1', id: 'd1', requestId: 'q' };
const task: Deliver = {
  type: 'deliver',
  customerId: 7,
  webhookId: 'w1',
  deliveryId: 'd1',
  requestId: 'q',
  isRetry: false,
  notBefore: 0,
};
const retryAt = (notBefore: number) => ({ ...task, isRetry: true, notBefore });
const event = { uuid: 'e1', type: 'fall', action: 'detected', source: null };
const delivery = {
  ...key,
  requestId: undefined,
  state: 'sending',
  createDate: NOW - 1_000,
  hit: { id: 11, message: 2 },
  sendTryTimes: [NOW - 900, NOW - 700, NOW - 500],
  snapshot: { event },
};

type World = { found?: object | null; until?: number | null; isPostponed?: boolean; schedule?: number[] };
const world = ({ found = delivery, until = null, isPostponed = true, schedule = [] }: World = {}) => {
  const reported: unknown[][] = [];
  const postponed: unknown[][] = [];
  const store = {
    deliveries: { getQueued: async () => ({ delivery: found, until }) },
    hitReports: { report: async (...args: unknown[]) => void reported.push(args) },
    attempts: {
      postpone: async (...args: unknown[]) => {
        postponed.push(args);
        return isPostponed;
      },
    },
  };
  const stubs = stubDeps<DeliverDeps>(store);
  Object.assign(stubs.deps.settings, { RETRY_SCHEDULE: schedule });
  return { ...stubs, reported, postponed };
};

test('a task contains the exact time, because queues support only whole seconds as delays', async () => {
  const { deps, enqueued } = world();
  expect(await requeueTaskAt(deps, task, NOW + 1_999.5)).toBe('requeued');
  expect(enqueued).toEqual([[[retryAt(NOW + 2_000)], 2]]);
  await requeueTaskAt(deps, task, NOW + 1_998.5);
  expect(enqueued[1]).toEqual([[retryAt(NOW + 1_999)], 1]);
});

test('a task is not enqueued if the delay is too long for a queue', async () => {
  expect([900_000, 900_001].map((ms) => fitsQueue(NOW + ms, NOW))).toEqual([true, false]);
  const { deps, enqueued } = world();
  await enqueueIfSoon(deps, key, NOW + 900_001);
  expect(enqueued).toEqual([]);
  await enqueueIfSoon(deps, key, NOW + 900_000);
  expect(enqueued).toEqual([[[retryAt(NOW + 900_000)], 900]]);
});

test('a task moves to the retry queue unchanged', async () => {
  const { deps, enqueued } = world();
  expect(await requeueAsRetry(deps, task)).toBe('requeued');
  expect(enqueued).toEqual([[[{ ...task, isRetry: true }], 0]]);
});

test('a task waits until another task for the same delivery has finished', async () => {
  const later = world({ until: NOW + 5_000 });
  expect(await requeue(later.deps, key)).toBe('requeued');
  expect(later.enqueued).toEqual([[[{ ...retryAt(NOW + 5_000), uuid: 'e1' }], 5]]);
  const soon = world({ until: NOW - 5_000 });
  await requeue(soon.deps, key);
  expect(soon.enqueued[0]?.[0]).toMatchObject([{ notBefore: NOW + 500 }]);
});

test('a task for a missing delivery is quarantined', async () => {
  await expect(requeue(world({ found: null }).deps, key)).rejects.toThrow(Quarantine);
});

test('a task for an ended delivery repeats the follow-up work after a crash', async () => {
  const failed = world({ found: { ...delivery, state: 'failed' } });
  expect(await requeue(failed.deps, key)).toBe('failed');
  expect(failed.enqueued).toEqual([
    [
      [
        {
          type: 'escalate',
          customerId: 7,
          hitId: 11,
          uuid: 'e1',
          requestId: 'q',
          failed: { webhookId: 'w1', deliveryId: 'd1' },
        },
      ],
      0,
    ],
  ]);
  expect(failed.reported).toEqual([]);
  const delivered = world({ found: { ...delivery, state: 'delivered' } });
  expect(await requeue(delivered.deps, key)).toBe('delivered');
  // Only the last attempt succeeded.
  const report = { customerId: 7, hitId: 11, at: 2, tries: [NOW - 500], sent: true };
  expect(delivered.reported).toEqual([[report, NOW]]);
  expect(delivered.enqueued).toEqual([]);
});

test('a task does nothing if the delivery is held or due later', async () => {
  for (const state of ['held', 'retrying']) {
    const { deps, enqueued, reported } = world({ found: { ...delivery, state } });
    expect(await requeue(deps, key)).toBe(state);
    expect([enqueued, reported]).toEqual([[], []]);
  }
});

describe('postponed deliveries', () => {
  test('a postponed delivery is written before its task is enqueued', async () => {
    const soon = world();
    expect(await postpone(soon.deps, key, {}, NOW + 900_000)).toBe('postponed');
    expect(soon.postponed).toEqual([[key, NOW + 900_000, NOW, true]]);
    expect(soon.enqueued).toEqual([[[retryAt(NOW + 900_000)], 900]]);
    const late = world();
    expect(await postpone(late.deps, key, {}, NOW + 900_001)).toBe('postponed');
    expect(late.postponed).toEqual([[key, NOW + 900_001, NOW, false]]);
    expect(late.enqueued).toEqual([]);
  });

  test('a postponed alarm stays an alarm', async () => {
    const { deps, enqueued } = world();
    await postpone(deps, key, { isAlarm: true }, NOW + 1_000);
    expect(enqueued).toEqual([[[{ ...retryAt(NOW + 1_000), isAlarm: true }], 1]]);
  });

  test('postponing a delivery changed by another task only requeues the task', async () => {
    const { deps, enqueued } = world({ isPostponed: false, until: NOW + 5_000 });
    expect(await postpone(deps, key, {}, NOW + 60_000)).toBe('requeued');
    expect(enqueued[0]?.[0]).toMatchObject([{ notBefore: NOW + 5_000 }]);
  });
});

describe('retry schedules', () => {
  const webhook = (retrySchedule?: number[]) => some({ ...(retrySchedule && { retrySchedule }) });

  test("the webhook's retry schedule takes precedence over the stage's", () => {
    const { deps } = world({ schedule: [5, 6] });
    expect(retrySchedule(deps, webhook([1]))).toEqual([1]);
    expect(retrySchedule(deps, webhook())).toEqual([5, 6]);
    expect(retrySchedule(world().deps, webhook())).toBeNull();
  });

  test('a short retry schedule is continued with the built-in delays', () => {
    const { deps } = world();
    expect([0, 1, 2].map((step) => delayBefore(deps, webhook([7, 8]), step))).toEqual([7, 8, RETRY_DELAYS[2]]);
    expect(delayBefore(deps, webhook(), 1)).toBe(RETRY_DELAYS[1]);
    expect(delayBefore(deps, webhook(), 1_000)).toBe(0);
  });
});
