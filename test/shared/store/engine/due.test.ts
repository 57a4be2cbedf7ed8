import { describe, expect, test } from 'vitest';
import { dueAt, dueDelivery, GRACE_MS } from '#shared/store/engine/due.ts';
import { DUE_SHARDS, items } from '#shared/store/table.ts';
import { memoryStore } from '#test/fixtures/memory-store.ts';
import { now } from '#test/fixtures/store-items.ts';

const MINUTE = 60_000;
const HOME = 7;

const createWorld = () => {
  const { its, table } = memoryStore();
  const put = (key: { pk: string; sk: string }, id: string, time: number) =>
    table.write({ put: { ...key, ...dueAt(id, time) } });
  const dueUntil = async (until: number) => {
    const found = [];
    for await (const page of its.due.pages(until)) found.push(...page);
    return found;
  };
  return { its, table, due: its.due, put, dueUntil };
};

test('a due notice carries a time that limits retries', async () => {
  const { its, dueUntil } = createWorld();
  const uuid = '00000000-0000-4000-8000-000000000001';
  await its.events.storeNotice({ customerId: HOME, sensorId: 'id_a' }, uuid, {
    notice: 'registered',
    receiveDate: now,
  });
  const task = { type: 'process_notice', customerId: HOME, sensorId: 'id_a', uuid, receiveDate: now };
  expect(await dueUntil(now + GRACE_MS + 1)).toEqual([{ task, time: now + GRACE_MS }]);
  expect(await dueUntil(now + GRACE_MS - 1)).toEqual([]);
});

describe('due index', () => {
  test.each([
    [
      items.sensorState({ customerId: HOME, sensorId: 'id_a' }),
      { type: 'check_sensor', customerId: HOME, sensorId: 'id_a' },
    ],
    [items.webhook({ customerId: HOME, webhookId: 'w' }), { type: 'release_held', customerId: HOME, webhookId: 'w' }],
    [
      items.replay({ customerId: HOME, webhookId: 'w', replayId: 'r' }),
      { type: 'step_replay', customerId: HOME, webhookId: 'w', replayId: 'r' },
    ],
    [
      items.dataJob({ customerId: HOME, kind: 'import', jobId: 'j' }),
      { type: 'run_job', customerId: HOME, kind: 'import', jobId: 'j' },
    ],
    [items.ruleHit({ customerId: HOME, hitId: 12 }), { type: 'escalate', customerId: HOME, hitId: 12 }],
    [items.unnotified({ customerId: HOME, alarmId: 'a' }), { type: 'alert_managers', customerId: HOME }],
    [
      items.delivery({ customerId: HOME, webhookId: 'w', deliveryId: 'd' }),
      { type: 'deliver', isRetry: false, notBefore: 0, customerId: HOME, webhookId: 'w', deliveryId: 'd' },
    ],
    [
      items.personDelivery({ customerId: HOME, deliveryId: 'd' }),
      { type: 'deliver', isRetry: false, notBefore: 0, customerId: HOME, webhookId: null, deliveryId: 'd' },
    ],
  ])('a due item becomes the task for its kind (%#)', async (key, task) => {
    const { put, dueUntil } = createWorld();
    await put(key, 'id', now);
    expect(await dueUntil(now)).toEqual([{ task, time: now }]);
    expect(await dueUntil(now - 1)).toEqual([]);
  });

  test('a due item of unknown kind is skipped', async () => {
    const { put, dueUntil } = createWorld();
    await put(items.bot({ customerId: HOME, botId: 1 }), 'id', now);
    expect(await dueUntil(now)).toEqual([]);
  });

  test('a due item gets a shard from its id and a sortable time', () => {
    const shards = new Set(Array.from({ length: 2_000 }, (_, n) => dueAt(`id ${n}`, now).duePk));
    expect(shards.size).toBe(DUE_SHARDS);
    expect(dueAt('id', now)).toEqual(dueAt('id', now));
    expect([dueAt('id', 1.2).dueAt, dueAt('id', -5).dueAt]).toEqual(['2'.padStart(16, '0'), '0'.repeat(16)]);
  });

  test('a due delivery keeps the id of the request that caused it, for logs', () => {
    expect(dueDelivery({ id: 'd', requestId: 'r' }, now)).toEqual({ ...dueAt('d', now), requestId: 'r' });
    expect(dueDelivery({ id: 'd' }, now)).toEqual(dueAt('d', now));
  });
});

describe('sweeps', () => {
  test('a sweep records the time since which the service has been running without a gap', async () => {
    const { due } = createWorld();
    const record = async (at: number) => (await due.recordHeartbeat(at, MINUTE)).since;
    expect([await due.lastHeartbeat(), await due.upSince(now, MINUTE)]).toEqual([null, now]);
    expect([await record(now), await record(now + MINUTE)]).toEqual([now, now]);
    expect(await due.lastHeartbeat()).toBe(now + MINUTE);
    expect([await due.upSince(now + 2 * MINUTE, MINUTE), await due.upSince(now + 2 * MINUTE + 1, MINUTE)]).toEqual([
      now,
      now + 2 * MINUTE + 1,
    ]);
    expect(await record(now + 2 * MINUTE + 1)).toBe(now + 2 * MINUTE + 1);
    // A recorded start in the future dates from before the clock was set back, so it is replaced.
    expect(await record(now)).toBe(now);
  });

  test('a sweep redrives dead letters every 15 minutes', async () => {
    const { due } = createWorld();
    const isToRedrive = async (at: number) => (await due.recordHeartbeat(at, MINUTE)).isToRedrive;
    expect([await isToRedrive(now), await isToRedrive(now + 1), await isToRedrive(now + 15 * MINUTE - 1)]).toEqual([
      true,
      false,
      false,
    ]);
    expect([await isToRedrive(now + 15 * MINUTE), await isToRedrive(now + 15 * MINUTE + 1)]).toEqual([true, false]);
    // A time further ahead was recorded before the clock was set back.
    expect(await isToRedrive(now)).toBe(true);
  });

  test('a sweep keeps reporting that the clock was set back until this has been handled', async () => {
    const { due } = createWorld();
    const setBack = async (at: number) => (await due.recordHeartbeat(at, MINUTE)).setBack;
    expect([await setBack(now), await setBack(now - 10_000)]).toEqual([0, 0]);
    expect([await setBack(now - 100_000), await setBack(now - 99_000)]).toEqual([90_000, 90_000]);
    await due.endSetBack();
    expect(await setBack(now - 98_000)).toBe(0);
  });

  test('a sweep detects data written by a newer version of the code', async () => {
    const { due, table } = createWorld();
    expect((await due.recordHeartbeat(now, MINUTE)).isOutdated).toBe(false);
    const heartbeat = await table.get(items.heartbeat({}));
    await table.write({ put: { ...heartbeat, ...items.heartbeat({}), dataVersion: 99 } });
    expect((await due.recordHeartbeat(now, MINUTE)).isOutdated).toBe(true);
    expect(await table.get(items.heartbeat({}))).toMatchObject({ dataVersion: 99 });
  });

  test('a sweep starts with a different shard each time, and continues where the last one stopped', async () => {
    const { due } = createWorld();
    const first = await due.recordHeartbeat(now, MINUTE);
    expect(first.cursors.map(({ shard }) => shard)).toEqual(Array.from({ length: DUE_SHARDS }, (_, shard) => shard));
    const after = { pk: 'p', sk: 's' };
    await due.saveCursors([{ shard: 4, after }, { shard: 5 }]);
    const { cursors } = await due.recordHeartbeat(now, MINUTE);
    expect(cursors.slice(0, 2)).toEqual([{ shard: 1 }, { shard: 2 }]);
    expect(cursors.at(-1)).toEqual({ shard: 0 });
    expect(cursors.filter((cursor) => cursor.after)).toEqual([{ shard: 4, after }]);
  });

  test('a sweep reads pages from all shards in turn, and can continue after any of them', async () => {
    const { due, put } = createWorld();
    // 501 items in one shard, and one in another.
    const full = dueAt('id', now).duePk;
    const ids = Array.from({ length: 40_000 }, (_, n) => `id ${n}`);
    const ofShard = ids.filter((id) => dueAt(id, now).duePk === full).slice(0, 501);
    const other = ids.find((id) => dueAt(id, now).duePk !== full) ?? '';
    for (const id of [...ofShard, other]) await put(items.webhook({ customerId: HOME, webhookId: id }), id, now);
    const { cursors } = await due.recordHeartbeat(now, MINUTE);
    const sizes: number[] = [];
    for await (const page of due.pages(now, cursors)) {
      sizes.push(page.length);
      if (sizes.length === DUE_SHARDS) break;
    }
    expect(sizes.filter((size) => size > 0).sort((a, b) => a - b)).toEqual([1, 500]);
    expect(cursors).toHaveLength(1);
    const rest: number[] = [];
    for await (const page of due.pages(now, [...cursors])) rest.push(page.length);
    expect(rest).toEqual([1]);
    // After the clock was set back, the shard is read from the start.
    const early: number[] = [];
    for await (const page of due.pages(now - 1, [...cursors])) early.push(page.length);
    expect(early).toEqual([0]);
  });

  test('a sweep skips a failing shard and reports it', async () => {
    let queries = 0;
    const { its, table } = memoryStore((command) => {
      if (command === 'QueryCommand' && ++queries === 2) throw new Error('a bug');
    });
    await table.write({ put: { ...items.webhook({ customerId: HOME, webhookId: 'w' }), ...dueAt('id', now) } });
    const shard = Number(dueAt('id', now).duePk.slice(4));
    const failures: unknown[] = [];
    const cursors = [{ shard: (shard + 1) % DUE_SHARDS }, { shard: (shard + 2) % DUE_SHARDS }, { shard }];
    const found = [];
    for await (const page of its.due.pages(now, cursors, (error) => void failures.push(error))) found.push(...page);
    expect([found.length, failures]).toEqual([1, [new Error('a bug')]]);
    queries = 1;
    const failing = async () => {
      for await (const page of its.due.pages(now)) found.push(...page);
    };
    await expect(failing()).rejects.toThrow('a bug');
  });
});
