import { describe, expect, test } from 'vitest';
import { firstIdAt } from '#shared/domain/ids.ts';
import {
  againKey,
  anna,
  ben,
  fallKey,
  fallOf,
  HOME,
  hitWorld,
  otherKey,
  SENSOR,
} from '#test/fixtures/answered-hits.ts';
import { interference } from '#test/fixtures/memory-store.ts';
import { now, some, uuid } from '#test/fixtures/store-items.ts';

const MINUTE = 60_000;
const late = now + 30_000;
const fall = fallOf();
const again = fallOf(againKey);

describe('settling a fall', () => {
  test('settling a fall acknowledges and closes hits of that fall only', async () => {
    const { its, put, read } = hitWorld();
    await put(1, { fall: fallKey });
    await put(2, { fall: otherKey });
    await put(3, { fall: fallKey, sensorId: 'id_b' });
    await put(4);
    await its.falls.close(fall, { outcome: 'helped' }, anna(late));
    const changed = await its.fallAnswers.settle(fall, late + 1);
    expect(changed).toMatchObject([{ id: 1, acknowledgement: anna(late), closure: { outcome: 'helped' } }]);
    expect(await read(1)).toMatchObject({ acknowledgement: anna(late), closure: anna(late), updateDate: late + 1 });
    for (const other of [2, 3, 4]) expect(await read(other)).not.toHaveProperty('acknowledgement');
    expect(await its.fallAnswers.settle(fall, late + 2)).toEqual([]);
  });

  test('settling a fall with a withdrawn acknowledgement leaves all hits unacknowledged', async () => {
    const { its, put, read } = hitWorld();
    await put(1, { fall: fallKey });
    await its.falls.acknowledge(fall, anna(late));
    await its.fallAnswers.settle(fall, late);
    await its.falls.withdraw(fall, () => true, late + 1);
    expect(await its.fallAnswers.settle(fall, late + 1)).toMatchObject([{ id: 1 }]);
    expect(await read(1)).not.toHaveProperty('acknowledgement');
  });

  test('settling a fall finds hits behind many newer ones, even if clocks differ by 6 minutes', async () => {
    const { its, put } = hitWorld();
    for (let id = 1; id <= 4; id++) await put(id, { fall: fallKey, createDate: now - 6 * MINUTE });
    await Promise.all(Array.from({ length: 300 }, (_, at) => put(5 + at, { createDate: now + at })));
    await its.falls.acknowledge(fall, anna(late));
    const ids = (await its.fallAnswers.settle(fall, late)).map(({ id }) => id);
    expect(ids).toEqual([4, 3, 2, 1]);
  });

  test('settling a fall leaves the hit of a newer alarm open', async () => {
    const { its, put, read } = hitWorld();
    await put(1, { fall: fallKey });
    await put(2, { fall: againKey, createDate: now + MINUTE });
    await its.falls.acknowledge(fall, anna(late));
    await its.fallAnswers.recordAlarm(again);
    expect(await its.fallAnswers.settle(again, now + MINUTE)).toMatchObject([{ id: 1, acknowledgement: anna(late) }]);
    expect(await read(2)).not.toHaveProperty('acknowledgement');
  });

  test('settling a fall keeps the record of who acknowledged earlier alarms', async () => {
    const { its, put, read } = hitWorld();
    await put(1, { fall: fallKey, acknowledgement: anna(late) });
    await put(2, { fall: againKey, acknowledgement: anna(late) });
    // The hit was acknowledged later than the fall, so the fall's acknowledgement counts.
    await put(3, { fall: fallKey, acknowledgement: anna(now + 3 * MINUTE) });
    await its.falls.acknowledge(fall, anna(late));
    await its.fallAnswers.recordAlarm(again);
    await its.falls.acknowledge(again, ben(now + 2 * MINUTE));
    await its.fallAnswers.settle(again, now + 2 * MINUTE);
    expect([await read(1), await read(2), await read(3)]).toMatchObject([
      { acknowledgement: anna(late) },
      { acknowledgement: ben(now + 2 * MINUTE) },
      { acknowledgement: ben(now + 2 * MINUTE) },
    ]);
  });

  test('settling a fall also settles a hit changed concurrently', async () => {
    const { before, once } = interference();
    const { its, put, read } = hitWorld(before);
    await put(1, { fall: fallKey });
    await put(2, { fall: fallKey });
    await its.falls.acknowledge(fall, anna(late));
    once('TransactWriteCommand', () => put(1, { fall: fallKey, updateDate: now + 5 }));
    const changed = await its.fallAnswers.settle(fall, late);
    expect(changed.map(({ id }) => id).toSorted()).toEqual([1, 2]);
    expect([await read(1), await read(2)]).toMatchObject([{ acknowledgement: anna(late) }, {}]);
  });

  test('settling a fall applies a response that changes concurrently', async () => {
    const { before, once } = interference();
    const { its, put, read } = hitWorld(before);
    await put(1, { fall: fallKey });
    await its.falls.acknowledge(fall, anna(late));
    once('TransactWriteCommand', () => its.falls.withdraw(fall, () => true, late));
    await its.fallAnswers.settle(fall, late);
    expect(await read(1)).not.toHaveProperty('acknowledgement');
  });
});

describe('fall alarms that notified no one', () => {
  const alarm = (alarmId: string, fields: object = {}) =>
    some({
      alarmId,
      customerId: HOME,
      sensorId: SENSOR,
      situation: 'fall_detected',
      eventUuid: alarmId,
      fall: fallKey,
      hitId: null,
      ruleId: null,
      webhookIds: [],
      createDate: now,
      date: now + 9,
      ...fields,
    });
  const open = async ({ its }: ReturnType<typeof hitWorld>) =>
    (await its.unnotified.list(HOME)).map(({ alarmId }) => alarmId).toSorted();

  test('fall alarms that notified no one end once someone acknowledges the fall', async () => {
    const world = hitWorld();
    const { its, put } = world;
    await put(1, { fall: otherKey });
    await its.alarmRecords.record(alarm('of the fall'));
    await its.alarmRecords.record(alarm('of another fall', { fall: otherKey }));
    await its.alarmRecords.record(alarm('of another sensor', { sensorId: 'id_b' }));
    await its.alarmRecords.record(alarm('1', { hitId: 1, fall: fallKey }));
    await its.alarmRecords.record(alarm('about no fall', { fall: undefined }));
    await its.fallAnswers.settle(fall, late);
    expect(await open(world)).toContain('of the fall');
    await its.falls.acknowledge(fall, anna(late));
    await its.fallAnswers.settle(fall, late);
    expect(await open(world)).toEqual(['1', 'about no fall', 'of another fall', 'of another sensor']);
  });

  test('fall alarms that notified no one remain if raised after the acknowledgement', async () => {
    const world = hitWorld();
    const { its } = world;
    await its.falls.acknowledge(fall, anna(late));
    await its.fallAnswers.recordAlarm(again);
    expect(await its.alarmRecords.record(alarm('first'))).toEqual({ kind: 'ended' });
    await its.alarmRecords.record(alarm('again', { fall: againKey }));
    await its.fallAnswers.settle(again, late);
    expect(await open(world)).toEqual(['again']);
  });
});

describe('unacknowledged fall alarms', () => {
  const event = (number: number, at: number, fields: object = {}) =>
    some({
      id: firstIdAt(at),
      uuid: uuid(number),
      source: null,
      createDate: at,
      receiveDate: at,
      type: 'fall',
      action: 'fall_detected',
      fall: fallKey,
      ...fields,
    });

  test('unacknowledged alarms for a fall include hits until someone acknowledges the fall', async () => {
    const { its, put } = hitWorld();
    await its.events.add(HOME, SENSOR, [event(1, now), event(2, now + 1, { action: 'fall_suspected' })]);
    await put(1, { fall: fallKey, sensorEventId: uuid(1) });
    await put(2, { fall: fallKey, sensorEventId: uuid(2) });
    expect(await its.fallAnswers.unanswered(fall)).toEqual([
      { uuid: uuid(1), source: null, receiveDate: now, situation: 'fall_detected', hitIds: [1] },
    ]);
    await its.falls.acknowledge(fall, anna(late));
    expect(await its.fallAnswers.unanswered(fall)).toEqual([]);
    await its.fallAnswers.recordAlarm(again);
    await its.events.add(HOME, SENSOR, [event(3, now + MINUTE, { fall: againKey })]);
    expect(await its.fallAnswers.unanswered(again)).toMatchObject([{ uuid: uuid(3), hitIds: [] }]);
  });

  test('unacknowledged alarms for a fall are checked until 2 hours after the newest one', async () => {
    const { its } = hitWorld();
    const [first, last] = [now + 120 * MINUTE, now + 121 * MINUTE];
    await its.events.add(HOME, SENSOR, [
      event(1, now - 1),
      event(2, first - 1),
      event(3, first + 1),
      event(4, last - 1),
      event(5, last + 1),
      event(6, now, { fall: otherKey }),
    ]);
    const found = async () => (await its.fallAnswers.unanswered(fall)).map((alarm) => alarm.uuid);
    expect(await found()).toEqual([uuid(2)]);
    await its.fallAnswers.recordAlarm(again);
    expect(await found()).toEqual([uuid(2), uuid(3), uuid(4)]);
  });
});
