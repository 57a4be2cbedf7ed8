import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCrash } from '#test/fixtures/crash.ts';
import { createDeliveryWorld, LATE, ok, status } from '#test/fixtures/deliveries.ts';

let world: Awaited<ReturnType<typeof createDeliveryWorld>>;
const death = createCrash();
beforeAll(async () => {
  world = await createDeliveryWorld(death.options);
});
afterAll(() => world.stop());

/** Creates a home with a fall whose failed delivery is waiting for a retry. */
const createRetrying = async () => {
  const home = await world.furnish({ retrySchedule: LATE });
  const { client, at, fall, list } = home;
  world.answerWith(status(500, 'no'));
  await fall();
  const [retrying] = (await list('?state=retrying')).data;
  const resend = async (id: string) => {
    const { deliveryId } = await client.ok<{ deliveryId: string }>('POST', `${at}/deliveries/${id}/redeliver`);
    await world.idle();
    return deliveryId;
  };
  return { ...home, id: retrying?.id ?? '', resend };
};
const redelivered = { state: 'delivered', reason: 'redelivered', attempts: 1, nextAttempt: null };

describe('resending a pending delivery', () => {
  test('a successful redelivery ends the original', async () => {
    const { id, resend, detail, receiver, tries, list } = await createRetrying();
    world.answerWith(ok);
    const resentId = await resend(id);
    expect(await detail(id)).toMatchObject(redelivered);
    expect(await detail(resentId)).toMatchObject({ state: 'delivered', reason: null, replayOf: id });
    await world.pass(1_500_000);
    expect(receiver.received).toHaveLength(2);
    expect(await tries()).toMatchObject({ allSend: true, tries: [expect.any(Number), expect.any(Number)] });
    expect((await list('?state=delivered')).total).toBe(2);
  });

  test('a failed redelivery leaves the original pending', async () => {
    const { id, resend, detail } = await createRetrying();
    const resentId = await resend(id);
    expect(await detail(id)).toMatchObject({ state: 'retrying', reason: null });
    expect(await detail(resentId)).toMatchObject({ state: 'retrying', reason: null });
  });

  test('a successful second redelivery ends the first one and the original', async () => {
    const { id, resend, detail, receiver } = await createRetrying();
    const first = await resend(id);
    world.answerWith(ok);
    const second = await resend(first);
    expect(await detail(second)).toMatchObject({ state: 'delivered', replayOf: id });
    for (const deliveryId of [id, first]) expect(await detail(deliveryId)).toMatchObject(redelivered);
    await world.pass(1_500_000);
    expect(receiver.received).toHaveLength(3);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([id]));
  });

  test('a replay counts a delivery as sent once a redelivery succeeds', async () => {
    const { client, at, id, resend, detail, set, list } = await createRetrying();
    // The delivery is held at first, and the replay replaces it.
    await set({ isEnabled: false });
    await world.pass(1_500_000);
    const span = { since: 0, until: world.now(), ratePerSecond: 100 };
    const replay = await client.ok<{ id: string }>('POST', `${at}/replays`, span);
    await world.idle();
    await set({ isEnabled: true });
    await world.pass(60_000);
    const [retrying] = (await list('?state=retrying')).data;
    expect(retrying).toMatchObject({ replayOf: id });
    world.answerWith(ok);
    await resend(retrying?.id ?? '');
    expect(await detail(retrying?.id ?? '')).toMatchObject(redelivered);
    expect(await client.ok('GET', `${at}/replays/${replay.id}`)).toMatchObject({
      state: 'completed',
      total: 1,
      sent: 1,
      failed: 0,
    });
  });

  test.each([
    ['before ending it', 'deliver.reported'],
    ['after ending it', 'deliver.originals_ended'],
  ] as const)('a redelivery ends the original even if the process dies %s', async (_, name) => {
    const { id, resend, detail, receiver, tries } = await createRetrying();
    world.answerWith(ok);
    death.at(name);
    const resentId = await resend(id);
    expect(await detail(resentId)).toMatchObject({ state: 'sending' });
    await world.pass(61_000);
    expect(death.isOver()).toBe(true);
    // The success released everything pending, possibly including the original.
    expect(await detail(id)).toMatchObject({ ...redelivered, attempts: expect.any(Number) });
    expect(await detail(resentId)).toMatchObject({ state: 'delivered', attempts: 2 });
    await world.pass(1_500_000);
    expect([3, 4]).toContain(receiver.received.length);
    expect(await tries()).toMatchObject({ allSend: true });
  });
});
