import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDeliveryWorld, LATE, ok, status } from '#test/fixtures/deliveries.ts';

const DAY = 86_400_000;
type World = Awaited<ReturnType<typeof createDeliveryWorld>>;
let world: World;
beforeAll(async () => {
  world = await createDeliveryWorld();
});
afterAll(() => world.stop());

describe('the delivery log', () => {
  test('the delivery log lists each attempt with start, status, error and response', async () => {
    const { fall, list, detail, tries } = await world.furnish({ retrySchedule: LATE });
    world.answerWith(status(500, 'x'.repeat(5_000)));
    await fall();
    const [first] = (await list('?state=retrying')).data;
    world.answerWith(ok);
    await world.pass(1_500_000);
    const delivery = await detail(first?.id ?? '');
    expect(delivery).toMatchObject({
      state: 'delivered',
      reason: null,
      attempts: 2,
      nextAttempt: null,
      replayOf: null,
    });
    expect(delivery.attemptLog).toMatchObject([
      { number: 1, status: 500, error: null, responseBody: 'x'.repeat(4_096) },
      { number: 2, status: 200, error: null, responseBody: 'ok', timings: { firstByte: expect.any(Number) } },
    ]);
    expect(await tries()).toEqual({ allSend: true, tries: delivery.attemptLog.map(({ startDate }) => startDate) });
  });

  test('the delivery log shows a stable error code for an attempt without a response', async () => {
    const { fall, list, detail } = await world.furnish({ retrySchedule: [0], url: 'http://127.0.0.1:9/' });
    await fall();
    const [only] = (await list()).data;
    expect(only).toMatchObject({ state: 'failed', reason: 'exhausted' });
    expect((await detail(only?.id ?? '')).attemptLog).toMatchObject([{ status: null, error: 'connect_refused' }]);
  });

  test('the delivery log covers 30 days, newest first, and can be filtered by state and time', async () => {
    const { fall, list } = await world.furnish();
    await fall();
    const between = world.now();
    await world.pass(1_000);
    await fall();
    const { total, data } = await list();
    expect(total).toBe(2);
    expect(data.map(({ state }) => state)).toEqual(['delivered', 'delivered']);
    expect((await list('?state=held')).total).toBe(0);
    expect((await list(`?since=${between}`)).data).toEqual(data.slice(0, 1));
    expect((await list(`?until=${between}`)).data).toEqual(data.slice(1));
    world.skip(31 * DAY);
    expect((await list()).total).toBe(0);
  });
});

describe('a webhook test', () => {
  test('a webhook test goes through the whole pipeline, marked as a test', async () => {
    const { client, at, detail, receiver } = await world.furnish({ format: 'custom1' });
    const before = receiver.received.length;
    const { deliveryId } = await client.ok<{ deliveryId: string }>('POST', `${at}/test`);
    const got = (await receiver.until(before + 1)).at(-1);
    await world.idle();
    expect(got?.headers).toMatchObject({ 'x-service-cloud-test': 'true', 'webhook-id': deliveryId });
    expect(JSON.parse(got?.body ?? '')).toMatchObject({ eventType: 8, sensorId: `id_${'0'.repeat(23)}` });
    expect(await detail(deliveryId)).toMatchObject({ state: 'delivered', event: 'test/ping', ruleHitId: null });
  });

  test('a webhook test sends {"test":true} in the raw format', async () => {
    const { client, at, set, receiver } = await world.furnish({ format: 'raw' });
    const before = receiver.received.length;
    await client.ok('POST', `${at}/test`);
    expect((await receiver.until(before + 1)).at(-1)?.body).toBe('{"test":true}');
    await set({ isEnabled: false });
    expect((await client.call('POST', `${at}/test`)).status).toBe(409);
  });
});

describe("a delivery's format", () => {
  /** Has a receiver reject a fall, or what `create` creates, and then changes the webhook's format. */
  const rejectAndReformat = async (
    format: string,
    create?: (home: Awaited<ReturnType<World['furnish']>>) => Promise<unknown>,
  ) => {
    const home = await world.furnish({ retrySchedule: LATE });
    const { client, at, fall, receiver, list } = home;
    world.answerWith(status(500, 'no'));
    await (create ? create(home) : fall());
    await receiver.until(1);
    await world.idle();
    world.answerWith(ok);
    await client.ok('PUT', at, { ...(await client.ok<object>('GET', at)), format });
    const [retrying] = (await list('?state=retrying')).data;
    return { ...home, id: retrying?.id ?? '' };
  };

  test.each(['raw', 'custom1'])(
    "a delivery's format stays the same when the webhook switches to %s",
    async (format) => {
      const { receiver, client, at, id, fall } = await rejectAndReformat(format);
      await world.pass(1_500_000);
      await client.ok('POST', `${at}/deliveries/${id}/redeliver`);
      const [first, second, third] = await receiver.until(3);
      await world.idle();
      expect(JSON.parse(first?.body ?? '')).toMatchObject({ event: { action: expect.any(String) } });
      expect([second?.body, third?.body]).toEqual([first?.body, first?.body]);
      await fall();
      expect(JSON.parse((await receiver.until(4)).at(-1)?.body ?? '')).not.toHaveProperty('event');
    },
  );

  test("a webhook test keeps its format when the webhook's format changes", async () => {
    const { receiver } = await rejectAndReformat('raw', ({ client, at }) => client.ok('POST', `${at}/test`));
    await world.pass(1_500_000);
    const [first, second] = await receiver.until(2);
    expect(second?.body).toBe(first?.body);
  });
});

describe('deliveries to a deleted webhook', () => {
  test.each(['retrying', 'held'])(
    'a %s delivery fails with the reason "deleted" when the webhook is deleted',
    async (state) => {
      const { client, at, fall, set, kept, receiver } = await world.furnish({ retrySchedule: LATE });
      world.answerWith(status(500, 'no'));
      if (state === 'held') await set({ isEnabled: false });
      await fall();
      const before = receiver.received.length;
      expect(await kept()).toMatchObject([{ state }]);
      await client.ok('DELETE', at);
      await world.pass(15 * DAY);
      expect(await kept()).toMatchObject([{ state: 'failed', reason: 'deleted' }]);
      expect((await kept())[0]).not.toHaveProperty('duePk');
      expect(receiver.received).toHaveLength(before);
    },
  );
});

describe('a resent delivery', () => {
  test('resending creates a new delivery with the same webhook-id and body', async () => {
    const { fall, list, client, at, detail, tries, receiver } = await world.furnish({ retrySchedule: [0] });
    world.answerWith(status(500, 'no'));
    const before = receiver.received.length;
    await fall();
    world.answerWith(ok);
    const [lost] = (await list('?state=failed')).data;
    const { deliveryId } = await client.ok<{ deliveryId: string }>('POST', `${at}/deliveries/${lost?.id}/redeliver`);
    const [first, second] = (await receiver.until(before + 2)).slice(before);
    await world.idle();
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    expect(second?.body).toBe(first?.body);
    expect(await detail(deliveryId)).toMatchObject({ state: 'delivered', replayOf: lost?.id });
    expect(await tries()).toMatchObject({ allSend: true, tries: [expect.any(Number), expect.any(Number)] });
  });
});

describe('resending a held delivery', () => {
  test('resending a held delivery replaces it', async () => {
    const { fall, list, set, client, at, receiver } = await world.furnish();
    await set({ isEnabled: false });
    await fall();
    const [held] = (await list('?state=held')).data;
    const before = receiver.received.length;
    const { deliveryId } = await client.ok<{ deliveryId: string }>('POST', `${at}/deliveries/${held?.id}/redeliver`);
    await world.idle();
    expect((await list('?state=held')).data).toMatchObject([{ id: deliveryId, replayOf: held?.id }]);
    expect((await list('?state=failed')).data).toMatchObject([{ id: held?.id, reason: 'replayed' }]);
    await set({ isEnabled: true });
    await world.pass(60_000);
    await receiver.until(before + 1);
    await world.pass(60_000);
    expect(receiver.received).toHaveLength(before + 1);
  });
});

describe('a disabled webhook', () => {
  test('enabling a webhook releases its held deliveries at a rate of ten a second', async () => {
    const { fall, list, set, receiver } = await world.furnish({ retrySchedule: LATE });
    world.answerWith(status(500, 'no'));
    await fall();
    await set({ isEnabled: false });
    await world.pass(1_500_000);
    for (let at = 0; at < 9; at++) await fall();
    const held = (await list('?state=held')).data.map(({ attempts }) => attempts);
    expect(held.sort()).toEqual([...Array(9).fill(0), 1]);
    world.answerWith(ok);
    const before = receiver.received.length;
    await world.pass(60_000);
    expect(receiver.received).toHaveLength(before);
    await set({ isEnabled: true, consecutiveFailures: 0 });
    await world.pass(0);
    // The deliveries are scheduled 100 ms apart. On a busy machine, the first few arrive late.
    await receiver.until(before + 10);
    await world.idle();
    const times = receiver.received.slice(before).map(({ at }) => at);
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(500);
    expect((await list('?state=delivered')).total).toBe(10);
  });

  test("a disabled webhook's held deliveries expire after 14 days", async () => {
    const { fall, list, set } = await world.furnish();
    await set({ isEnabled: false });
    await fall();
    await world.pass(13 * DAY);
    expect((await list()).data).toMatchObject([{ state: 'held', reason: 'webhook_disabled' }]);
    await world.pass(1.1 * DAY);
    expect((await list()).data).toMatchObject([{ state: 'failed', reason: 'expired', attempts: 0 }]);
  });

  test('corrects an incorrect count of held deliveries', async () => {
    const { fall, set, record, receiver } = await world.furnish();
    await set({ isEnabled: false });
    await fall();
    await set({ isEnabled: true, held: 3 });
    await world.pass(0);
    await receiver.until(1);
    await world.idle();
    expect(await record()).toMatchObject({ held: 2, duePk: expect.any(String) });
    await world.pass(61_000);
    expect(await record()).toMatchObject({ held: 0 });
    await world.pass(60_000);
    expect(await record()).not.toHaveProperty('duePk');
  });

  test('disables a webhook as "gone" after consecutive 410 responses', async () => {
    const { fall, list, health } = await world.furnish({ retrySchedule: LATE });
    world.answerWith(status(500, 'no'));
    await fall();
    world.answerWith(status(410, ''));
    await fall();
    await world.pass(121_000);
    await fall();
    world.answerWith(ok);
    await world.pass(1_500_000);
    expect(await health()).toMatchObject({ isEnabled: false, disabledReason: 'gone' });
    expect((await list('?sortBy=asc(createDate)')).data).toMatchObject([
      { state: 'held', attempts: 1 },
      { state: 'held', attempts: 1 },
      { state: 'failed', reason: 'gone', attempts: 1 },
    ]);
  });

  test('disables a webhook as "failing" after 5 days of failures', async () => {
    const { fall, health } = await world.furnish({ retrySchedule: [0] });
    world.answerWith(status(500, 'no'));
    for (let at = 0; at < 20; at++) await fall();
    world.skip(5.1 * DAY);
    await fall();
    expect(await health()).toMatchObject({ isEnabled: false, disabledReason: 'failing' });
  });
});
