import { describe, expect, test } from 'vitest';
import { DELIVERY_RETENTION } from '#shared/domain/delivery/delivery.ts';
import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import { items } from '#shared/store/table.ts';
import { createHooks, deliveryOf, HOME, HOOK, webhookOf } from '#test/fixtures/store-deliveries.ts';
import { deliveryId, now, some } from '#test/fixtures/store-items.ts';

const hooksOf = async ({ its }: Awaited<ReturnType<typeof createHooks>>) => (await its.customers.get(HOME))?.hooks;
const ofBot = { botId: 1, isCustomerHook: false };
const edit = (fields: object = {}) =>
  some({ botId: null, format: 'full', url: 'https://a.example', isEnabled: true, isLoopbackDenied: true, ...fields });

test('only a customer webhook receives every event', async () => {
  const world = await createHooks();
  const { its, table } = world;
  expect(await its.webhooks.create(webhookOf({ id: 'b', ...ofBot }), 10)).toBeNull();
  expect(await hooksOf(world)).toEqual({ [HOOK]: 'full' });
  expect((await its.webhooks.list(HOME)).map(({ id }) => id)).toEqual(['b', HOOK]);
  expect(await its.webhooks.getAll(HOME, [HOOK, 'x'])).toHaveLength(1);
  expect(await its.customers.ownerOf('webhook', 'b')).toBe(HOME);
  expect(await table.get(items.webhook({ customerId: HOME, webhookId: HOOK }))).not.toHaveProperty('duePk');
  expect([await its.webhooks.get(HOME + 1, HOOK), await its.webhooks.list(HOME + 1, false)]).toEqual([null, []]);
});

test('webhooks need an existing bot, filter group and customer, and are limited in number', async () => {
  const world = await createHooks();
  const { its } = world;
  expect(await its.webhooks.create(webhookOf({ id: 'b', ...ofBot, botId: 2 }), 10)).toBe('unknown_reference');
  expect(await its.webhooks.create(webhookOf({ id: 'b', sensorGroupId: 20 }), 10)).toBe('unknown_reference');
  expect(await its.webhooks.create(webhookOf({ id: 'b' }), 1)).toBe('limit_reached');
  expect(await its.webhooks.create(webhookOf({ id: 'b', customerId: 9 }), 10)).toBe('customer_unknown');
  const group = { id: 20, customerId: HOME, name: 'g', sensorIds: [], createDate: now, updateDate: now };
  await its.sensorGroups.create(group, 10);
  expect(await its.webhooks.create(webhookOf({ id: 'b', sensorGroupId: 20 }), 10)).toBeNull();
  expect(await its.sensorGroups.remove(HOME, 20)).toBe('in_use');
});

test('a webhook without a URL is scheduled for a fetch check', async () => {
  const { table } = await createHooks({ url: null });
  const stored = await table.get<{ dueAt: string }>(items.webhook({ customerId: HOME, webhookId: HOOK }));
  expect(Number(stored?.dueAt)).toBe(now + 600_000);
});

test('a webhook can be moved between a customer and a bot', async () => {
  const world = await createHooks();
  const { its, hook } = world;
  expect(await its.webhooks.replace(await hook(), edit({ botId: 1, isCustomerHook: false }), now)).toBeNull();
  expect([await hooksOf(world), (await hook()).botId]).toEqual([{}, 1]);
  expect(await its.webhooks.replace(await hook(), edit({ isCustomerHook: true, format: 'raw' }), now)).toBeNull();
  expect(await hooksOf(world)).toEqual({ [HOOK]: 'raw' });
  expect(await its.webhooks.replace(await hook(), edit({ botId: 9 }), now)).toBe('unknown_reference');
  expect(await its.webhooks.replace(await hook(), edit({ sensorGroupId: 9 }), now)).toBe('unknown_reference');
});

test('a webhook can be changed only while it still has the same owner', async () => {
  const { its, hook } = await createHooks();
  const before = await hook();
  const asBots: WebhookRecord = { ...before, botId: 1 };
  expect(await its.webhooks.replace(asBots, edit({ name: 'n', botId: 1 }), now)).toBe('changed');
  expect([await its.webhooks.setToken(asBots, 't', now), await its.webhooks.remove(asBots, now)]).toEqual([
    false,
    false,
  ]);
  expect(await its.webhooks.setToken(before, 't', now + 1)).toBe(true);
  expect(await hook()).toMatchObject({ token: 't', updateDate: now + 1 });
});

test('a webhook can be deleted only once and is remembered as long as its deliveries are', async () => {
  const world = await createHooks();
  const { its, hook, table } = world;
  const before = await hook();
  expect([await its.webhooks.remove(before, now + 1), await its.webhooks.remove(before, now)]).toEqual([true, false]);
  expect([
    await its.webhooks.get(HOME, HOOK),
    await hooksOf(world),
    await its.customers.ownerOf('webhook', HOOK),
  ]).toEqual([null, {}, null]);
  const ttl = Math.ceil((now + 1 + 2 * DELIVERY_RETENTION) / 1_000);
  expect(await table.get(items.formerWebhook({ customerId: HOME, webhookId: HOOK }))).toMatchObject({ ttl });
  expect((await its.customers.get(HOME))?.webhooks).toBe(0);
  await its.webhooks.create(webhookOf({ id: 'b', ...ofBot }), 10);
  expect(await its.webhooks.remove(webhookOf({ id: 'b', ...ofBot }), now)).toBe(true);
});

test('a webhook can be removed even if its customer was deleted', async () => {
  const { its, hook, table } = await createHooks();
  const before = await hook();
  await table.write({ remove: items.customer({ customerId: HOME }) });
  await its.webhooks.forget(before, now);
  expect([await its.webhooks.get(HOME, HOOK), await its.customers.ownerOf('webhook', HOOK)]).toEqual([null, null]);
  expect(await table.get(items.formerWebhook({ customerId: HOME, webhookId: HOOK }))).not.toBeNull();
});

describe('webhook health', () => {
  const ill = {
    consecutiveFailures: 9,
    failingSince: 1,
    goneSince: 1,
    warnedAt: 1,
    openUntil: 1,
    probeUntil: 1,
    slowUntil: 1,
  };
  const replaced = async (before: object, update: object) => {
    const { its, hook } = await createHooks({ ...ill, ...before });
    await its.webhooks.replace(await hook(), edit(update), now);
    return { ...(await hook()) } as Record<string, unknown>;
  };
  const attributes = Object.keys(ill).slice(1);
  const kept = (after: Record<string, unknown>) => attributes.filter((name) => name in after);
  test('webhook health survives changes to other fields', async () => {
    const after = await replaced({}, { name: 'new' });
    expect([after.consecutiveFailures, kept(after), after.name]).toEqual([9, attributes, 'new']);
  });

  test('webhook health is reset when the URL changes or the webhook is re-enabled', async () => {
    for (const [before, update] of [
      [{}, { url: 'https://b.example' }],
      [{ isEnabled: false, disabledReason: 'r' }, {}],
    ]) {
      const after = await replaced(before ?? {}, update ?? {});
      expect([after.consecutiveFailures, kept(after), after.isEnabled, after.disabledReason]).toEqual([
        0,
        [],
        true,
        null,
      ]);
      expect(after).not.toHaveProperty('dueAt');
    }
  });

  test('changing a webhook does not re-enable it if it was disabled in the meantime', async () => {
    const { its, hook } = await createHooks();
    const before = await hook();
    await its.health.disable(before, now, 'gone', null);
    await its.webhooks.replace(before, edit({ name: 'new' }), now);
    expect(await hook()).toMatchObject({ isEnabled: false, disabledReason: 'gone', name: 'new' });
  });

  test('webhook health is kept when the owner disables the webhook', async () => {
    const after = await replaced({}, { isEnabled: false });
    expect([after.isEnabled, after.consecutiveFailures, kept(after)]).toEqual([false, 9, attributes]);
  });

  test('a webhook is due for a sweep after its URL is added or removed', async () => {
    expect((await replaced({}, { url: null })).dueAt).toBe(String(now).padStart(16, '0'));
    expect(Number((await replaced({ url: null }, {})).dueAt)).toBe(now);
    expect(Number((await replaced({ url: null }, { url: null, name: 'n' })).dueAt)).toBe(now + 600_000);
    expect(Number((await replaced({ url: null, isEnabled: false }, { url: null })).dueAt)).toBe(now);
  });

  test('a failing webhook causes only one warning per series of failures', async () => {
    const { its, hook } = await createHooks();
    const warn = async (failingSince: number, at: number) =>
      its.health.recordWarning({ ...(await hook()), failingSince }, at);
    expect([
      await warn(now, now + 1),
      await warn(now, now + 2),
      await warn(now + 1, now + 2),
      await warn(now + 2, now + 3),
    ]).toEqual([true, false, false, true]);
    expect(await hook()).toMatchObject({ warnedAt: now + 3 });
    expect(await its.health.recordWarning({ customerId: HOME, id: 'x' }, now)).toBe(false);
  });

  test('a failing webhook is disabled only once, with a notice, unless its URL has changed', async () => {
    const { its, hook, table } = await createHooks({ goneSince: 1 });
    const notice = { put: { pk: 'n', sk: 'n' } };
    expect(await its.health.disable({ ...(await hook()), url: 'other' }, now, 'gone', notice)).toBe(false);
    expect(await table.get(notice.put)).toBeNull();
    expect([
      await its.health.disable(await hook(), now, 'gone', notice),
      await its.health.disable(await hook(), now, 'x', notice),
    ]).toEqual([true, false]);
    expect(await hook()).toMatchObject({ isEnabled: false, disabledReason: 'gone', troubleDate: now });
    expect([await hook(), await table.get(notice.put)]).toEqual([
      expect.not.objectContaining({ goneSince: 1 }),
      notice.put,
    ]);
  });

  test('clearing webhook failures does not clear newer ones', async () => {
    const { its, hook } = await createHooks({ troubleDate: now, failedDeliveries: 2 });
    await its.health.clearFailures(await hook(), now - 1);
    expect(await hook()).toMatchObject({ troubleDate: now, failedDeliveries: 2 });
    await its.health.clearFailures(await hook(), now);
    expect([await hook()]).toEqual([expect.not.objectContaining({ failedDeliveries: 2 })]);
    expect(await hook()).not.toHaveProperty('troubleDate');
  });

  test('the oldest pending delivery is forgotten only after a release without failures', async () => {
    const { its, hook } = await createHooks({ pendingSince: now, backDate: now + 9, lastFailure: now + 9 });
    await its.health.notePending(await hook(), now + 1);
    await its.health.notePending(await hook(), now - 1);
    expect(await hook()).toMatchObject({ pendingSince: now - 1 });
    await its.health.endRelease(await hook(), now + 9);
    await its.health.endRelease(await hook(), now + 10);
    expect(await hook()).toHaveProperty('pendingSince');
    const over = await createHooks({ pendingSince: now, backDate: now + 9, lastFailure: now + 8 });
    await over.its.health.endRelease(await over.hook(), now + 9);
    expect(await over.hook()).not.toHaveProperty('pendingSince');
  });
});

test('an old webhook secret keeps signing alongside the new one until the overlap ends', async () => {
  const { its, hook } = await createHooks({ secretKey: 's1' });
  expect(await its.secrets.rotate(await hook(), 's2', now + 9, now + 1)).toBe(true);
  expect(await hook()).toMatchObject({
    secretKey: 's2',
    previousSecret: 's1',
    previousUntil: now + 9,
    updateDate: now + 1,
  });
  await its.webhooks.replace(await hook(), edit({ name: 'new' }), now);
  expect(await hook()).toMatchObject({ previousSecret: 's1' });
});

test('old webhook secrets stop signing once a new secret is set without an overlap', async () => {
  for (const isRotated of [true, false]) {
    const { its, hook } = await createHooks({ secretKey: 's1' });
    await its.secrets.rotate(await hook(), 's2', now + 9, now);
    if (isRotated) await its.secrets.rotate(await hook(), 's3', null, now);
    else await its.webhooks.replace(await hook(), edit({ secretKey: 's3' }), now);
    const after = await hook();
    expect(after).toMatchObject({ secretKey: 's3' });
    for (const name of ['previousSecret', 'previousUntil']) expect(after).not.toHaveProperty(name);
  }
});

test('a webhook secret cannot be rotated after the webhook was deleted', async () => {
  const { its } = await createHooks();
  expect(await its.secrets.rotate({ customerId: HOME, id: 'x' }, 's', null, now)).toBe(false);
  expect(await its.webhooks.get(HOME, 'x')).toBeNull();
});

test('a bot belongs to one customer and can be changed only if it exists', async () => {
  const { its } = await createHooks();
  expect(await its.bots.get(HOME, 1)).toMatchObject({ id: 1 });
  expect([await its.bots.get(HOME + 1, 1), (await its.bots.list(HOME)).length]).toEqual([null, 1]);
  expect(await its.bots.update(HOME, 1, some({ name: 'n' }), now)).toMatchObject({
    id: 1,
    name: 'n',
    updateDate: now,
  });
  expect([await its.bots.update(HOME, 2, some({ name: 'n' }), now), await its.bots.get(HOME, 2)]).toEqual([null, null]);
  expect([
    await its.bots.create(some({ id: 2, customerId: HOME }), 1),
    await its.bots.create(some({ id: 2, customerId: 9 }), 9),
  ]).toEqual(['limit_reached', 'customer_unknown']);
});

test('a bot can be deleted only once, and the id stays reserved until all webhooks are deleted', async () => {
  const { its } = await createHooks();
  expect([await its.bots.remove(HOME, 1), await its.bots.remove(HOME, 1)]).toEqual([true, false]);
  expect([await its.bots.list(HOME), await its.customers.ownerOf('bot', 1)]).toEqual([[], HOME]);
  await its.bots.forget(HOME + 1, 1);
  expect(await its.customers.ownerOf('bot', 1)).toBe(HOME);
  await its.bots.forget(HOME, 1);
  expect(await its.customers.ownerOf('bot', 1)).toBeNull();
});

describe('replays', () => {
  const replayOf = (id: string, fields: object = {}) =>
    some({ id, customerId: HOME, webhookId: HOOK, state: 'running', step: 0, createDate: now, ...fields });
  const start = async () => {
    const world = await createHooks();
    expect(await world.its.replays.create(replayOf('r1'), 1)).toBe('done');
    const replay = async (id = 'r1') => (await world.its.replays.get(HOME, HOOK, id)) ?? expect.unreachable();
    return { ...world, replay, replays: world.its.replays };
  };
  const dueOf = (item: object) => Number((item as { dueAt?: string }).dueAt);
  test('a replay needs an existing webhook, and parallel replays are limited', async () => {
    const { replays, replay, hook } = await start();
    expect(await replays.create(replayOf('r2'), 1)).toBe('limit_reached');
    expect(await replays.create(replayOf('r2', { webhookId: 'x' }), 1)).toBe('webhook_gone');
    expect(await replay()).toMatchObject({ state: 'running', ttl: (now + 60 * 86_400_000) / 1_000 });
    expect(dueOf(await replay())).toBe(now);
    await replays.finish(await replay(), 'completed', now + 1);
    expect(await replays.create(replayOf('r2', { createDate: now + 2 }), 1)).toBe('done');
    expect((await replays.current(await hook())).map(({ id }) => id)).toEqual(['r2']);
    expect((await hook()).replays).toEqual(['r2']);
  });

  test('replays started at the same time stay within the limit', async () => {
    const { its } = await createHooks();
    const results = await Promise.all(['a', 'b', 'c'].map((id) => its.replays.create(replayOf(id), 2)));
    expect(results.filter((result) => result === 'done')).toHaveLength(2);
  });

  test('running replays are listed newest first, together with the latest replay in any state', async () => {
    const { replays, replay, hook } = await start();
    expect(await replays.current(webhookOf())).toEqual([]);
    await replays.create(replayOf('r2', { createDate: now + 1 }), 3);
    await replays.create(replayOf('r3', { createDate: now + 2 }), 3);
    await replays.finish(await replay('r2'), 'completed', now);
    await replays.finish(await replay('r3'), 'canceled', now);
    expect((await replays.current(await hook())).map(({ id }) => id)).toEqual(['r3', 'r1']);
  });

  test('a replay writes each delivery only once and only while running', async () => {
    const { replays, replay, read } = await start();
    const add = async (n: number) => replays.add(await replay(), deliveryOf(n), deliveryOf(9), now);
    expect([await add(1), await add(1)]).toEqual([true, false]);
    expect([await replay(), await read(1)]).toMatchObject([{ made: 1 }, { id: deliveryId(1) }]);
    await replays.finish(await replay(), 'completed', now);
    expect([await add(2), await read(2)]).toEqual([false, null]);
  });

  test('a replay ends the held original and creates the copy in one step or not at all', async () => {
    const { replays, replay, its, create, read, hook } = await start();
    await create(9);
    await its.held.hold(deliveryOf(9), now);
    const original = (await read(9)) ?? deliveryOf(9);
    expect(await replays.add(await replay(), deliveryOf(1), original, now)).toBe(true);
    expect([await read(9), (await hook()).held]).toMatchObject([{ state: 'failed', reason: 'replayed' }, 0]);
    expect([await replays.add(await replay(), deliveryOf(2), original, now), await read(2)]).toEqual([false, null]);
  });

  test('each replay step happens only once', async () => {
    const { replays, replay } = await start();
    const first = await replay();
    const to = some({ cursor: 'c', isListed: false, pacedUntil: now + 1 });
    expect([await replays.advance(first, to, now + 5), await replays.advance(first, to, now + 6)]).toEqual([
      true,
      false,
    ]);
    expect(await replay()).toMatchObject({ step: 1, cursor: 'c', isListed: false, pacedUntil: now + 1 });
    expect(dueOf(await replay())).toBe(now + 5);
    await replays.finish(await replay(), 'completed', now);
    expect(await replays.advance(await replay(), to, now)).toBe(false);
  });

  test('a replay can be paused and resumed while running', async () => {
    const { replays, replay } = await start();
    expect(await replays.setPaused(await replay(), true, now + 1)).toMatchObject({
      isPaused: true,
      updateDate: now + 1,
    });
    expect(await replay()).not.toHaveProperty('duePk');
    expect(await replays.setPaused(await replay(), false, now + 2)).toMatchObject({ isPaused: false });
    expect(dueOf(await replay())).toBe(now + 2);
    await replays.finish(await replay(), 'completed', now);
    expect(await replays.setPaused(await replay(), true, now)).toBeNull();
  });

  test('a canceled replay stays due until it is closed', async () => {
    for (const state of ['completed', 'canceled'] as const) {
      const { replays, replay } = await start();
      expect([
        await replays.finish(await replay(), state, now + 1),
        await replays.finish(await replay(), 'completed', now),
      ]).toEqual([true, false]);
      expect(await replay()).toMatchObject({ state, updateDate: now + 1 });
      expect(dueOf(await replay())).toBe(state === 'canceled' ? now + 1 : Number.NaN);
      await replays.close(await replay());
      expect(await replay()).not.toHaveProperty('duePk');
    }
  });
});

describe('manufacturer feedback webhook', () => {
  const customer = (id: number) => some({ id, name: 'maker' });
  const hookAt = (customerId: number, id: string) => webhookOf({ customerId, id });
  test('the manufacturer feedback webhook is created only once, and replaced only if unchanged', async () => {
    const { its } = await createHooks();
    expect(await its.makerFeedback.home()).toBeNull();
    await its.makerFeedback.furnish(customer(50), hookAt(50, 'm1'), null);
    await its.makerFeedback.furnish(customer(51), hookAt(51, 'm2'), null);
    const home = await its.makerFeedback.home();
    expect(home).toMatchObject({ customerId: 50, webhookId: 'm1' });
    expect([await its.customers.get(50), await its.customers.get(51)]).toMatchObject([
      { hooks: { m1: 'full' }, webhooks: 1 },
      null,
    ]);
    await its.makerFeedback.furnish(customer(52), hookAt(52, 'm3'), { customerId: 50, webhookId: 'x' });
    await its.makerFeedback.furnish(customer(53), hookAt(53, 'm4'), home);
    expect(await its.makerFeedback.home()).toMatchObject({ customerId: 53, webhookId: 'm4' });
    expect(await its.customers.get(52)).toBeNull();
  });
});

test('the acknowledgement link key is stored only once', async () => {
  const { its } = await createHooks();
  expect(await its.addressKeys.get()).toBeNull();
  await its.addressKeys.keep('k1');
  await its.addressKeys.keep('k2');
  expect([await its.addressKeys.get(), await its.addressKeys.get()]).toEqual(['k1', 'k1']);
});
