import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BREAKER_FAILURES } from '#shared/domain/delivery/breaker.ts';
import type { MetricName } from '#shared/observability/metrics.ts';
import { clientOf } from '../fixtures/client.ts';
import { createDeliveryWorld, LATE, ok, status } from '../fixtures/deliveries.ts';

let world: Awaited<ReturnType<typeof createDeliveryWorld>>;
beforeEach(async () => {
  world = await createDeliveryWorld({ log: () => {} });
});
afterEach(() => world.stop());
const sumOf = (name: MetricName) => world.valuesOf(name).reduce((sum, value) => sum + value, 0);
const attempts = () => [sumOf('DeliveriesDelivered'), sumOf('DeliveriesRetried'), sumOf('DeliveriesFailed')];

describe('it is measured', () => {
  test('how a fall is told: message, events, hit, delivery, and the time until the receiver said yes', async () => {
    const { fall, client, at, list } = await world.furnish();
    await fall();
    const measured = (['MessagesAccepted', 'Events', 'RuleHits', 'DeliveriesDelivered'] as const).map(sumOf);
    // The sensor has become active too.
    expect(measured).toEqual([1, 2, 1, 1]);
    expect(world.valuesOf('TimeToReceiver')).toEqual([expect.any(Number)]);
    expect(world.valuesOf('TimeToReceiver')[0]).toBeLessThan(60_000);
    expect(world.valuesOf('TimeToFirstAttempt')).toHaveLength(1);
    // What somebody asks for later is no news: neither a test nor a repetition counts as late.
    const [told] = (await list()).data;
    await client.ok('POST', `${at}/test`);
    await client.ok('POST', `${at}/deliveries/${told?.id}/redeliver`);
    await world.idle();
    expect(sumOf('DeliveriesDelivered')).toBe(3);
    expect(world.valuesOf('TimeToReceiver')).toHaveLength(1);
  });

  test('what came of each attempt, and how late the first and the successful one were', async () => {
    const { fall } = await world.furnish({ retrySchedule: LATE });
    world.answerWith(status(500, 'no'));
    await fall();
    expect(attempts()).toEqual([0, 1, 0]);
    world.answerWith(ok);
    await world.pass(1_500_000);
    expect(attempts()).toEqual([1, 1, 0]);
    expect([world.valuesOf('TimeToFirstAttempt').length, world.valuesOf('TimeToReceiver').length]).toEqual([1, 1]);
    expect(world.valuesOf('TimeToReceiver')[0]).toBeGreaterThanOrEqual(1_500_000);
  });

  test('when a receiver is given a rest, once', async () => {
    const { fall } = await world.furnish({ retrySchedule: LATE });
    world.answerWith(status(500, 'no'));
    for (let failure = 0; failure < BREAKER_FAILURES + 2; failure++) await fall();
    expect(sumOf('BreakersOpened')).toBe(1);
  });

  test('how long the oldest item has waited that the sweep found', async () => {
    const { fall } = await world.furnish({ retrySchedule: LATE });
    world.answerWith(status(500, 'no'));
    await fall();
    await world.pass(3_600_000);
    expect(Math.max(...world.valuesOf('OldestWaiting'))).toBeGreaterThan(2_000);
    await world.pass(0);
    expect(world.valuesOf('OldestWaiting').at(-1)).toBeLessThan(60);
  });

  test('failed logins, and calls that were limited', async () => {
    const guess = { username: 'admin', password: 'wrong' };
    const login = () => clientOf(world.url).call('POST', '/users/login', guess);
    const statuses = [];
    for (let at = 0; at < 12; at++) statuses.push((await login()).status);
    expect([...new Set(statuses)]).toEqual([401, 429]);
    expect(sumOf('CallsLimited')).toBe(statuses.filter((status) => status === 429).length);
    expect(sumOf('LoginsFailed')).toBeGreaterThanOrEqual(10);
  });
});
