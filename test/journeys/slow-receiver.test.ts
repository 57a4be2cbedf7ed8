import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AT_A_TIME, BREAKER_FAILURES } from '../../shared/domain/breaker.ts';
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

  test('that failed ten times rests: what waits costs no attempt, and one probe at a time asks how it is', async () => {
    const { fall, receiver, list } = await world.furnish({ retrySchedule: LATE });
    world.answerWith(status(500, 'no'));
    for (let at = 0; at < BREAKER_FAILURES; at++) await fall();
    expect(receiver.received).toHaveLength(BREAKER_FAILURES);
    for (let at = 0; at < 5; at++) await fall();
    expect(receiver.received).toHaveLength(BREAKER_FAILURES);
    expect((await list('?state=pending')).data.map(({ attempts }) => attempts)).toEqual([0, 0, 0, 0, 0]);
    // The rest is over, and it still fails: the first to come is the probe, and the others wait on.
    await world.pass(6 * MINUTE);
    expect(receiver.received).toHaveLength(BREAKER_FAILURES + 1);
    expect((await list('?state=pending')).total).toBe(4);
    world.answerWith(ok);
    for (let at = 0; at < 8; at++) await world.pass(5 * MINUTE);
    expect((await list('?state=delivered')).total).toBe(BREAKER_FAILURES + 5);
  });
});
