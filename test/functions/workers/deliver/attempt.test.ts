import { describe, expect, test } from 'vitest';
import { ACCEPTED, customerId, deliveryTo } from '#test/fixtures/delivery-stubs.ts';
import { NOW } from '#test/fixtures/stub-deps.ts';
import { attempt, toWebhook, webhook } from '#test/fixtures/webhook-attempts.ts';

const HOUR = 3_600_000;
const key = { customerId, webhookId: 'w1' };

describe('webhook deliveries', () => {
  test('a webhook delivery is claimed, posted and recorded', async () => {
    const { outcome, calls, named, id, places, isFree } = await attempt();
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
    const { named, id } = await attempt({ task: { requestId: 'call-1' } });
    expect(named('claim')[0]?.[0]).toEqual({ ...key, id, requestId: 'call-1' });
  });

  test('a webhook delivery is retried if the receiver fails', async () => {
    const { outcome, enqueued, isFree } = await attempt({ status: 500 });
    expect(outcome).toBe('retrying');
    expect(enqueued).toMatchObject([[[{ type: 'deliver', isRetry: true }], 4]]);
    expect(isFree).toBe(true);
  });

  test('a webhook delivery claimed by another task is left to that task', async () => {
    const ended = toWebhook({ state: 'delivered', hit: null });
    const { outcome, named, isFree } = await attempt({ delivery: ended, isTaken: true });
    expect([outcome, named('claim').length, named('post'), isFree]).toEqual(['delivered', 1, [], true]);
  });

  test('a delivery to a person needs no webhook', async () => {
    const channels = [{ by: 'email', address: 'anna@example.org' }];
    const delivery = deliveryTo('email');
    const { outcome, named } = await attempt({ task: { webhookId: null, by: 'email' }, delivery, channels });
    expect([outcome, named('webhook'), named('post')]).toEqual(['delivered', [], []]);
  });

  test('a delivery ends if the webhook was deleted', async () => {
    const { named, calls, id } = await attempt({
      webhooks: [null],
      delivery: { ...toWebhook(), state: 'failed', hit: null },
    });
    expect(named('end')).toEqual([[{ ...key, id }, 'deleted', NOW]]);
    expect(calls.map(([name]) => name)).toEqual(['webhook', 'end', 'queued']);
  });

  test('a webhook delivery is held while the webhook is disabled', async () => {
    const { outcome, named, id } = await attempt({ webhooks: [{ ...webhook, isEnabled: false }] });
    expect(outcome).toBe('held');
    expect(named('hold')).toMatchObject([[{ ...key, id }, NOW]]);
    expect(named('claim')).toEqual([]);
  });

  test('a delivery to a webhook without a URL enters the feed', async () => {
    const delivery = toWebhook({ state: 'pending', nextAttempt: NOW });
    const { outcome, named } = await attempt({ webhooks: [{ ...webhook, url: null, isEnabled: false }], delivery });
    expect(outcome).toBe('pending');
    expect(named('feed')).toEqual([[delivery, NOW]]);
    expect(named('hold')).toEqual([]);
  });
});

describe('attempt times', () => {
  test('an attempt waits up to a second, because queues support only whole seconds as delays', async () => {
    const soon = await attempt({ task: { notBefore: NOW + 1_000 } });
    expect(soon.outcome).toBe('delivered');
    expect(soon.named('claim')[0]?.[1]).toBe(NOW + 1_000);
  });

  test('an attempt pauses at most three times, for at most a second each, even if the clock is set back', async () => {
    const pausesOf = async (notBefore: number, changes: readonly number[]) => {
      const pauses: number[] = [];
      let time = NOW;
      const pause = async (ms: number) => {
        time += changes[pauses.length] ?? 0;
        pauses.push(ms);
      };
      const { outcome } = await attempt({ task: { notBefore }, deps: { now: () => time, pause } });
      expect(outcome).toBe('delivered');
      return pauses;
    };
    expect(await pausesOf(NOW + 400, [400])).toEqual([400]);
    expect(await pausesOf(NOW + 400, [0, 0, 0, 0])).toEqual([400, 400, 400]);
    expect(await pausesOf(NOW + 400, [-5_000, 0, 0, 0])).toEqual([400, 1_000, 1_000]);
  });

  test('an attempt due in more than a second is left to another task', async () => {
    const { outcome, enqueued, task, calls } = await attempt({ task: { notBefore: NOW + 1_001 } });
    expect(outcome).toBe('requeued');
    expect(enqueued).toEqual([[[{ ...task, isRetry: true, notBefore: NOW + 1_001 }], 1]]);
    expect(calls).toEqual([]);
  });

  test("an attempt's time is corrected if the clock was set back", async () => {
    const ahead = NOW + 10 * HOUR;
    const delivery = toWebhook({ state: 'retrying', createDate: ahead, nextAttempt: ahead + 5_000 });
    const by = await attempt({ delivery, task: { setBack: 10 * HOUR } });
    expect(by.named('replan')).toEqual([[{ ...key, id: delivery.id }, ahead + 5_000, NOW + 5_000, NOW]]);
    expect([by.outcome, by.named('claim')]).toEqual(['postponed', []]);
    const details = { deliveryId: delivery.id, nextAttempt: ahead + 5_000, time: NOW + 5_000 };
    expect(by.logged).toEqual([['warn', expect.stringContaining('clock was set back'), details]]);
    // The task has arrived, and queues do not depend on the host's clock, so the delivery is due.
    const due = await attempt({ delivery, task: { notBefore: ahead + 5_000 } });
    expect(due.named('replan')).toMatchObject([[{}, ahead + 5_000, NOW, NOW]]);
    expect(due.outcome).toBe('delivered');
    const raced = await attempt({ delivery, task: { setBack: 10 * HOUR }, replanned: false });
    expect([raced.outcome, raced.named('claim')]).toEqual(['retrying', []]);
    const usual = toWebhook({ state: 'retrying', nextAttempt: NOW + HOUR });
    const unchanged = await attempt({ delivery: usual, task: { setBack: HOUR } });
    expect([unchanged.outcome, unchanged.named('replan'), unchanged.named('claim')]).toEqual(['retrying', [], []]);
    expect((await attempt({ delivery: usual, task: { notBefore: NOW + 10_001 } })).outcome).toBe('delivered');
  });

  test("a webhook's retry schedule can delay the first attempt", async () => {
    const slow = [{ ...webhook, retrySchedule: [60] }];
    const fresh = toWebhook({ attempts: 0, createDate: NOW - 59_999 });
    const { outcome, named, enqueued, id } = await attempt({ webhooks: slow, delivery: fresh });
    expect(outcome).toBe('postponed');
    expect(named('postpone')).toEqual([[{ ...key, id }, NOW + 1, NOW, true]]);
    expect(enqueued).toMatchObject([[[{ notBefore: NOW + 1 }], 0]]);
    for (const due of [
      { attempts: 0, createDate: NOW - 60_000 },
      { attempts: 1, createDate: NOW },
      // This delivery was created before the clock was set back.
      { attempts: 0, createDate: NOW + 10_001 },
    ])
      expect((await attempt({ webhooks: slow, delivery: toWebhook(due) })).outcome).toBe('delivered');
    expect((await attempt({ delivery: fresh })).named('delivery')).toEqual([]);
    const created = toWebhook({ attempts: 0, createDate: NOW });
    const later = await attempt({ webhooks: slow, delivery: created });
    expect(later.named('postpone')).toEqual([[{ ...key, id: created.id }, NOW + 60_000, NOW, true]]);
  });
});

describe('a slow or failing receiver', () => {
  const failing = { ...webhook, consecutiveFailures: 1 };

  test('first attempts to a failing receiver move to the retry queue', async () => {
    const { outcome, enqueued, task } = await attempt({ webhooks: [failing] });
    expect(outcome).toBe('requeued');
    expect(enqueued).toEqual([[[{ ...task, isRetry: true }], 0]]);
  });

  test('a retry to a failing receiver frees its slot afterwards', async () => {
    const { outcome, named } = await attempt({ webhooks: [failing], task: { isRetry: true } });
    expect(outcome).toBe('delivered');
    const lease = { slots: 5, first: 0, isProbe: false, token: expect.any(String), aloneSince: 5 };
    expect(named('takeSlot')).toEqual([[failing, NOW, lease]]);
    expect(named('recordSuccess').length + named('release').length).toBeGreaterThan(0);
  });

  test('a retry to a failing receiver is postponed if no slot becomes free in time', async () => {
    const { outcome, named, isFree } = await attempt({ webhooks: [failing], task: { isRetry: true }, slot: null });
    expect(outcome).toBe('postponed');
    expect(named('claim')).toEqual([]);
    const [[, until] = []] = named('postpone');
    expect(Number(until)).toBeGreaterThan(NOW + 5_000);
    expect(isFree).toBe(true);
  });

  test('a retry to a failing receiver is postponed if too little time is left', async () => {
    const { outcome, named } = await attempt({ webhooks: [failing], task: { isRetry: true }, left: 19_999 });
    expect([outcome, named('takeSlot')]).toEqual(['postponed', []]);
    // Half a second to a second later, chosen at random.
    expect(named('postpone')[0]?.[1]).toBe(NOW + 502);
    expect((await attempt({ webhooks: [failing], task: { isRetry: true }, left: 20_000 })).outcome).toBe('delivered');
  });

  test('a delivery waiting for a slot is not sent once the webhook is disabled', async () => {
    for (const later of [{ ...failing, isEnabled: false }, null, { ...failing, url: null }]) {
      const { outcome, named, enqueued } = await attempt({
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
    const { outcome, named, id } = await attempt({ webhooks: [open], delivery: retry, task: { isRetry: true } });
    expect(outcome).toBe('postponed');
    expect(named('notePending')).toEqual([[open, ACCEPTED]]);
    const [[of, until] = []] = named('postpone');
    expect(of).toEqual({ ...key, id });
    expect(Number(until)).toBeGreaterThanOrEqual(NOW + 30_000);
  });

  test('an early attempt postponed by an open circuit does not move the scheduled one', async () => {
    const early = { insteadOf: NOW, back: 5 };
    const planned = toWebhook({ attempts: 3, state: 'retrying', nextAttempt: NOW });
    const { outcome, named, enqueued } = await attempt({
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
    const { outcome, named } = await attempt({ webhooks: [open], delivery: alarm, task: { isRetry: true } });
    expect(outcome).toBe('delivered');
    expect(named('takeSlot')).toMatchObject([[open, NOW, { isProbe: true, slots: 5 }]]);
    const old = toWebhook({ attempts: 0, createDate: NOW - 60_000 });
    expect((await attempt({ webhooks: [open], delivery: old, task: { isRetry: true } })).outcome).toBe('postponed');
    const replayed = { ...alarm, replay: 'r1' };
    expect((await attempt({ webhooks: [open], delivery: replayed, task: { isRetry: true } })).outcome).toBe(
      'postponed',
    );
  });

  test("an open circuit makes a new alarm wait for the current probe's result", async () => {
    const alarm = toWebhook({ attempts: 0, createDate: NOW });
    const probed = { ...open, probeUntil: NOW + 20_000 };
    const closed = { ...webhook, consecutiveFailures: 0 };
    const worked = await attempt({ webhooks: [probed, closed], delivery: alarm, task: { isRetry: true } });
    expect(worked.outcome).toBe('delivered');
    const { probeUntil: _, ...idle } = probed;
    const failed = { ...idle, consecutiveFailures: probed.consecutiveFailures + 1 };
    const again = await attempt({ webhooks: [probed, failed], delivery: alarm, task: { isRetry: true } });
    expect(again.outcome).toBe('postponed');
    // The delivery is postponed by the retry schedule's first delay, with jitter.
    const [[, until] = []] = again.named('postpone');
    expect(Number(until) - NOW - 500).toBe(4_008);
  });
});

test('an early attempt is dropped if its release has ended', async () => {
  const planned = NOW + 60_000;
  const { outcome, named, enqueued } = await attempt({
    delivery: toWebhook({ attempts: 1, state: 'retrying', nextAttempt: planned }),
    task: { isRetry: true, notBefore: NOW, early: { insteadOf: planned, back: NOW - 1_000 } },
  });
  expect([outcome, named('claim'), enqueued]).toEqual(['postponed', [], []]);
  const early = { insteadOf: planned, back: NOW - 1_000 };
  const unknown = attempt({ delivery: null, task: { isRetry: true, early } });
  await expect(unknown).rejects.toThrow('the table has no such delivery');
});

test('a postponed attempt does not resend a delivery that succeeded during recovery', async () => {
  const back = { ...webhook, backDate: NOW - 60_000 };
  const delivered = toWebhook({ state: 'delivered', sendTryTimes: [NOW - 30_000], hit: null });
  const { outcome, named } = await attempt({
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
    expect((await attempt({ webhooks: [of], task: { isRetry: true, notBefore } })).named('queued')).toEqual([]);
});
