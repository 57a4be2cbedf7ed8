import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SLOT_POLL_MS } from '#functions/workers/deliver/circuit.ts';
import { BREAKER_FAILURES, SLOTS_PER_WEBHOOK } from '#shared/domain/delivery/breaker.ts';
import type { Runtime } from '#shared/runtime/deps.ts';
import { createDeliveryWorld, LATE, ok, status } from '../fixtures/deliveries.ts';

const MINUTE = 60_000;
/** Waits for calls by the deliver worker that start after this point. */
const createCalls = () => {
  const expected = { permit: Promise.withResolvers<void>(), pause: Promise.withResolvers<void>() };
  const expectNext = (call: keyof typeof expected): Promise<void> => {
    expected[call] = Promise.withResolvers();
    return expected[call].promise;
  };
  const wrap = (runtime: Runtime): Runtime => ({
    ...runtime,
    webhookClient: async () => {
      const client = await runtime.webhookClient();
      const acquire: typeof client.acquire = (key, timeout, isFirst) => {
        const permit = client.acquire(key, timeout, isFirst);
        if (isFirst) expected.permit.resolve();
        return permit;
      };
      return { ...client, acquire };
    },
    pause: (ms, ...more) => {
      if (ms === SLOT_POLL_MS) expected.pause.resolve();
      return runtime.pause(ms, ...more);
    },
  });
  return {
    wrap,
    /** Resolves once a fall has requested a permit. */
    fallWaitsForPermit: () => expectNext('permit'),
    /** Resolves once a delivery waits for a slot or a probe result. */
    deliveryWaitsForSlot: () => expectNext('pause'),
  };
};
const calls = createCalls();
type World = Awaited<ReturnType<typeof createDeliveryWorld>>;
let world: World;
beforeAll(async () => {
  world = await createDeliveryWorld({ wrap: calls.wrap });
});
afterAll(() => world.stop());

/** The receiver responds after `ms` with a status. Records how many requests were open at the same time. */
const slowly = (ms: number, code: number) => {
  const seen = { now: 0, peak: 0 };
  world.answerWith((response) => {
    seen.now += 1;
    seen.peak = Math.max(seen.peak, seen.now);
    response.once('close', () => void seen.now--);
    setTimeout(() => response.writeHead(code).end(), ms);
  });
  return seen;
};
/**
 * Keeps requests open until the returned function is called, which answers them and all later requests in the same way.
 */
const holdRequests = () => {
  const open: ServerResponse[] = [];
  world.answerWith((response) => void open.push(response));
  return (how: (response: ServerResponse) => void) => {
    world.answerWith(how);
    for (const response of open) how(response);
  };
};
const ping = ({ client, at }: Pick<Awaited<ReturnType<World['furnish']>>, 'client' | 'at'>) =>
  client.ok('POST', `${at}/test`);
const times = (count: number, work: () => Promise<unknown>) => Promise.all(Array.from({ length: count }, work));

describe('the delivery worker', () => {
  test('the delivery worker sends at most five concurrent requests to a slow receiver', async () => {
    const { fall, receiver, list } = await world.furnish();
    const open: ServerResponse[] = [];
    world.answerWith((response) => void open.push(response));
    const falls = times(12, fall);
    await receiver.until(SLOTS_PER_WEBHOOK);
    // Nothing signals that no more requests will arrive, so wait.
    await sleep(500);
    expect(receiver.received).toHaveLength(SLOTS_PER_WEBHOOK);
    world.answerWith(ok);
    for (const response of open) ok(response);
    await falls;
    await world.idle();
    expect(receiver.received).toHaveLength(12);
    expect((await list('?state=delivered')).total).toBe(12);
  });

  test('the delivery worker sends at most five concurrent requests to a failing receiver', async () => {
    const { fall, receiver } = await world.furnish({ retrySchedule: LATE });
    const seen = slowly(100, 500);
    await fall();
    await times(8, fall);
    // Deliveries without a free slot are retried within ten seconds.
    await world.pass(11_000);
    expect(seen.peak).toBeLessThanOrEqual(SLOTS_PER_WEBHOOK);
    expect(receiver.received).toHaveLength(9);
  });

  test('the delivery worker does not delay a burst after a single failure', async () => {
    const home = await world.furnish({ retrySchedule: LATE });
    await home.set({ consecutiveFailures: 1, failingSince: world.now() });
    const seen = slowly(200, 200);
    await times(20, () => ping(home));
    await world.idle();
    // No delivery is delayed in a queue.
    expect(home.receiver.received).toHaveLength(20);
    expect(seen.peak).toBeLessThanOrEqual(SLOTS_PER_WEBHOOK);
  });
});

describe('an open circuit', () => {
  const failing = async () => {
    const home = await world.furnish({ retrySchedule: LATE });
    const now = world.now();
    await home.set({ consecutiveFailures: BREAKER_FAILURES, failingSince: now, openUntil: now + MINUTE });
    return home;
  };

  test('an open circuit closes when the next alarm succeeds', async () => {
    const { fall, list } = await failing();
    await fall();
    expect((await list('?state=delivered')).total).toBe(1);
    await times(3, fall);
    expect((await list('?state=delivered')).total).toBe(4);
  });

  /** Sends concurrent alarms, one of which reaches the receiver, and answers that request. */
  const probed = async (home: Awaited<ReturnType<typeof failing>>, alarms: number, how: typeof ok) => {
    const answer = holdRequests();
    await times(alarms, () => ping(home));
    await home.receiver.until(1);
    // Nothing signals that no more requests will arrive, so wait.
    await sleep(500);
    expect(home.receiver.received).toHaveLength(1);
    answer(how);
  };

  test('an open circuit sends one alarm as a probe while others wait', async () => {
    const home = await failing();
    await probed(home, 8, ok);
    await home.receiver.until(8);
    await world.idle();
    expect((await home.list('?state=delivered')).total).toBe(8);
  });

  test('a failed probe postpones the other alarms without attempting them', async () => {
    const home = await failing();
    await probed(home, SLOTS_PER_WEBHOOK, status(500, 'no'));
    await world.idle();
    expect(home.receiver.received).toHaveLength(1);
    const pending = (await home.list('?state=pending')).data;
    expect(pending.map(({ attempts }) => attempts)).toEqual([0, 0, 0, 0]);
    for (const { nextAttempt } of pending) {
      expect(nextAttempt).toBeGreaterThan(world.now() + 700_000);
      expect(nextAttempt).toBeLessThanOrEqual(world.now() + 1_440_000);
    }
  });

  test('an open circuit sends a waiting alarm at once if the probe was abandoned', async () => {
    const home = await failing();
    await home.set({ probeUntil: world.now() + 20_000 });
    const waits = calls.deliveryWaitsForSlot();
    const fell = home.fall();
    await waits;
    expect(home.receiver.received).toHaveLength(0);
    await home.set({ probeUntil: 0 });
    await fell;
    expect((await home.list('?state=delivered')).total).toBe(1);
  });

  test('an open circuit allows only one retry at a time as a probe', async () => {
    const home = await world.furnish({ retrySchedule: LATE });
    const { receiver, list } = home;
    world.answerWith(status(500, 'no'));
    for (let at = 0; at < BREAKER_FAILURES; at++) {
      await ping(home);
      await world.idle();
    }
    await world.pass(21 * MINUTE);
    expect(receiver.received).toHaveLength(BREAKER_FAILURES + 1);
    await world.pass(2 * MINUTE);
    expect(receiver.received).toHaveLength(BREAKER_FAILURES + 2);
    world.answerWith(ok);
    await world.pass(2 * MINUTE);
    await world.pass(2 * MINUTE);
    expect((await list('?state=delivered')).total).toBe(BREAKER_FAILURES);
  });
});

test("a webhook that hangs does not delay the customer's other webhooks", async () => {
  const home = await world.furnish();
  const { client, at, receiver, list } = home;
  const hook = { ...(await client.ok<object>('GET', at)), secretKey: null };
  const { id } = await client.ok<{ id: string }>('POST', '/webhooks', { ...hook, url: `${receiver.url}/other` });
  const answer = holdRequests();
  await times(110, () => ping(home));
  await receiver.until(SLOTS_PER_WEBHOOK);
  await client.ok('POST', `/webhooks/${id}/test`);
  await receiver.until(SLOTS_PER_WEBHOOK + 1);
  const [others] = await client.ok<{ data: { id: string }[] }[]>('GET', `/webhooks/${id}/deliveries`);
  expect(receiver.received.at(SLOTS_PER_WEBHOOK)?.headers['webhook-id']).toBe(others?.data[0]?.id);
  answer(ok);
  await receiver.until(111);
  await world.idle();
  expect((await list('?state=delivered')).total).toBe(110);
});

test('a fall is sent before everything else waiting for a slow receiver', async () => {
  const home = await world.furnish();
  await home.set({ slowUntil: world.now() + 10 * MINUTE });
  const answer = holdRequests();
  await times(60, () => ping(home));
  await home.receiver.until(SLOTS_PER_WEBHOOK);
  const waits = calls.fallWaitsForPermit();
  const fell = home.fall();
  await waits;
  answer((response) => void setTimeout(() => ok(response), 50));
  await fell;
  const place = home.receiver.received.findIndex(({ headers }) => headers['x-service-cloud-test'] === undefined);
  expect(place).toBeGreaterThan(0);
  // The fall's request arrives together with the requests that use the slots freed at the same time.
  expect(place).toBeLessThan(2 * SLOTS_PER_WEBHOOK);
  await world.idle();
  expect((await home.list('?state=delivered')).total).toBe(61);
});
