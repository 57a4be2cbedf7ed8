import { describe, expect, test } from 'vitest';
import { EVENT_RETENTION } from '#shared/domain/event/event.ts';
import { MAX_LISTED_BYTES } from '#shared/domain/event/raw.ts';
import { firstIdAt } from '#shared/domain/ids.ts';
import { GRACE_MS } from '#shared/store/engine/due.ts';
import { items, lists } from '#shared/store/table.ts';
import { memoryStore } from '#test/fixtures/memory-store.ts';
import { now, some, uuid } from '#test/fixtures/store-items.ts';

const HOME = 3;
const SENSOR = 'id_a';
const key = { customerId: HOME, sensorId: SENSOR };
const DAY_MS = 86_400_000;
const eventAt = (number: number, at: number, fields: object = {}) =>
  some({
    id: firstIdAt(at) + number,
    uuid: uuid(number),
    source: null,
    createDate: at,
    receiveDate: at,
    type: 'fall',
    action: 'fall_detected',
    code: 1,
    coordinates: null,
    ...fields,
  });
const message = (number: number, fields: object = {}) => ({
  ...key,
  id: firstIdAt(now) + number,
  uuid: uuid(number),
  receiveDate: now,
  raw: '{"a":1}',
  at: 0,
  ...fields,
});
const start = () => {
  const { its, table } = memoryStore();
  const { events } = its;
  return { its, table, events, get: (number: number) => events.get(HOME, SENSOR, uuid(number)) };
};

describe('messages', () => {
  test('a message is stored only once and kept one day longer than the events', async () => {
    const { events, table } = start();
    expect([await events.storeMessage(message(1)), await events.storeMessage(message(1))]).toEqual([
      'stored',
      'stored',
    ]);
    const { ttl = 0 } = (await table.get<{ ttl: number }>(items.message({ ...key, uuid: uuid(1) }))) ?? {};
    expect(ttl * 1_000).toBe(now + EVENT_RETENTION + DAY_MS);
    expect(await events.bytes(HOME, SENSOR, uuid(1))).toBe('{"a":1}');
    expect([await events.exists(HOME, SENSOR, uuid(1)), await events.exists(HOME, SENSOR, uuid(2))]).toEqual([
      true,
      false,
    ]);
  });

  test.each([
    ['received again', { receiveDate: now + 1 }, 'duplicate'],
    ['sent twice in one call', { at: 1 }, 'duplicate'],
    ['sent with the UUID of another', { at: 1, raw: '{"a":2}' }, 'uuid_used'],
  ])('a message %s is ignored', async (_, fields, result) => {
    const { events } = start();
    await events.storeMessage(message(1));
    expect(await events.storeMessage(message(1, fields))).toBe(result);
    expect(await events.bytes(HOME, SENSOR, uuid(1))).toBe('{"a":1}');
  });
});

describe('events', () => {
  test('an event found by UUID includes the message bytes', async () => {
    const { events, get } = start();
    await events.storeMessage(message(1));
    await events.add(HOME, SENSOR, [
      eventAt(1, now, { source: uuid(1) }),
      eventAt(2, now, { source: uuid(1), fall: 'f', isLong: true }),
      eventAt(3, now),
      eventAt(4, now, { source: uuid(9) }),
    ]);
    expect(await get(1)).toMatchObject({ ...key, uuid: uuid(1), raw: '{"a":1}' });
    expect(await get(2)).toMatchObject({ uuid: uuid(2), raw: '{"a":1}' });
    for (const hidden of ['source', 'fall', 'isLong']) expect(await get(2)).not.toHaveProperty(hidden);
    expect([(await get(3))?.raw, (await get(4))?.raw, await get(5)]).toEqual(['{}', 'null', null]);
  });

  test('only an urgent event without a rule is listed as an alarm without a rule', async () => {
    const { events, table } = start();
    await events.add(HOME, SENSOR, [eventAt(1, now, { isUnruled: true, fall: 'f' }), eventAt(2, now)]);
    const rows = await table.queryAll<{ listSk: string }>({
      index: 'list',
      pk: lists.alarmsWithoutRule.pk({ customerId: HOME }),
    });
    expect(rows.map(({ listSk }) => listSk)).toEqual([
      lists.alarmsWithoutRule.sk({ receiveDate: now, action: 'fall_detected', fall: 'f' }),
    ]);
  });

  test('an event page contains the newest events, excluding long messages and expired events', async () => {
    const { events } = start();
    const long = JSON.stringify('x'.repeat(MAX_LISTED_BYTES));
    await events.storeMessage(message(1));
    await events.storeMessage(message(2, { raw: long }));
    await events.add(HOME, SENSOR, [
      eventAt(9, now - EVENT_RETENTION - 1),
      eventAt(8, now - EVENT_RETENTION),
      eventAt(1, now, { source: uuid(1) }),
      eventAt(2, now + 1, { source: uuid(2), isLong: true }),
      eventAt(3, now + 2),
    ]);
    const page = await events.list(HOME, SENSOR, now, { page: 0, perPage: 10 });
    expect(page.data.map((event) => [event.uuid, event.raw])).toEqual([
      [uuid(3), '{}'],
      [uuid(2), null],
      [uuid(1), '{"a":1}'],
      [uuid(8), '{}'],
    ]);
    const { data } = await events.list(HOME, SENSOR, now, { page: 0, perPage: 1, after: page.data[0]?.id });
    expect(data.map((event) => event.uuid)).toEqual([uuid(2)]);
  });

  test('a decision counts as applied once its last event is stored or would have expired', async () => {
    const { events } = start();
    const decided = [eventAt(1, now), eventAt(2, now), eventAt(3, now)];
    const isApplied = (at = now) => events.isApplied(HOME, SENSOR, some({ decided }), at);
    await events.add(HOME, SENSOR, decided.slice(0, 2));
    expect(await isApplied()).toBe(false);
    expect([await isApplied(now + EVENT_RETENTION - 1), await isApplied(now + EVENT_RETENTION)]).toEqual([false, true]);
    await events.add(HOME, SENSOR, decided);
    expect(await isApplied()).toBe(true);
    expect(await events.isApplied(HOME, SENSOR, some({ decided: [] }), now)).toBe(true);
  });

  test('the newest message about a fall is found among the last hundred events', async () => {
    const { events } = start();
    const find = () => events.newestMessageOfFall(HOME, SENSOR, 'f');
    expect(await find()).toBeNull();
    await events.add(HOME, SENSOR, [
      eventAt(1, now, { fall: 'f', source: uuid(1) }),
      eventAt(2, now + 1, { fall: 'f', source: uuid(2) }),
      eventAt(3, now + 2, { fall: 'f' }),
      eventAt(4, now + 3, { fall: 'g', source: uuid(4) }),
    ]);
    expect(await find()).toBe(uuid(2));
    await events.add(
      HOME,
      SENSOR,
      Array.from({ length: 96 }, (_, at) => eventAt(10 + at, now + 10 + at)),
    );
    expect(await find()).toBe(uuid(2));
    await events.add(HOME, SENSOR, [eventAt(500, now + 500), eventAt(501, now + 501)]);
    expect(await find()).toBeNull();
  });
});

test('a notice is due until it is processed, and expires with the events', async () => {
  const { events, table } = start();
  await events.storeNotice(key, uuid(1), { notice: 'registered', receiveDate: now, webhookId: 'w' });
  const stored = await events.notice(HOME, SENSOR, uuid(1));
  expect(stored).toMatchObject({ notice: 'registered', receiveDate: now, webhookId: 'w' });
  const { ttl = 0, dueAt } =
    (await table.get<{ ttl: number; dueAt: string }>(items.notice({ ...key, uuid: uuid(1) }))) ?? {};
  expect([ttl * 1_000, Number(dueAt)]).toEqual([now + EVENT_RETENTION, now + GRACE_MS]);
  await events.removeNotice(HOME, SENSOR, uuid(1));
  expect(await events.notice(HOME, SENSOR, uuid(1))).toBeNull();
});
