import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { assumed } from '#lib/tools/aws/cost/assumptions.ts';
import { BREAKER_FAILURES } from '#shared/domain/delivery/breaker.ts';
import { type MetricName, metrics } from '#shared/observability/metrics.ts';
import { clientOf } from '../fixtures/client.ts';
import { createDeliveryWorld, LATE, ok, status } from '../fixtures/deliveries.ts';
import { a } from '../fixtures/messages.ts';

let world: Awaited<ReturnType<typeof createDeliveryWorld>>;
let onDecided = () => {};
beforeEach(async () => {
  onDecided = () => {};
  world = await createDeliveryWorld({
    log: () => {},
    wrap: (runtime) => ({
      ...runtime,
      failpoint: (name) => {
        if (name === 'process.decided') onDecided();
      },
    }),
  });
});
afterEach(() => world.stop());
const sumOf = (name: MetricName) => world.valuesOf(name).reduce((sum, value) => sum + value, 0);
const attempts = () => [sumOf('DeliveriesDelivered'), sumOf('DeliveriesRetried'), sumOf('DeliveriesFailed')];

describe('metrics', () => {
  test("the metrics count a fall's message, events, hit and delivery", async () => {
    const { fall, client, at, list } = await world.furnish();
    await fall();
    const measured = (['MessagesAccepted', 'Events', 'RuleHits', 'DeliveriesDelivered'] as const).map(sumOf);
    // Includes the event for the sensor becoming active.
    expect(measured).toEqual([1, 2, 1, 1]);
    expect(world.valuesOf('TimeToReceiver')).toEqual([expect.any(Number)]);
    expect(world.valuesOf('TimeToReceiver')[0]).toBeLessThan(60_000);
    expect(world.valuesOf('TimeToFirstAttempt')).toHaveLength(1);
    // Deliveries requested by users, such as tests and redeliveries, do not count as late.
    const [delivery] = (await list()).data;
    await client.ok('POST', `${at}/test`);
    await client.ok('POST', `${at}/deliveries/${delivery?.id}/redeliver`);
    await world.idle();
    expect(sumOf('DeliveriesDelivered')).toBe(3);
    expect(world.valuesOf('TimeToReceiver')).toHaveLength(1);
  });

  test("the metrics record each attempt's result and delay", async () => {
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

  test("the metrics written in an hour match those in a stage's cost estimate", async () => {
    await world.stop();
    world = await createDeliveryWorld({ log: () => {}, environment: { CANARY: 'true' } });
    const { fall, say } = await world.furnish();
    world.skip(2_000);
    await expect.poll(() => sumOf('CanaryTime')).toBeGreaterThan(0);
    await fall();
    for (let reports = 0; reports < 2; reports++) {
      await say(a.presence(true, { timestamp: world.now() }));
      await world.pass(60_000);
    }
    const written = (Object.keys(metrics) as MetricName[]).filter((name) => world.valuesOf(name).length > 0);
    expect(written.toSorted()).toEqual([...assumed.hourlyMetrics].sort());
  });

  test('a first attempt is counted as late after 30 s', async () => {
    const { fall } = await world.furnish();
    await fall();
    expect(sumOf('AttemptsLate')).toBe(0);
    world.answerWith((response) => {
      world.skip(16_000);
      response.end('ok');
    });
    await fall();
    expect(sumOf('AttemptsLate')).toBe(0);
    onDecided = () => world.skip(15_000);
    await fall();
    expect(sumOf('AttemptsLate')).toBe(1);
  });

  test("a receiver's circuit is counted only once when it opens", async () => {
    const { fall } = await world.furnish({ retrySchedule: LATE });
    world.answerWith(status(500, 'no'));
    for (let failure = 0; failure < BREAKER_FAILURES + 2; failure++) await fall();
    expect(sumOf('BreakersOpened')).toBe(1);
  });

  test('a sensor is counted only once when its messages are no longer understood', async () => {
    const homes = [await world.furnish(), await world.furnish()];
    const update = async ({ say }: (typeof homes)[number]): Promise<void> => {
      await say(a.presence(true));
      for (let count = 0; count < 4; count++) await say({ status: 'CALLING', count });
    };
    for (const home of homes) await update(home);
    expect(sumOf('SensorsNotUnderstood')).toBe(2);
    for (let count = 0; count < 5; count++) await homes[0]?.say(a.presence(count % 2 === 0));
    expect(sumOf('SensorsNotUnderstood')).toBe(2);
    for (let count = 0; count < 8; count++) await homes[0]?.say({ status: 'CALLING', count });
    expect(sumOf('SensorsNotUnderstood')).toBe(3);
  });

  test('the metrics record the age of the oldest due item', async () => {
    const { fall } = await world.furnish({ retrySchedule: LATE });
    world.answerWith(status(500, 'no'));
    await fall();
    await world.pass(3_600_000);
    expect(Math.max(...world.valuesOf('OldestWaiting'))).toBeGreaterThan(2_000);
    await world.pass(0);
    expect(world.valuesOf('OldestWaiting').at(-1)).toBeLessThan(60);
  });

  test('the metrics count failed logins and rate-limited requests', async () => {
    const guess = { username: 'admin', password: 'wrong' };
    const login = () => clientOf(world.url).call('POST', '/users/login', guess);
    const statuses = [];
    for (let at = 0; at < 12; at++) statuses.push((await login()).status);
    expect([...new Set(statuses)]).toEqual([401, 429]);
    expect(sumOf('CallsLimited')).toBe(statuses.filter((status) => status === 429).length);
    expect(sumOf('LoginsFailed')).toBeGreaterThanOrEqual(10);
  });
});
