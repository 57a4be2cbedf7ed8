import { describe, expect, test } from 'vitest';
import { GRACE_MS } from '#shared/store/engine/due.ts';
import { items } from '#shared/store/table.ts';
import { bareSnapshot } from '#test/fixtures/snapshot.ts';
import { createHooks, deliveryOf, HOME, HOOK } from '#test/fixtures/store-deliveries.ts';
import { deliveryId, now } from '#test/fixtures/store-items.ts';

const DAY = 86_400_000;
const key = (n = 1) => ({ customerId: HOME, webhookId: HOOK, id: deliveryId(n) });
const itemKey = (n = 1) => items.delivery({ customerId: HOME, webhookId: HOOK, deliveryId: deliveryId(n) });
const alarmKey = (n: number) => items.heldAlarm({ customerId: HOME, webhookId: HOOK, deliveryId: deliveryId(n) });

describe('held deliveries', () => {
  const hold = async (fields: object = {}) => {
    const world = await createHooks();
    const delivery = await world.create(1, fields);
    expect(await world.its.held.hold(delivery, now + 1)).toBe(true);
    return { ...world, delivery };
  };
  test("a disabled webhook's delivery is held for 14 days and counted", async () => {
    const { its, read, hook, table } = await hold();
    expect(await read()).toMatchObject({
      state: 'held',
      reason: 'webhook_disabled',
      nextAttempt: null,
      updateDate: now + 1,
      heldUntil: now + 1 + 14 * DAY,
    });
    expect(await hook()).toMatchObject({ held: 1, dueAt: String(now + 1).padStart(16, '0') });
    expect(await its.held.ids(await hook(), 9)).toEqual([deliveryId(1)]);
    expect(Number((await table.get<{ dueAt: string }>(itemKey()))?.dueAt)).toBe(now + 1 + 14 * DAY);
    expect(await its.held.hold(deliveryOf(), now)).toBe(false);
    expect(await its.held.hold(deliveryOf(1, { webhookId: 'x' }), now)).toBe(false);
    expect(await hook()).toMatchObject({ held: 1 });
  });

  test('a delivery being sent cannot be held', async () => {
    const { its, create, hook } = await createHooks();
    await create();
    await its.attempts.claim(key(), now, 'a');
    expect([await its.held.hold(deliveryOf(), now), (await hook()).held]).toEqual([false, undefined]);
  });

  test('a held delivery is released only once, as a retry if it was already attempted', async () => {
    for (const [attempts, state] of [
      [0, 'pending'],
      [2, 'retrying'],
    ] as const) {
      const { its, read, hook, delivery, table } = await hold({ attempts });
      expect([await its.held.release(delivery, now + 7, now + 3), await its.held.release(delivery, now, now)]).toEqual([
        true,
        false,
      ]);
      expect(await read()).toMatchObject({ state, reason: null, nextAttempt: now + 7, updateDate: now + 3 });
      expect([(await hook()).held, await its.held.ids(await hook(), 9)]).toEqual([0, []]);
      const item = await table.get<{ dueAt: string }>(itemKey());
      expect([Number(item?.dueAt), item && 'heldUntil' in item]).toEqual([now + 7 + GRACE_MS, false]);
    }
  });

  test('a held alarm about a person comes before all other held deliveries', async () => {
    const { its, hook, create, table } = await createHooks();
    const other = { ...bareSnapshot, event: { ...bareSnapshot.event, type: 'system', action: 'sensor_inactive' } };
    for (let n = 1; n <= 3; n++) await its.held.hold(await create(n, { snapshot: other }), now);
    const alarms = [await create(4), await create(5), await create(6), await create(7)] as const;
    for (const alarm of alarms) await its.held.hold(alarm, now);
    const listed = async (limit = 9) => its.held.ids(await hook(), limit);
    const ids = (...numbers: number[]) => numbers.map((n) => deliveryId(n)).sort();
    const first = ids(4, 5, 6, 7);
    expect([await listed(), await listed(2)]).toEqual([[...first, ...ids(1, 2, 3)], first.slice(0, 2)]);
    await its.held.end(alarms[0], 'expired', now);
    await its.held.release(alarms[1], now, now);
    await its.held.replace(alarms[2], deliveryOf(8, { replayOf: deliveryId(6) }), now);
    await its.repetitions.endOriginal(key(7), now);
    expect(await listed()).toEqual(ids(1, 2, 3));
    for (const n of [4, 5, 6, 7]) expect(await table.get(alarmKey(n))).toBeNull();
  });

  test('a held alarm from an earlier version does not block other deliveries', async () => {
    const { its, hook, create, table } = await createHooks();
    const [held, released, fall] = [await create(1), await create(2), await create(3)];
    await its.held.hold(held, now);
    await table.write({ remove: alarmKey(1) });
    await its.held.hold(released, now);
    await its.held.release(released, now, now);
    await table.write({ put: alarmKey(2) });
    await its.held.hold(fall, now);
    expect(await its.held.ids(await hook(), 9)).toEqual([deliveryId(2), deliveryId(3), deliveryId(1)]);
    expect(await its.held.release(released, now, now)).toBe(false);
    expect(await its.held.ids(await hook(), 9)).toEqual([deliveryId(3), deliveryId(1)]);
    expect(await its.held.release(held, now, now)).toBe(true);
    expect((await hook()).held).toBe(1);
  });

  test('a held delivery ends only once and is no longer counted', async () => {
    const { its, read, hook, delivery, table } = await hold({ replay: 'r' });
    expect([await its.held.end(delivery, 'expired', now + 3), await its.held.end(delivery, 'expired', now)]).toEqual([
      true,
      false,
    ]);
    expect(await read()).toMatchObject({ state: 'failed', reason: 'expired', updateDate: now + 3 });
    expect([(await hook()).held, await its.held.ids(await hook(), 9)]).toEqual([0, []]);
    expect(await table.get(items.replay({ customerId: HOME, webhookId: HOOK, replayId: 'r' }))).toMatchObject({
      failed: 1,
    });
    for (const name of ['listPk', 'listSk', 'duePk', 'heldUntil'])
      expect(await table.get(itemKey())).not.toHaveProperty(name);
  });

  test('a held delivery is replaced by its redelivery in one step or not at all', async () => {
    const { its, read, delivery } = await hold();
    expect(await its.held.replace(delivery, deliveryOf(2, { replayOf: deliveryId(1) }), now)).toBe(true);
    expect([await read(1), await read(2)]).toMatchObject([
      { state: 'failed', reason: 'replayed' },
      { state: 'pending' },
    ]);
    expect(await its.held.replace(delivery, deliveryOf(3), now)).toBe(false);
    expect(await read(3)).toBeNull();
    expect(await its.repetitions.endOriginal(key(), now + 5)).toMatchObject({ state: 'failed', reason: 'replayed' });
    expect(await read(1)).toMatchObject({ state: 'delivered', reason: 'redelivered' });
  });

  test('a held delivery is no longer counted once a redelivery is accepted', async () => {
    const { its, read, hook } = await hold();
    expect(await its.repetitions.endOriginal(key(), now + 5)).toMatchObject({ state: 'held' });
    expect([await read(), (await hook()).held]).toMatchObject([
      { state: 'delivered', reason: 'redelivered', updateDate: now + 5 },
      0,
    ]);
    expect([await its.repetitions.endOriginal(key(), now), await its.repetitions.endOriginal(key(9), now)]).toEqual([
      null,
      null,
    ]);
  });

  test('releases are a tenth of a second apart, and at most a minute ahead', async () => {
    const { its, hook } = await createHooks();
    const reserve = async (fields: object, at = now) => its.held.reserveReleases({ ...(await hook()), ...fields }, at);
    expect(await reserve({})).toBeNull();
    const unreserved = await hook();
    expect(await reserve({ held: 3 })).toEqual({ from: now, count: 3 });
    expect(await its.held.reserveReleases({ ...unreserved, held: 3 }, now)).toBeNull();
    expect(await hook()).toMatchObject({ releasedUntil: now + 300 });
    expect(await reserve({ held: 9_999 })).toEqual({ from: now + 300, count: 597 });
    expect(await reserve({ held: 9 })).toBeNull();
    expect(await reserve({ held: 9 }, now + 100)).toEqual({ from: now + 60_000, count: 1 });
    expect(await reserve({ held: 1 }, now + 200_000)).toEqual({ from: now + 200_000, count: 1 });
    // Times further ahead were reserved before the clock was set back, so they do not count.
    expect(await reserve({ held: 1 }, now)).toEqual({ from: now, count: 1 });
    expect(await its.held.reserveReleases({ ...unreserved, id: 'x', held: 1 }, now)).toBeNull();
  });

  test('the held count is corrected only after the list has caught up', async () => {
    const { its, hook } = await hold();
    const seen = await hook();
    await its.held.correctCount(seen, now + 60_000);
    await its.held.correctCount({ ...seen, held: 2 }, now + 99_000);
    expect((await hook()).held).toBe(1);
    await its.held.correctCount(seen, now + 60_002);
    expect((await hook()).held).toBe(0);
  });

  test('a webhook stays in the due index as long as it has held deliveries', async () => {
    const { its, hook, delivery } = await hold();
    const dueOf = async () => ((await hook()) as { dueAt?: string }).dueAt;
    await its.held.correctDue(await hook(), now);
    expect(Number(await dueOf())).toBe(now + 1);
    await its.held.correctDue(await hook(), now - 700_000);
    expect(Number(await dueOf())).toBe(now - 700_000);
    await its.held.removeFromDue(await hook());
    expect(await dueOf()).toBeDefined();
    await its.held.release(delivery, now, now);
    await its.held.removeFromDue(await hook());
    expect(await dueOf()).toBeUndefined();
  });
});
