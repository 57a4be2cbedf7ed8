import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { items } from '#shared/store/table.ts';
import { createDeliveryWorld, ok, status } from '#test/fixtures/deliveries.ts';

const DAY = 86_400_000;
type World = Awaited<ReturnType<typeof createDeliveryWorld>>;
let world: World;
beforeAll(async () => {
  world = await createDeliveryWorld();
});
afterAll(() => world.stop());

describe('a replay', () => {
  type Replay = { id: string; state: string; total: number; sent: number; failed: number };
  type Client = Awaited<ReturnType<World['furnish']>>['client'];
  const progress = async (client: Client, at: string, { id }: Replay) =>
    client.ok<Replay>('GET', `${at}/replays/${id}`);
  /** Replays all deliveries, and lets a minute pass in which the replay completes. */
  const replayAll = async (client: Client, at: string): Promise<Replay> => {
    const span = { since: 0, until: world.now(), ratePerSecond: 100 };
    const replay = await client.ok<Replay>('POST', `${at}/replays`, span);
    await world.idle();
    await world.pass(60_000);
    return replay;
  };

  test('a replay resends and counts failed deliveries', async () => {
    const { fall, list, client, at, receiver } = await world.furnish({ retrySchedule: [0] });
    await fall();
    world.answerWith(status(500, 'no'));
    for (let falls = 0; falls < 3; falls++) await fall();
    world.answerWith(ok);
    const before = receiver.received.length;
    const span = { since: 0, until: world.now() + DAY, ratePerSecond: 100 };
    const replay = await client.ok<Replay>('POST', `${at}/replays`, span);
    expect(replay).toMatchObject({ state: 'running', total: 3, sent: 0, failed: 0 });
    await receiver.until(before + 3);
    await world.idle();
    await world.pass(0);
    expect(await progress(client, at, replay)).toMatchObject({ state: 'completed', total: 3, sent: 3, failed: 0 });
    expect((await list('?state=delivered')).total).toBe(4);
    expect(receiver.received).toHaveLength(before + 3);
  });

  test('the replay list shows the latest replay, even after it ends', async () => {
    const { fall, client, at } = await world.furnish({ retrySchedule: [0] });
    const list = async (query = '') => {
      const [page] = await client.ok<{ total: number; data: Replay[] }[]>('GET', `${at}/replays${query}`);
      return page?.data.map(({ id, state }) => ({ id, state }));
    };
    expect(await list()).toEqual([]);
    world.answerWith(status(500, 'no'));
    for (let falls = 0; falls < 3; falls++) await fall();
    world.answerWith(ok);
    const span = { since: 0, until: world.now(), ratePerSecond: 1 };
    const { id } = await client.ok<Replay>('POST', `${at}/replays`, span);
    expect(await list()).toEqual([{ id, state: 'running' }]);
    await client.ok('DELETE', `${at}/replays/${id}`);
    expect(await list()).toEqual([{ id, state: 'canceled' }]);
    const { id: next } = await client.ok<Replay>('POST', `${at}/replays`, span);
    expect((await list())?.map((delivery) => delivery.id)).toEqual([next]);
    expect(await list('?page=1')).toEqual([]);
  });

  test('canceling a replay fails its unsent deliveries', async () => {
    const { fall, list, client, at, receiver } = await world.furnish({ retrySchedule: [0] });
    world.answerWith(status(500, 'no'));
    for (let falls = 0; falls < 4; falls++) await fall();
    world.answerWith(ok);
    const before = receiver.received.length;
    const span = { since: 0, until: world.now(), ratePerSecond: 4 };
    const replay = await client.ok<Replay>('POST', `${at}/replays`, span);
    await receiver.until(before + 1);
    await client.ok('DELETE', `${at}/replays/${replay.id}`);
    await world.idle();
    const { sent, failed, ...rest } = await progress(client, at, replay);
    expect(rest).toMatchObject({ state: 'canceled', total: 4 });
    await world.pass(10_000);
    expect((await list()).data.filter(({ state }) => !['delivered', 'failed'].includes(state))).toEqual([]);
    expect(receiver.received.length).toBe(before + sent);
    const canceled = (await list('?state=failed')).data.filter(({ reason }) => reason === 'canceled');
    expect(canceled).toHaveLength(failed);
  });

  test('a paused replay sends nothing until resumed', async () => {
    const { fall, client, at, receiver } = await world.furnish({ retrySchedule: [0] });
    world.answerWith(status(500, 'no'));
    for (let falls = 0; falls < 12; falls++) await fall();
    world.answerWith(ok);
    const before = receiver.received.length;
    const span = { since: 0, until: world.now(), ratePerSecond: 1 };
    const replay = await client.ok<Replay>('POST', `${at}/replays`, span);
    await receiver.until(before + 1);
    const paused = await client.ok<Replay>('PUT', `${at}/replays/${replay.id}`, { isPaused: true });
    expect(paused).toMatchObject({ state: 'running', isPaused: true, total: 12 });
    for (let passes = 0; passes < 6; passes++) await world.pass(3_000);
    const sent = receiver.received.length - before;
    expect(sent).toBeLessThan(12);
    await world.pass(60_000);
    expect(receiver.received.length - before).toBe(sent);
    expect(await progress(client, at, replay)).toMatchObject({ isPaused: true, sent });
    await client.ok('PUT', `${at}/replays/${replay.id}`, { isPaused: false });
    for (let passes = 0; passes < 6; passes++) await world.pass(3_000);
    expect(await progress(client, at, replay)).toMatchObject({ state: 'completed', isPaused: false, sent: 12 });
    expect(receiver.received.length - before).toBe(12);
  });

  test('a replay replaces held deliveries and sends them once the webhook is enabled', async () => {
    const { fall, list, client, at, receiver, set, record } = await world.furnish();
    await set({ isEnabled: false });
    for (let falls = 0; falls < 3; falls++) await fall();
    const replay = await replayAll(client, at);
    expect((await list('?state=failed')).data.map(({ reason }) => reason)).toEqual(Array(3).fill('replayed'));
    expect((await list('?state=held')).total).toBe(3);
    expect(await record()).toMatchObject({ held: 3 });
    await set({ isEnabled: true });
    await world.pass(0);
    await receiver.until(3);
    await world.idle();
    await world.pass(60_000);
    expect(receiver.received).toHaveLength(3);
    expect(await progress(client, at, replay)).toMatchObject({ state: 'completed', total: 3, sent: 3, failed: 0 });
    expect(await record()).toMatchObject({ held: 0 });
    // The held originals count as delivered, so a later replay does not include them.
    expect((await list('?state=delivered')).data.map(({ reason }) => reason).toSorted()).toEqual([
      null,
      null,
      null,
      'redelivered',
      'redelivered',
      'redelivered',
    ]);
  });

  test('canceling a replay to a disabled webhook keeps the deliveries held', async () => {
    const { fall, list, client, at, receiver, set, record } = await world.furnish();
    await set({ isEnabled: false });
    for (let falls = 0; falls < 3; falls++) await fall();
    const replay = await replayAll(client, at);
    await client.ok('DELETE', `${at}/replays/${replay.id}`);
    await world.idle();
    expect([(await list('?state=held')).total, (await record())?.held]).toEqual([3, 3]);
    await set({ isEnabled: true });
    await world.pass(0);
    await receiver.until(3);
    await world.pass(60_000);
    expect(receiver.received).toHaveLength(3);
    expect(await progress(client, at, replay)).toMatchObject({ state: 'canceled', total: 3, sent: 3 });
  });

  test('deleting the webhook ends a replay', async () => {
    const { fall, client, at, set, customerId } = await world.furnish();
    await set({ isEnabled: false });
    await fall();
    const { id: replayId } = await replayAll(client, at);
    const key = items.replay({ customerId, webhookId: at.split('/').at(-1) ?? '', replayId });
    expect(await world.table.get(key)).toHaveProperty('duePk');
    await client.ok('DELETE', at);
    await world.pass(600_000);
    await world.idle();
    expect(await world.table.get(key)).not.toHaveProperty('duePk');
  });

  test('canceling a replay to a disabled webhook fails the held deliveries', async () => {
    const { fall, list, client, at, set, record } = await world.furnish({ retrySchedule: [0] });
    world.answerWith(status(500, 'no'));
    for (let falls = 0; falls < 3; falls++) await fall();
    await set({ isEnabled: false });
    const replay = await replayAll(client, at);
    expect(await record()).toMatchObject({ held: 3 });
    await client.ok('DELETE', `${at}/replays/${replay.id}`);
    await world.idle();
    expect(await record()).toMatchObject({ held: 0 });
    expect((await list('?state=held')).total).toBe(0);
    expect(await progress(client, at, replay)).toMatchObject({ state: 'canceled', total: 3, sent: 0, failed: 3 });
  });
});
