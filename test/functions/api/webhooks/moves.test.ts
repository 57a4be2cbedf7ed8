import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import type { Key } from '#shared/store/key.ts';
import { store } from '#shared/store/store.ts';
import { createDeliveryWorld, LATE, status } from '#test/fixtures/deliveries.ts';

type World = Awaited<ReturnType<typeof createDeliveryWorld>>;
type Home = Awaited<ReturnType<World['furnish']>>;
type Health = { consecutiveFailures: number; failingSince: number | null };

let world: World;
let better: Receiver;
/** The response status from the receiver that webhooks move to. */
let code = 200;
beforeAll(async () => {
  world = await createDeliveryWorld();
  better = await startReceiver((_, response) => void response.writeHead(code).end());
});
afterAll(async () => {
  await Promise.all([world.stop(), better.stop()]);
});

const moveTo = async ({ client, at }: Home, url: string) => {
  const hook = await client.ok('GET', at);
  return client.ok<{ isEnabled: boolean; health: Health }>('PUT', at, { ...hook, url });
};
const healthOf = ({ client, at }: Home) =>
  client.ok<{ isEnabled: boolean; disabledReason: string | null; health: Health }>('GET', at);
const unhurt = { consecutiveFailures: 0, failingSince: null };

test('ignores a late 410 from the previous URL', async () => {
  const home = await world.furnish({ retrySchedule: [0, 1, 1] });
  const open: ServerResponse[] = [];
  world.answerWith((response) => void open.push(response));
  const fall = home.fall();
  await home.receiver.until(1);
  await moveTo(home, better.url);
  for (const response of open) status(410, 'gone')(response);
  await fall;
  await world.pass(5_000);
  expect(await healthOf(home)).toMatchObject({ isEnabled: true, disabledReason: null, health: unhurt });
  expect((await home.list()).data).toMatchObject([{ state: 'delivered', attempts: 2 }]);
  expect(better.received).toHaveLength(1);
});

test('resets the failure count for a new URL', async () => {
  const home = await world.furnish({ retrySchedule: LATE });
  const days = { consecutiveFailures: 30, failingSince: world.now() - 6 * 86_400_000, lastFailure: world.now() };
  const rests = { openUntil: world.now() + 60_000, slowUntil: world.now() + 60_000, warnedAt: 1, probeUntil: 1 };
  await home.set({ ...days, ...rests });
  expect(await moveTo(home, better.url)).toMatchObject({ isEnabled: true, health: unhurt });
  const kept = Object.keys(Object(await home.record()));
  expect(kept.filter((name) => Object.keys(rests).includes(name))).toEqual([]);
  code = 503;
  await home.fall();
  code = 200;
  expect(await healthOf(home)).toMatchObject({ isEnabled: true, health: { consecutiveFailures: 1 } });
});

test('a moved webhook stays enabled even if failures at the old URL disable it during the move', async () => {
  const home = await world.furnish();
  const { health, webhooks } = store(world.table);
  const before = await webhooks.get(home.customerId, home.at.split('/')[2] ?? '');
  if (!before) throw new Error('no webhook');
  await health.disable(before, 7, 'gone', null);
  const { pk, sk, ...fields } = before as typeof before & Key;
  expect([pk, sk]).toEqual([expect.any(String), expect.any(String)]);
  expect(await webhooks.replace(before, { ...fields, url: better.url } as never, world.now())).toBeNull();
  expect(await healthOf(home)).toMatchObject({ isEnabled: true, disabledReason: null });
});

test('ignores late responses from the previous URL, but frees their slots', async () => {
  const home = await world.furnish();
  const { health, webhooks } = store(world.table);
  const before = await webhooks.get(home.customerId, home.at.split('/')[2] ?? '');
  if (!before) throw new Error('no webhook');
  await moveTo(home, better.url);
  for (const late of ['failed', 'worked'] as const) {
    const failure = { consecutiveFailures: 3, failingSince: 7, lastSuccess: 5, lastFailure: 6, probeUntil: 8 };
    await home.set({ ...failure, slot2: 9 });
    const holds = ['probeUntil', 'slot2'] as const;
    if (late === 'worked') await health.recordSuccess(before, world.now(), null, holds);
    else
      await health.failed(
        before,
        world.now(),
        { openUntil: null, isGone: false, isLost: false, since: 7, begun: null },
        holds,
      );
    await health.disable(before, 7, 'failing', null);
    const after = await home.record();
    expect(after).toMatchObject({ ...failure, isEnabled: true });
    expect(after).not.toHaveProperty('slot2');
  }
});
