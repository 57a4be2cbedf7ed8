import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Runtime } from '#shared/runtime/deps.ts';
import type { Item } from '#shared/store/engine/request.ts';
import { createFeedWorld, idsOf } from '#test/fixtures/feeds.ts';

let world: Awaited<ReturnType<typeof createFeedWorld>>;
/** Is a webhook read as it was before it held anything? */
let isReadEarly = false;
beforeAll(async () => {
  const wrap = (runtime: Runtime): Runtime => {
    const get = async <T extends Item>(...asked: Parameters<typeof runtime.table.get>) => {
      const found = await runtime.table.get<T>(...asked);
      return isReadEarly && found && 'held' in found ? { ...found, held: 0 } : found;
    };
    return { ...runtime, table: { ...runtime.table, get } };
  };
  world = await createFeedWorld({ wrap });
});
afterAll(() => world.stop());

const DAY = 86_400_000;

/** A home whose webhook had an address, and holds the delivery of a fall since it was switched off. */
const furnish = async () => {
  const home = await world.furnish();
  const { client, at, receiver, fall, list } = home;
  const { hasSecretKey: _, health: __, ...webhook } = await client.ok<Record<string, unknown>>('GET', at);
  await client.ok('PUT', at, { ...webhook, url: receiver.url, isEnabled: false });
  await fall();
  const [held] = (await list('?state=held')).data;
  return { ...home, webhook, heldId: held?.id ?? '' };
};

test('what a webhook holds is given within two minutes once it is fetched instead, also by a reader that never pauses', async () => {
  const { client, at, webhook, heldId, feed, record } = await furnish();
  await client.ok('PUT', at, { ...webhook, isEnabled: true });
  const given: string[][] = [];
  for (let seconds = 0; seconds < 120; seconds += 30) {
    given.push(idsOf(await feed()));
    await world.pass(30_000);
  }
  given.push(idsOf(await feed(`?after=${heldId}`)));
  expect(given.flat()).toContain(heldId);
  expect(given.at(-1)).toEqual([]);
  // The next look is put off again by each fetch.
  await world.pass(60_000);
  await feed();
  expect(Number((await record())?.dueAt)).toBeGreaterThan(world.now());
});

test('what was held in the moment of a fetch, so that the fetch does not know of it, is released by the next sweep', async () => {
  const { client, at, webhook, heldId, feed, list } = await furnish();
  await client.ok('PUT', at, { ...webhook, isEnabled: true });
  isReadEarly = true;
  expect(await feed()).toEqual([]);
  isReadEarly = false;
  await world.pass(60_000);
  await world.pass(1_000);
  expect((await list()).data).toMatchObject([{ id: heldId, state: 'pending' }]);
  expect(idsOf(await feed())).toEqual([heldId]);
});

test('what a webhook holds that is to be fetched, and stays off, has failed after 14 days', async () => {
  const { client, at, webhook, list } = await furnish();
  await client.ok('PUT', at, { ...webhook, isEnabled: false });
  await world.pass(14 * DAY - 60_000);
  expect((await list()).data).toMatchObject([{ state: 'held' }]);
  await world.pass(120_000);
  expect((await list()).data).toMatchObject([{ state: 'failed', reason: 'expired' }]);
});
