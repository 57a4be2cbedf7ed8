import { beforeEach, describe, expect, test } from 'vitest';
import { virtualClock } from '#lib/local/clock.ts';
import { createBackpressure } from '#lib/local/http/backpressure.ts';
import { createQueue, type Queue } from '#lib/local/queue/queue.ts';
import { ApiError } from '#shared/api/errors.ts';

describe('backpressure', () => {
  let clock: ReturnType<typeof virtualClock>;
  let events: Queue;
  let deliveries: Queue;
  let isAtLimit: boolean;
  let admit: (sensorId: string) => Promise<void>;
  let sent = 0;
  const send = (groupId: string) => events.send({ body: '{}', groupId, deduplicationId: String(++sent) });
  /** Sends a request from a sensor. The outcome is null while the request is delayed. */
  const call = (sensorId: string) => {
    const seen: { outcome: string | null } = { outcome: null };
    void admit(sensorId).then(
      () => (seen.outcome = 'accepted'),
      (error) => (seen.outcome = error instanceof ApiError ? error.code : 'failed'),
    );
    return seen;
  };

  beforeEach(() => {
    clock = virtualClock(0);
    events = createQueue({ name: 'events', fifo: true, visibilitySeconds: 120, maxReceiveCount: 100, clock });
    deliveries = createQueue({ name: 'deliveries', visibilitySeconds: 120, maxReceiveCount: 100, clock });
    isAtLimit = true;
    admit = createBackpressure({ events, deliveries }, clock, () => isAtLimit);
  });

  test('accepts a request at once if no message from the sensor is pending', async () => {
    send('other');
    const seen = call('own');
    await clock.advance(0);
    expect(seen.outcome).toBe('accepted');
  });

  test("delays a request until the sensor's earlier messages have started processing", async () => {
    send('own');
    const seen = call('own');
    await clock.advance(500);
    expect(seen.outcome).toBeNull();
    events.receive(10);
    await clock.advance(10);
    expect(seen.outcome).toBe('accepted');
  });

  test('delays a request by at most a second, even behind a message awaiting a retry', async () => {
    send('own');
    events.receive(10);
    send('own');
    const seen = call('own');
    await clock.advance(990);
    expect(seen.outcome).toBeNull();
    await clock.advance(10);
    expect(seen.outcome).toBe('accepted');
  });

  test('does not delay other sensors during a flood from one', async () => {
    for (let at = 0; at < 1_000; at++) send('flooding');
    const seen = call('own');
    await clock.advance(0);
    expect(seen.outcome).toBe('accepted');
  });

  test('delays requests at the process limit until at most 100 first deliveries are pending', async () => {
    for (let at = 0; at < 101; at++) deliveries.send({ body: '{}', groupId: 'a customer/a webhook' });
    const seen = call('own');
    await clock.advance(500);
    expect(seen.outcome).toBeNull();
    deliveries.receive(1);
    await clock.advance(10);
    expect(seen.outcome).toBe('accepted');
  });

  test('does not delay requests because of deliveries held up only by their receivers', async () => {
    for (let at = 0; at < 1_000; at++) deliveries.send({ body: '{}', groupId: 'a customer/a slow webhook' });
    isAtLimit = false;
    const seen = call('own');
    await clock.advance(0);
    expect(seen.outcome).toBe('accepted');
  });

  test('responds with 503 after a second while more than 500 sensors are pending, then recovers', async () => {
    for (let at = 0; at <= 500; at++) send(`sensor ${at}`);
    const rejected = call('own');
    await clock.advance(1_000);
    expect(rejected.outcome).toBe('unavailable');
    events.receive(10);
    const seen = call('own');
    await clock.advance(1_000);
    expect(seen.outcome).toBe('accepted');
  });
});
