import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDeath } from '#test/fixtures/death.ts';
import { createDeliveryWorld, LATE, ok, status } from '#test/fixtures/deliveries.ts';

let world: Awaited<ReturnType<typeof createDeliveryWorld>>;
const death = createDeath();
beforeAll(async () => {
  world = await createDeliveryWorld(death.options);
});
afterAll(() => world.stop());

/** A home with a fall that its receiver refused, and which waits to be sent again. */
const refused = async () => {
  const home = await world.furnish({ retrySchedule: LATE });
  const { client, at, fall, list } = home;
  world.answerWith(status(500, 'no'));
  await fall();
  const [waiting] = (await list('?state=retrying')).data;
  const again = async (id: string) => {
    const { deliveryId } = await client.ok<{ deliveryId: string }>('POST', `${at}/deliveries/${id}/redeliver`);
    await world.idle();
    return deliveryId;
  };
  return { ...home, id: waiting?.id ?? '', again };
};
const redelivered = { state: 'delivered', reason: 'redelivered', attempts: 1, nextAttempt: null };

describe('a delivery that waits and is sent again', () => {
  test('with success is sent no more, and the hit tells of both attempts', async () => {
    const { id, again, detail, receiver, tries, list } = await refused();
    world.answerWith(ok);
    const repetition = await again(id);
    expect(await detail(id)).toMatchObject(redelivered);
    expect(await detail(repetition)).toMatchObject({ state: 'delivered', reason: null, replayOf: id });
    await world.pass(1_500_000);
    expect(receiver.received).toHaveLength(2);
    expect(await tries()).toMatchObject({ allSend: true, tries: [expect.any(Number), expect.any(Number)] });
    expect((await list('?state=delivered')).total).toBe(2);
  });

  test('without success goes on waiting', async () => {
    const { id, again, detail } = await refused();
    const repetition = await again(id);
    expect(await detail(id)).toMatchObject({ state: 'retrying', reason: null });
    expect(await detail(repetition)).toMatchObject({ state: 'retrying', reason: null });
  });

  test('ends with the repetition of its repetition, and so does that one', async () => {
    const { id, again, detail, receiver } = await refused();
    const first = await again(id);
    world.answerWith(ok);
    const second = await again(first);
    expect(await detail(second)).toMatchObject({ state: 'delivered', replayOf: id });
    for (const deliveryId of [id, first]) expect(await detail(deliveryId)).toMatchObject(redelivered);
    await world.pass(1_500_000);
    expect(receiver.received).toHaveLength(3);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([id]));
  });

  test('of a replay counts there as sent', async () => {
    const { client, at, id, again, detail, set, list } = await refused();
    // Held at first: the replay puts a repetition in its place.
    await set({ isEnabled: false });
    await world.pass(1_500_000);
    const span = { since: 0, until: world.now(), ratePerSecond: 100 };
    const replay = await client.ok<{ id: string }>('POST', `${at}/replays`, span);
    await world.idle();
    await set({ isEnabled: true });
    await world.pass(60_000);
    const [waiting] = (await list('?state=retrying')).data;
    expect(waiting).toMatchObject({ replayOf: id });
    world.answerWith(ok);
    await again(waiting?.id ?? '');
    expect(await detail(waiting?.id ?? '')).toMatchObject(redelivered);
    expect(await client.ok('GET', `${at}/replays/${replay.id}`)).toMatchObject({
      state: 'completed',
      total: 1,
      sent: 1,
      failed: 0,
    });
  });

  test.each([
    ['before it is ended', 'deliver.reported'],
    ['after it is ended', 'deliver.originals_ended'],
  ] as const)('is sent no more when the process dies %s: the repetition comes twice at most', async (_, name) => {
    const { id, again, detail, receiver, tries } = await refused();
    world.answerWith(ok);
    death.at(name);
    const repetition = await again(id);
    expect(await detail(repetition)).toMatchObject({ state: 'sending' });
    await world.pass(61_000);
    expect(death.isOver()).toBe(true);
    expect(await detail(id)).toMatchObject(redelivered);
    expect(await detail(repetition)).toMatchObject({ state: 'delivered', attempts: 2 });
    await world.pass(1_500_000);
    expect(receiver.received).toHaveLength(3);
    expect(await tries()).toMatchObject({ allSend: true });
  });
});
