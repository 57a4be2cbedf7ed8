import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AT_A_TIME, BREAKER_FAILURES } from '#shared/domain/delivery/breaker.ts';
import { createDeliveryWorld, LATE, ok, status } from '../fixtures/deliveries.ts';

const MINUTE = 60_000;
type World = Awaited<ReturnType<typeof createDeliveryWorld>>;
let world: World;
beforeAll(async () => {
  world = await createDeliveryWorld();
});
afterAll(() => world.stop());

/** Answers after so many ms, with that status; notes how many requests were there at the same time. */
const slowly = (ms: number, code: number) => {
  const seen = { now: 0, most: 0 };
  world.answerWith((response) => {
    seen.now += 1;
    seen.most = Math.max(seen.most, seen.now);
    response.once('close', () => void seen.now--);
    setTimeout(() => response.writeHead(code).end(), ms);
  });
  return seen;
};
/** Keeps requests open until they are answered all together, in a way that stays. */
const keeping = () => {
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

describe('a receiver', () => {
  test('that takes its time gets five requests at a time, and everything once', async () => {
    const { fall, receiver, list } = await world.furnish();
    const open: ServerResponse[] = [];
    world.answerWith((response) => void open.push(response));
    const falls = times(12, fall);
    await receiver.until(AT_A_TIME);
    // All are here by now that may be: nothing tells that another one does not come.
    await sleep(500);
    expect(receiver.received).toHaveLength(AT_A_TIME);
    world.answerWith(ok);
    for (const response of open) ok(response);
    await falls;
    await world.idle();
    expect(receiver.received).toHaveLength(12);
    expect((await list('?state=delivered')).total).toBe(12);
  });

  test('that fails gets five requests at a time too, whichever way they come', async () => {
    const { fall, receiver } = await world.furnish({ retrySchedule: LATE });
    const seen = slowly(100, 500);
    await fall();
    await times(8, fall);
    // Who finds every place taken, over all processes, comes back within ten seconds.
    await world.pass(11_000);
    expect(seen.most).toBeLessThanOrEqual(AT_A_TIME);
    expect(receiver.received).toHaveLength(9);
  });

  test('that failed once gets a burst as fast as it takes it: a free place is taken at once', async () => {
    const home = await world.furnish({ retrySchedule: LATE });
    await home.set({ consecutiveFailures: 1, failingSince: world.now() });
    const seen = slowly(200, 200);
    await times(20, () => ping(home));
    await world.idle();
    // Nobody waits in a queue for a later second.
    expect(home.receiver.received).toHaveLength(20);
    expect(seen.most).toBeLessThanOrEqual(AT_A_TIME);
  });
});

describe('a receiver that failed ten times', () => {
  const failing = async () => {
    const home = await world.furnish({ retrySchedule: LATE });
    const now = world.now();
    await home.set({ consecutiveFailures: BREAKER_FAILURES, failingSince: now, openUntil: now + MINUTE });
    return home;
  };

  test('is told of the next alarm at once, and when it takes it, of all that come then', async () => {
    const { fall, list } = await failing();
    await fall();
    expect((await list('?state=delivered')).total).toBe(1);
    await times(3, fall);
    expect((await list('?state=delivered')).total).toBe(4);
  });

  /** So many alarms at once, of which one is with the receiver; answers it. */
  const probed = async (home: Awaited<ReturnType<typeof failing>>, alarms: number, how: typeof ok) => {
    const answer = keeping();
    await times(alarms, () => ping(home));
    await home.receiver.until(1);
    // Nothing tells that another one does not come.
    await sleep(500);
    expect(home.receiver.received).toHaveLength(1);
    answer(how);
  };

  test('gets one alarm while others wait for its answer: if it is good, they come at once', async () => {
    const home = await failing();
    await probed(home, 8, ok);
    await home.receiver.until(8);
    await world.idle();
    expect((await home.list('?state=delivered')).total).toBe(8);
  });

  test('if its answer is bad, they come by the second step of the schedule, and have cost no attempt', async () => {
    const home = await failing();
    await probed(home, AT_A_TIME, status(500, 'no'));
    await world.idle();
    expect(home.receiver.received).toHaveLength(1);
    const waiting = (await home.list('?state=pending')).data;
    expect(waiting.map(({ attempts }) => attempts)).toEqual([0, 0, 0, 0]);
    for (const { nextAttempt } of waiting) {
      expect(nextAttempt).toBeGreaterThan(world.now() + 700_000);
      expect(nextAttempt).toBeLessThanOrEqual(world.now() + 1_440_000);
    }
  });

  test('is spared repetitions: one at a time asks how it is, and all come when it is well', async () => {
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
    expect((await list('?state=retrying')).total).toBe(2);
    await world.pass(21 * MINUTE);
    expect((await list('?state=delivered')).total).toBe(BREAKER_FAILURES);
  });
});

test('a webhook that hangs delays no other of its customer, however many deliveries wait for it', async () => {
  const home = await world.furnish();
  const { client, at, receiver, list } = home;
  const hook = { ...(await client.ok<object>('GET', at)), secretKey: null };
  const { id } = await client.ok<{ id: string }>('POST', '/webhooks', { ...hook, url: `${receiver.url}/other` });
  const answer = keeping();
  await times(110, () => ping(home));
  await receiver.until(AT_A_TIME);
  const start = performance.now();
  await client.ok('POST', `/webhooks/${id}/test`);
  await receiver.until(AT_A_TIME + 1);
  expect(performance.now() - start).toBeLessThan(4_500);
  answer(ok);
  await receiver.until(111);
  await world.idle();
  expect((await list('?state=delivered')).total).toBe(110);
});
