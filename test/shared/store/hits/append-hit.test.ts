import { expect, test } from 'vitest';
import { EVENT_RETENTION } from '#shared/domain/event/event.ts';
import { hitsPk, idBeforeFirst, type NewHit } from '#shared/store/hits/hit-item.ts';
import { store } from '#shared/store/store.ts';
import { HOME, hitWorld, SENSOR } from '#test/fixtures/answered-hits.ts';
import { now, some } from '#test/fixtures/store-items.ts';

const before = idBeforeFirst(HOME);
const nowhere = { id: before, createDate: 0 };
const newHit = (event: string, fields: object = {}): NewHit =>
  some({
    ruleId: 1,
    sensorId: SENSOR,
    sensorEventId: event,
    situation: 'fall_detected',
    messages: [{ id: 5, sendTryTimes: [] }],
    hitNumber: { series: now, number: 1 },
    ...fields,
  });
const start = (before?: (command: string) => unknown) => {
  const world = hitWorld(before);
  const append = (hit: NewHit, after = nowhere, at = now, its = world.its) => its.ruleHits.append(HOME, after, hit, at);
  return { ...world, append };
};

test('hits of a customer are numbered without gaps across processes', async () => {
  const { append, its, table, read } = start();
  expect(await its.ruleHits.lastPlace(HOME)).toEqual(nowhere);
  expect(await append(newHit('e1'))).toEqual({ id: before + 1, createDate: now, isNew: true });
  const other = store(table);
  expect(await append(newHit('e2'), nowhere, now + 1, other)).toEqual({
    id: before + 2,
    createDate: now + 1,
    isNew: true,
  });
  expect((await append(newHit('e3'), nowhere, now + 2)).id).toBe(before + 3);
  expect(await its.ruleHits.lastPlace(HOME)).toEqual({ id: before + 3, createDate: now + 2 });
  expect(await read(before + 1)).toMatchObject({
    updateDate: now,
    messages: [{ id: 5, sendTryTimes: [], createDate: now, updateDate: now, ruleHitId: before + 1 }],
    ttl: (now + EVENT_RETENTION) / 1_000,
  });
  expect(await table.queryAll({ pk: hitsPk(HOME + 1) })).toEqual([]);
  const ofSensor = await its.hitLists.pageOfSensor(HOME, SENSOR, 0, { page: 0, perPage: 5, sortBy: 'asc(id)' });
  expect(ofSensor.hits.map(({ id }) => id)).toContain(before + 1);
});

test('an event creates one hit per rule and sensor, even if handled repeatedly', async () => {
  const { append, table } = start();
  await append(newHit('e1'));
  await append(newHit('e2'));
  const first = { id: before + 1, createDate: now, isNew: false };
  expect(await append(newHit('e1'), nowhere, now + 9)).toEqual(first);
  expect(await append(newHit('e1'), nowhere, now + 9, store(table))).toEqual(first);
  const others = [newHit('e1', { ruleId: 2 }), newHit('e1', { sensorId: 'id_b' }), newHit('e3')];
  for (const other of others) expect(await append(other)).toMatchObject({ isNew: true });
});

test('a hit keeps its own date but follows the previous hit after a clock change', async () => {
  const { append, read, lateChanges } = start();
  await append(newHit('e1'));
  const back = now - 3_600_000;
  const place = { id: before + 2, createDate: back, orderDate: now };
  expect(await append(newHit('e2'), nowhere, back)).toEqual({ ...place, isNew: true });
  expect(await read(before + 2)).toMatchObject({ ...place, isLate: true, ttl: (now + EVENT_RETENTION) / 1_000 });
  expect(await lateChanges()).toEqual([back]);
  expect(await append(newHit('e2'), nowhere, now)).toEqual({ ...place, isNew: false });
  expect(await append(newHit('e3'), nowhere, now)).toEqual({ id: before + 3, createDate: now, isNew: true });
});

test('a hit is due for a first round only if it escalates', async () => {
  const { append, raw, due } = start();
  const cause = { kind: 'c' };
  const escalation = { round: 0, after: 0, repeats: 0, at: now + 60_000 };
  await append(
    newHit('e1', { cause, escalationAt: (createDate: number) => ({ ...escalation, at: createDate + 60_000 }) }),
  );
  await append(newHit('e2', { cause, escalationAt: () => null }));
  await append(newHit('e3', { cause }));
  expect([await raw(before + 1), await due(before + 1)]).toMatchObject([{ escalation, cause }, now + 60_000]);
  for (const id of [before + 2, before + 3]) {
    expect(await due(id)).toBeNull();
    for (const name of ['escalation', 'cause']) expect(await raw(id)).not.toHaveProperty(name);
  }
});

test('an erased hit keeps its number and can no longer be read', async () => {
  const { append, put, read } = start();
  await append(newHit('e1'));
  await put(before + 1, { isErased: true });
  expect(await read(before + 1)).toBeNull();
  expect(await append(newHit('e2'))).toMatchObject({ id: before + 2 });
});

test('a process that knows the newest hits appends each additional hit with one write', async () => {
  const commands: string[] = [];
  const { append, its, table } = start((command) => commands.push(command));
  const placesOf = async (...events: string[]) => {
    commands.length = 0;
    const places: number[] = [];
    for (const event of events) places.push((await append(newHit(event))).id - before);
    return [places, commands.filter((command) => command === 'QueryCommand').length];
  };
  expect(await placesOf('e1', 'e2', 'e3', 'e4')).toEqual([[1, 2, 3, 4], 0]);
  const other = store(table);
  for (const event of ['e5', 'e6']) await append(newHit(event), nowhere, now, other);
  expect(await placesOf('e7')).toEqual([[7], 1]);
  expect(await placesOf('e8', 'e6', 'e1', 'e9')).toEqual([[8, 6, 1, 9], 0]);
  expect(await its.ruleHits.lastPlace(HOME)).toEqual({ id: before + 9, createDate: now });
});
