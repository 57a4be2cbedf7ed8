import { describe, expect, test } from 'vitest';
import { deliver } from '#functions/workers/deliver/handler.ts';
import { createWebhookSemaphore } from '#shared/delivery/webhook-client.ts';
import type { Delivery } from '#shared/domain/delivery/delivery.ts';
import type { Deliver } from '#shared/queue/task.ts';
import { ACCEPTED, customerId, type DeliveryWorld, deliveryStubs, deliveryTo } from '#test/fixtures/delivery-stubs.ts';
import { NOW } from '#test/fixtures/stub-deps.ts';

const HOUR = 3_600_000;
const webhook = {
  id: 'w1',
  customerId,
  botId: null,
  name: 'Nurse call',
  url: 'https://nurse.example.org/call',
  format: 'full',
  isEnabled: true,
  isCustomerHook: true,
  consecutiveFailures: 0,
  lastSuccess: NOW,
  token: 'encrypted',
  secretKey: 'encrypted',
};
const toWebhook = (more: object = {}): Delivery => {
  const { person: _, ...others } = deliveryTo('email', { webhookId: 'w1', format: 'full', ...more });
  return others;
};

type AttemptWorld = DeliveryWorld & {
  /** The results of successive reads of the webhook. The last entry repeats. */
  webhooks?: readonly (object | null)[];
  delivery?: object | null;
  status?: number;
  isHeld?: boolean;
  slot?: object | null;
  task?: Partial<Deliver>;
  left?: number;
  isPostponed?: boolean;
  replanned?: boolean;
};
const run = async ({
  webhooks = [webhook],
  delivery = toWebhook(),
  status = 200,
  isHeld = true,
  slot = { slot: 'slot1', until: NOW + 30_000, token: 't' },
  task: ofTask = {},
  left = 30_000,
  isPostponed = true,
  replanned = true,
  ...given
}: AttemptWorld = {}) => {
  const calls: [string, ...unknown[]][] = [];
  const noting =
    (name: string, result: () => unknown = () => undefined) =>
    async (...args: unknown[]) => {
      calls.push([name, ...args]);
      return result();
    };
  const reads = [...webhooks];
  const nextWebhook = () => (reads.length > 1 ? reads.shift() : reads[0]) ?? null;
  const semaphore = createWebhookSemaphore();
  const answer = { status, error: null, durationMs: 50, responseBody: '', retryAfter: null, acknowledgedBy: null };
  const stubs = deliveryStubs({
    ...given,
    more: {
      webhooks: { get: noting('webhook', nextWebhook) },
      deliveries: {
        get: noting('delivery', () => delivery),
        getQueued: noting('queued', () => ({ delivery, until: null })),
        end: noting('end'),
      },
      held: { hold: noting('hold', () => isHeld) },
      feeds: { moveToFeed: noting('feed', () => true) },
      health: {
        takeSlot: noting('takeSlot', () => slot),
        release: noting('release'),
        failed: noting('failed', () => null),
        recordSuccess: noting('recordSuccess'),
        recordBack: noting('recordBack', () => true),
        notePending: noting('notePending'),
      },
      attempts: {
        claim: noting('claim', () => (delivery ? { ...delivery } : null)),
        recordResult: noting('recordResult'),
        postpone: noting('postpone', () => isPostponed),
        replan: noting('replan', () => replanned),
      },
      events: { bytes: noting('bytes', () => null), storeNotice: noting('storeNotice') },
    },
    deps: {
      webhookClient: { acquire: semaphore.acquire, post: noting('post', () => answer) },
      ...given.deps,
    },
  });
  Object.assign(stubs.deps.settings, { SIGNATURE_HEADER: '' });
  const id = delivery ? (delivery as Delivery).id : 'gone';
  const task: Deliver = {
    type: 'deliver',
    customerId,
    webhookId: 'w1',
    deliveryId: id,
    isRetry: false,
    notBefore: 0,
    ...ofTask,
  };
  const outcome = await deliver(stubs.deps, task, () => left);
  const named = (name: string) => calls.filter(([call]) => call === name).map(([, ...args]) => args);
  // Checks that this process's permit is free again.
  const permit = await semaphore.acquire('w1', async () => {});
  return { ...stubs, outcome, calls, named, task, id, isFree: permit?.shared.hasUnleasedRequest === false };
};
const key = { customerId, webhookId: 'w1' };

describe('webhook deliveries', () => {
  test('a webhook delivery is claimed, posted and recorded', async () => {
    const { outcome, calls, named, id, places, isFree } = await run();
    expect(outcome).toBe('delivered');
    expect(calls.map(([name]) => name)).toEqual(['webhook', 'claim', 'post', 'recordResult']);
    expect(named('webhook')).toEqual([[customerId, 'w1']]);
    expect(named('claim')).toEqual([
      [{ ...key, id }, NOW, expect.any(String), { aloneSince: 5, insteadOf: undefined }],
    ]);
    expect(named('post')).toMatchObject([[{ url: webhook.url, isLoopbackDenied: false }]]);
    expect(places).toContain('deliver.sent');
    expect(isFree).toBe(true);
  });

  test('a webhook delivery keeps the request id of the request that caused it', async () => {
    const { named, id } = await run({ task: { requestId: 'call-1' } });
    expect(named('claim')[0]?.[0]).toEqual({ ...key, id, requestId: 'call-1' });
  });

  test('a webhook delivery is retried if the receiver fails', async () => {
    const { outcome, enqueued, isFree } = await run({ status: 500 });
    expect(outcome).toBe('retrying');
    expect(enqueued).toMatchObject([[[{ type: 'deliver', isRetry: true }], 4]]);
    expect(isFree).toBe(true);
  });

  test('a webhook delivery claimed by another task is left to that task', async () => {
    const held = { ...toWebhook(), state: 'delivered', hit: null };
    const { outcome, named } = await run({ delivery: held, more: {}, claimed: null });
    expect(['delivered', 'requeued']).toContain(outcome);
    expect(named('claim')).toHaveLength(1);
  });

  test('a delivery ends if the webhook was deleted', async () => {
    const { named, calls, id } = await run({
      webhooks: [null],
      delivery: { ...toWebhook(), state: 'failed', hit: null },
    });
    expect(named('end')).toEqual([[{ ...key, id }, 'deleted', NOW]]);
    expect(calls.map(([name]) => name)).toEqual(['webhook', 'end', 'queued']);
  });

  test('a webhook delivery is held while the webhook is disabled', async () => {
    const { outcome, named, id } = await run({ webhooks: [{ ...webhook, isEnabled: false }] });
    expect(outcome).toBe('held');
    expect(named('hold')).toMatchObject([[{ ...key, id }, NOW]]);
    expect(named('claim')).toEqual([]);
  });

  test('a delivery to a webhook without a URL enters the feed', async () => {
    const delivery = toWebhook({ state: 'pending', nextAttempt: NOW });
    const { outcome, named } = await run({ webhooks: [{ ...webhook, url: null, isEnabled: false }], delivery });
    expect(outcome).toBe('pending');
    expect(named('feed')).toEqual([[delivery, NOW]]);
    expect(named('hold')).toEqual([]);
  });
});

describe('attempt times', () => {
  test('an attempt waits up to a second, because queues support only whole seconds as delays', async () => {
    const soon = await run({ task: { notBefore: NOW + 1_000 } });
    expect(soon.outcome).toBe('delivered');
    expect(soon.named('claim')[0]?.[1]).toBe(NOW + 1_000);
  });

  test('an attempt due in more than a second is left to another task', async () => {
    const { outcome, enqueued, task, calls } = await run({ task: { notBefore: NOW + 1_001 } });
    expect(outcome).toBe('requeued');
    expect(enqueued).toEqual([[[{ ...task, isRetry: true, notBefore: NOW + 1_001 }], 1]]);
    expect(calls).toEqual([]);
  });

  test("an attempt's time is corrected if the clock was set back", async () => {
    const ahead = NOW + 10 * HOUR;
    const delivery = toWebhook({ state: 'retrying', createDate: ahead, nextAttempt: ahead + 5_000 });
    const by = await run({ delivery, task: { setBack: 10 * HOUR } });
    expect(by.named('replan')).toEqual([[{ ...key, id: delivery.id }, ahead + 5_000, NOW + 5_000, NOW]]);
    expect([by.outcome, by.named('claim')]).toEqual(['postponed', []]);
    // The task has arrived, and queues do not depend on the host's clock, so the delivery is due.
    const due = await run({ delivery, task: { notBefore: ahead + 5_000 } });
    expect(due.named('replan')).toMatchObject([[{}, ahead + 5_000, NOW, NOW]]);
    expect(due.outcome).toBe('delivered');
    const raced = await run({ delivery, task: { setBack: 10 * HOUR }, replanned: false });
    expect([raced.outcome, raced.named('claim')]).toEqual(['retrying', []]);
    const usual = toWebhook({ state: 'retrying', nextAttempt: NOW + HOUR });
    expect((await run({ delivery: usual, task: { setBack: HOUR } })).named('replan')).toEqual([]);
    expect((await run({ delivery: usual, task: { notBefore: NOW + 10_001 } })).outcome).toBe('delivered');
  });

  test("a webhook's retry schedule can delay the first attempt", async () => {
    const slow = [{ ...webhook, retrySchedule: [60] }];
    const fresh = toWebhook({ attempts: 0, createDate: NOW - 59_999 });
    const { outcome, named, enqueued, id } = await run({ webhooks: slow, delivery: fresh });
    expect(outcome).toBe('postponed');
    expect(named('postpone')).toEqual([[{ ...key, id }, NOW + 1, NOW, true]]);
    expect(enqueued).toMatchObject([[[{ notBefore: NOW + 1 }], 0]]);
    for (const due of [
      { attempts: 0, createDate: NOW - 60_000 },
      { attempts: 1, createDate: NOW },
      // This delivery was created before the clock was set back.
      { attempts: 0, createDate: NOW + 10_001 },
    ])
      expect((await run({ webhooks: slow, delivery: toWebhook(due) })).outcome).toBe('delivered');
    expect((await run({ delivery: fresh })).named('delivery')).toEqual([]);
  });
});

describe('a slow or failing receiver', () => {
  const failing = { ...webhook, consecutiveFailures: 1 };

  test('first attempts to a failing receiver move to the retry queue', async () => {
    const { outcome, enqueued, task } = await run({ webhooks: [failing] });
    expect(outcome).toBe('requeued');
    expect(enqueued).toEqual([[[{ ...task, isRetry: true }], 0]]);
  });

  test('a retry to a failing receiver frees its slot afterwards', async () => {
    const { outcome, named } = await run({ webhooks: [failing], task: { isRetry: true } });
    expect(outcome).toBe('delivered');
    const lease = { slots: 5, first: 0, isProbe: false, token: expect.any(String), aloneSince: 5 };
    expect(named('takeSlot')).toEqual([[failing, NOW, lease]]);
    expect(named('recordSuccess').length + named('release').length).toBeGreaterThan(0);
  });

  test('a retry to a failing receiver is postponed if no slot becomes free in time', async () => {
    const { outcome, named, isFree } = await run({ webhooks: [failing], task: { isRetry: true }, slot: null });
    expect(outcome).toBe('postponed');
    expect(named('claim')).toEqual([]);
    const [[, until] = []] = named('postpone');
    expect(Number(until)).toBeGreaterThan(NOW + 5_000);
    expect(isFree).toBe(true);
  });

  test('a retry to a failing receiver is postponed if too little time is left', async () => {
    const { outcome, named } = await run({ webhooks: [failing], task: { isRetry: true }, left: 19_999 });
    expect([outcome, named('takeSlot')]).toEqual(['postponed', []]);
    expect((await run({ webhooks: [failing], task: { isRetry: true }, left: 20_000 })).outcome).toBe('delivered');
  });

  test('a delivery waiting for a slot is not sent once the webhook is disabled', async () => {
    for (const later of [{ ...failing, isEnabled: false }, null, { ...failing, url: null }]) {
      const { outcome, named, enqueued } = await run({
        webhooks: [failing, later],
        task: { isRetry: true },
        slot: null,
      });
      expect(outcome).toBe('requeued');
      expect(named('claim')).toEqual([]);
      expect(enqueued).toHaveLength(1);
    }
  });
});

describe('open circuits', () => {
  const open = { ...webhook, consecutiveFailures: 10, openUntil: NOW + 30_000, pendingSince: ACCEPTED + 1 };
  const retry = toWebhook({ attempts: 3, state: 'retrying', nextAttempt: NOW });

  test('an open circuit postpones retries until the next release', async () => {
    const { outcome, named, id } = await run({ webhooks: [open], delivery: retry, task: { isRetry: true } });
    expect(outcome).toBe('postponed');
    expect(named('notePending')).toEqual([[open, ACCEPTED]]);
    const [[of, until] = []] = named('postpone');
    expect(of).toEqual({ ...key, id });
    expect(Number(until)).toBeGreaterThanOrEqual(NOW + 30_000);
  });

  test('an early attempt postponed by an open circuit does not move the scheduled one', async () => {
    const early = { insteadOf: NOW, back: 5 };
    const planned = toWebhook({ attempts: 3, state: 'retrying', nextAttempt: NOW });
    const { outcome, named, enqueued } = await run({
      webhooks: [open],
      delivery: planned,
      task: { isRetry: true, early },
    });
    expect(['requeued', 'postponed']).toContain(outcome);
    expect(named('notePending')).toEqual([]);
    expect(named('postpone')).toEqual([]);
    expect(enqueued.length).toBeLessThanOrEqual(1);
  });

  test('an open circuit lets a new alarm through as a probe', async () => {
    const alarm = toWebhook({ attempts: 0, createDate: NOW });
    const { outcome, named } = await run({ webhooks: [open], delivery: alarm, task: { isRetry: true } });
    expect(outcome).toBe('delivered');
    expect(named('takeSlot')).toMatchObject([[open, NOW, { isProbe: true, slots: 5 }]]);
    const old = toWebhook({ attempts: 0, createDate: NOW - 60_000 });
    expect((await run({ webhooks: [open], delivery: old, task: { isRetry: true } })).outcome).toBe('postponed');
    const replayed = { ...alarm, replay: 'r1' };
    expect((await run({ webhooks: [open], delivery: replayed, task: { isRetry: true } })).outcome).toBe('postponed');
  });

  test("an open circuit makes a new alarm wait for the current probe's result", async () => {
    const alarm = toWebhook({ attempts: 0, createDate: NOW });
    const probed = { ...open, probeUntil: NOW + 20_000 };
    const closed = { ...webhook, consecutiveFailures: 0 };
    const worked = await run({ webhooks: [probed, closed], delivery: alarm, task: { isRetry: true } });
    expect(worked.outcome).toBe('delivered');
    const { probeUntil: _, ...idle } = probed;
    const failed = { ...idle, consecutiveFailures: probed.consecutiveFailures + 1 };
    const again = await run({ webhooks: [probed, failed], delivery: alarm, task: { isRetry: true } });
    expect(again.outcome).toBe('postponed');
    // The delivery is postponed by the retry schedule's first delay, with jitter.
    const [[, until] = []] = again.named('postpone');
    expect(Number(until) - NOW - 500).toBe(4_008);
  });
});

test('a postponed attempt does not resend a delivery that succeeded during recovery', async () => {
  const back = { ...webhook, backDate: NOW - 60_000 };
  const delivered = toWebhook({ state: 'delivered', sendTryTimes: [NOW - 30_000], hit: null });
  const { outcome, named } = await run({
    webhooks: [back],
    delivery: delivered,
    task: { isRetry: true, notBefore: NOW },
  });
  expect([outcome, named('claim')]).toEqual(['delivered', []]);
  // A first attempt needs no check, nor does an attempt planned long after the receiver recovered.
  for (const [of, notBefore] of [
    [back, 0],
    [{ ...webhook, backDate: NOW - 900_000 }, NOW],
    [webhook, NOW],
  ] as const)
    expect((await run({ webhooks: [of], task: { isRetry: true, notBefore } })).named('queued')).toEqual([]);
});
