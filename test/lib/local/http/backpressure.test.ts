import { beforeEach, describe, expect, test } from 'vitest';
import { virtualClock } from '#lib/local/clock.ts';
import { createBackpressure } from '#lib/local/http/backpressure.ts';
import { createQueue, type Queue } from '#lib/local/queue/queue.ts';
import { ApiError } from '#shared/api/errors.ts';

describe('messages under load', () => {
  let clock: ReturnType<typeof virtualClock>;
  let events: Queue;
  let admit: (sensorId: string) => Promise<void>;
  let sent = 0;
  const send = (groupId: string) => events.send({ body: '{}', groupId, deduplicationId: String(++sent) });
  /** What becomes of a call: null while it is held up. */
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
    admit = createBackpressure(events, clock);
  });

  test('a call goes on at once when no message of its sensor waits', async () => {
    send('other');
    const seen = call('own');
    await clock.advance(0);
    expect(seen.outcome).toBe('accepted');
  });

  test('a call is delayed until the earlier messages of its sensor are being processed', async () => {
    send('own');
    const seen = call('own');
    await clock.advance(500);
    expect(seen.outcome).toBeNull();
    events.receive(10);
    await clock.advance(10);
    expect(seen.outcome).toBe('accepted');
  });

  test('a call is delayed for a second at most, also behind a message that waits for its retry', async () => {
    send('own');
    events.receive(10);
    send('own');
    const seen = call('own');
    await clock.advance(990);
    expect(seen.outcome).toBeNull();
    await clock.advance(10);
    expect(seen.outcome).toBe('accepted');
  });

  test('a flood of one sensor delays no other sensor', async () => {
    for (let at = 0; at < 1_000; at++) send('storm');
    const seen = call('own');
    await clock.advance(0);
    expect(seen.outcome).toBe('accepted');
  });

  test('while more than 500 sensors wait, a call is answered 503 after a second, and accepted when they no longer do', async () => {
    for (let at = 0; at <= 500; at++) send(`sensor ${at}`);
    const refused = call('own');
    await clock.advance(1_000);
    expect(refused.outcome).toBe('unavailable');
    events.receive(10);
    const seen = call('own');
    await clock.advance(1_000);
    expect(seen.outcome).toBe('accepted');
  });
});
