import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Runtime } from '#shared/runtime/deps.ts';
import type { Table } from '#shared/store/engine/client.ts';
import { changes } from '#shared/store/engine/request.ts';
import { items } from '#shared/store/table.ts';
import { fallMessage } from '#test/fixtures/home.ts';
import {
  again,
  crashingAt,
  presence,
  processRecords,
  type QueueRecord,
  startCloudWithoutQueues,
  uuidOf,
} from '#test/fixtures/process-by-hand.ts';

let cloud: Awaited<ReturnType<typeof startCloudWithoutQueues>>;
let base: Runtime;
beforeAll(async () => {
  cloud = await startCloudWithoutQueues();
  base = cloud.base;
});
afterAll(() => cloud.stop());
const prepare = (...args: Parameters<typeof cloud.prepare>) => cloud.prepare(...args);

/** Returns the runtime with a clock that is ahead by `seconds`. */
const inSeconds = (seconds: number): Runtime => ({ ...base, now: () => base.now() + seconds * 1_000 });

/** Processes messages. Returns how often the state was written. */
const stateWritesOf = async (...records: QueueRecord[]): Promise<number> => {
  let states = 0;
  const write: Table['write'] = async (...writes) => {
    if (writes.some((write) => 'put' in write && write.put.sk === 'STATE')) states += 1;
    return base.table.write(...writes);
  };
  expect(await processRecords({ ...base, table: { ...base.table, write } }, ...records)).toEqual([]);
  return states;
};

describe('sensor messages', () => {
  const four = [true, false, true, false].map((present, at) => presence(present, at));
  const actions = ['occupied_room', 'active', 'empty_room', 'occupied_room', 'empty_room'];

  test('a batch of messages requires only one state write', async () => {
    const { said, hits, events } = await prepare('alder');
    expect(await stateWritesOf(...four.map((message) => said(message)))).toBe(1);
    expect([await hits(), await events()]).toEqual([2, actions]);
  });

  test('a batch of messages requires several state writes if the customer has many rules', async () => {
    const { said, hits, events, place } = await prepare('elm');
    await base.table.update(items.customer(place), changes({ set: { rules: 100 } }));
    expect(await stateWritesOf(...four.map((message) => said(message)))).toBe(3);
    expect([await hits(), await events()]).toEqual([2, actions]);
  });

  test('redelivered messages change nothing', async () => {
    const { said, events, state } = await prepare('ash');
    const records = [said(presence(true, 0)), said(presence(true, 1)), said(presence(false, 2))];
    await processRecords(base, ...records);
    const before = await state();
    expect(await processRecords(base, ...records.map(again))).toEqual([]);
    expect(await events()).toEqual(['occupied_room', 'active', 'empty_room']);
    expect((await state())?.version).toBe(before?.version);
  });

  test('messages are quarantined individually if the table has no such sensor', async () => {
    const { said, place, events } = await prepare('yew');
    const quarantined: string[] = [];
    const queues = {
      ...base.queues,
      send: async (queue: string, messages: readonly { body: string }[]) =>
        void quarantined.push(...messages.map(({ body }) => `${queue}: ${JSON.parse(body).reason}`)),
    };
    const elsewhere = (record: QueueRecord) => ({
      ...record,
      body: record.body.replace(place.sensorId, 'id_elsewhere'),
    });
    const first = said(presence(true, 0));
    const second = said(presence(false, 1));
    const last = said(presence(true, 2));
    const firstElsewhere = elsewhere(first);
    const secondElsewhere = elsewhere(second);
    expect(await processRecords({ ...base, queues }, firstElsewhere, secondElsewhere)).toEqual([
      secondElsewhere.messageId,
    ]);
    expect(await processRecords({ ...base, queues }, again(secondElsewhere), last)).toEqual([last.messageId]);
    expect(quarantined).toEqual(Array(2).fill('quarantine: the table has no such sensor'));
    expect(await processRecords(base, last)).toEqual([]);
    expect(await events()).toEqual(['occupied_room', 'active']);
  });

  test('messages count as new after the queue is recreated with lower message numbers', async () => {
    const { said, events } = await prepare('acacia');
    await processRecords(base, said(presence(true, 0)));
    const next = said(presence(false, 1));
    const task = JSON.parse(next.body) as { receiveDate: number };
    const renumbered = {
      ...next,
      body: JSON.stringify({ ...task, receiveDate: task.receiveDate + 60_000 }),
      attributes: { ...next.attributes, SequenceNumber: '1'.padStart(20, '0') },
    };
    expect(await processRecords(inSeconds(60), renumbered)).toEqual([]);
    expect(await events()).toEqual(['occupied_room', 'active', 'empty_room']);
  });

  test('a repeated UUID in a later request does not create a second event', async () => {
    const { said, events } = await prepare('aspen');
    const first = presence(true, 0);
    const second = presence(false, 1);
    await processRecords(base, said(first), said(second));
    await new Promise((resolve) => setTimeout(resolve, 2));
    await processRecords(base, said(first));
    expect(await events()).toEqual(['occupied_room', 'active', 'empty_room']);
  });

  test('a failing message returns to the queue together with all later ones', async () => {
    const { said, hits } = await prepare('beech');
    const many = (from: number) => Array.from({ length: 30 }, (_, at) => presence((from + at) % 2 === 0, from + at));
    const first = said(...many(0));
    const second = said(...many(30));
    // The first message leads to two decisions. The second one is never applied.
    expect(await processRecords(crashingAt(base, 'HIT#', 13), first, second)).toEqual([
      first.messageId,
      second.messageId,
    ]);
    expect(await processRecords(base, again(first), again(second))).toEqual([]);
    expect(await hits()).toBe(30);
  });

  test('messages wait until the previous decision has been applied', async () => {
    const { said, hits } = await prepare('rowan');
    const first = said(presence(true, 0));
    const second = said(presence(false, 1));
    expect(await processRecords(crashingAt(base, 'HIT#'), first)).toEqual([first.messageId]);
    expect(await hits()).toBe(0);
    await processRecords(base, second);
    expect(await hits()).toBe(1);
    await processRecords(base, again(first));
    expect(await hits()).toBe(1);
  });

  test('messages without changes update lastSeen only after a quarter of the inactivity limit', async () => {
    const { said, state } = await prepare('birch');
    // From the second message on, the sensor counts as reporting regularly.
    for (const at of [0, 1]) await processRecords(base, said(presence(true, at)));
    const { version, lastSeen } = (await state()) ?? {};
    const processLater = (seconds: number) => {
      const record = said(presence(true, seconds));
      const task = JSON.parse(record.body) as { receiveDate: number };
      const body = JSON.stringify({ ...task, receiveDate: task.receiveDate + seconds * 1_000 });
      return processRecords(inSeconds(seconds), { ...record, body });
    };
    for (const seconds of [10, 30, 74]) await processLater(seconds);
    expect(await state()).toMatchObject({ version, lastSeen });
    await processLater(77);
    expect((await state())?.lastSeen).toBeGreaterThan(Number(lastSeen) + 75_000);
  });
});

describe('time-based checks', () => {
  test('a fall reaches each state only once, however often the sensor is checked', async () => {
    const { said, check, hits } = await prepare('willow', 'fall_detected');
    await processRecords(base, said({ ...fallMessage('fall_detected', Date.now()), uuid: uuidOf(1) }));
    const at = (seconds: number): Runtime => ({ ...base, now: () => Date.now() + seconds * 1_000 });
    await processRecords(at(1), check());
    expect(await hits()).toBe(0);
    await Promise.all([60, 60, 61].map((seconds) => processRecords(at(seconds), check())));
    await processRecords(at(61), check());
    expect(await hits()).toBe(0);
    await Promise.all([100, 100, 101, 100].map((seconds) => processRecords(at(seconds), check())));
    await processRecords(at(101), check());
    expect(await hits()).toBe(1);
    for (const seconds of [99, 200, 5_000]) await processRecords(at(seconds), check());
    expect(await hits()).toBe(1);
  });

  test('the next check or message completes a decision that a crash interrupted', async () => {
    for (const name of ['hazel', 'linden']) {
      const { said, check, hits, state } = await prepare(name, 'fall_detected');
      const start = (at: number) => said({ ...fallMessage('fall_detected', Date.now() + at), uuid: uuidOf(at) });
      await processRecords(base, start(1));
      const late = { ...base, now: () => Date.now() + 100_000 };
      expect(await processRecords(crashingAt(late, 'HIT#'), check())).toHaveLength(1);
      expect(await hits()).toBe(0);
      expect((await state())?.decision).not.toBeNull();
      await processRecords(late, name === 'hazel' ? check() : start(2));
      expect(await hits()).toBe(1);
      expect(Number((await state())?.dueAt)).toBeGreaterThan(0);
    }
  });
});
