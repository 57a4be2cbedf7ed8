import { describe, expect, test } from 'vitest';
import { items } from '#shared/store/table.ts';
import { againKey, anna, ben, fallKey, fallOf, HOME, hitWorld, SENSOR } from '#test/fixtures/answered-hits.ts';
import { interference } from '#test/fixtures/memory-store.ts';
import { auditLine } from '#test/fixtures/store-audit.ts';
import { now, some } from '#test/fixtures/store-items.ts';

const late = now + 30_000;
const fall = fallOf();
const again = fallOf(againKey);
const start = async (fields: object = {}, before?: Parameters<typeof hitWorld>[0]) => {
  const world = hitWorld(before);
  await world.put(1, fields);
  const { acknowledgements } = world.its;
  const make = (by: ReturnType<typeof anna>, since = 0) => acknowledgements.make(world.hitKey(1), by, since);
  const withdraw = (time: number, isAllowed = () => true) =>
    acknowledgements.withdraw(world.hitKey(1), isAllowed, 0, time);
  return { ...world, make, withdraw };
};

describe('acknowledging a hit', () => {
  test('acknowledging a hit without a fall changes only this hit and creates one notice', async () => {
    const { its, make, read, notice } = await start();
    const made = await make(anna(late, { note: 'On my way' }));
    expect(made?.hit).toMatchObject({ acknowledgement: anna(late, { note: 'On my way' }), updateDate: late });
    expect(await read(1)).toMatchObject({ acknowledgement: anna(late, { note: 'On my way' }), updateDate: late });
    expect(await notice(made?.notice)).toMatchObject({
      notice: 'acknowledged',
      acknowledgement: { ruleHitId: 1, name: 'Anna' },
    });
    expect(await make(ben(late + 1))).toMatchObject({ hit: { acknowledgement: anna(late) }, notice: null });
    expect(await make(anna(late + 2, { note: 'Here' }))).toMatchObject({
      hit: { acknowledgement: anna(late, { note: 'Here' }) },
      notice: null,
    });
    expect(await its.fallAnswers.get(fall)).toEqual({});
  });

  test('acknowledging a hit acknowledges the fall and its later hits', async () => {
    const { its, make, put, notice } = await start({ fall: fallKey });
    const made = await make(anna(late));
    expect(await its.fallAnswers.get(fall)).toEqual({ acknowledgement: anna(late) });
    expect(await notice(made?.notice)).toMatchObject({ notice: 'acknowledged', fall: fallKey });
    expect(await notice((await make(anna(late, { note: 'Here' })))?.notice)).toMatchObject({ notice: 'fall_changed' });
    await put(2, { fall: fallKey });
    expect(await its.acknowledgements.make({ customerId: HOME, hitId: 2 }, ben(late + 1), 0)).toMatchObject({
      hit: { id: 2, acknowledgement: anna(late, { note: 'Here' }) },
      notice: null,
    });
  });

  test.each([
    ['on a track', fallKey],
    ['without a track', now.toString(36)],
  ])('acknowledging a hit from a closed fall %s keeps the closure', async (_, key) => {
    const { its, make, read } = await start({ fall: key });
    await its.falls.close(fallOf(key), { outcome: 'helped' }, anna(late));
    expect(await make(ben(late + 1))).toMatchObject({
      hit: { acknowledgement: anna(late), closure: { outcome: 'helped' } },
    });
    expect(await read(1)).toMatchObject({ acknowledgement: anna(late), closure: { outcome: 'helped' } });
    const changed = await make(anna(late + 2, { note: 'Here' }));
    expect(changed?.hit).toMatchObject({ closure: { outcome: 'helped' } });
    expect(await its.fallAnswers.get(fallOf(key))).toMatchObject({
      acknowledgement: { note: 'Here' },
      closure: { outcome: 'helped' },
    });
  });

  test('changing only the note does not acknowledge newer alarms', async () => {
    const { its, make } = await start({ fall: fallKey });
    await make(anna(late));
    await its.fallAnswers.recordAlarm(again);
    await make(anna(late + 1, { note: 'Here' }));
    expect(await its.fallAnswers.get(fall)).toMatchObject({ acknowledgement: { note: 'Here' } });
    expect(await its.fallAnswers.get(again)).toEqual({});
  });

  test('acknowledging a hit also acknowledges a newer alarm for the same fall', async () => {
    const { its, make, put, hitKey } = await start({ fall: fallKey });
    await make(anna(late));
    await its.fallAnswers.recordAlarm(again);
    await put(2, { fall: againKey, createDate: now + 60_000 });
    const made = await its.acknowledgements.make(hitKey(2), ben(now + 70_000), 0);
    expect(made).toMatchObject({ hit: { acknowledgement: ben(now + 70_000) }, notice: { receiveDate: now + 70_000 } });
    expect(await its.fallAnswers.get(again)).toEqual({ acknowledgement: ben(now + 70_000) });
  });

  test('acknowledging a hit keeps a concurrent acknowledgement of the fall', async () => {
    const { before, once } = interference();
    const { its, make, read } = await start({ fall: fallKey }, before);
    once('TransactWriteCommand', () => its.falls.acknowledge(fall, ben(late)));
    expect(await make(anna(late))).toMatchObject({ hit: { acknowledgement: ben(late) }, notice: null });
    expect(await read(1)).toMatchObject({ acknowledgement: ben(late) });
  });

  test.each([
    ['changes', { updateDate: now + 1 }],
    ['is recorded as reaching no one', { isUnnotified: true }],
    ['changes late', { isLate: true }],
  ])('acknowledging a hit succeeds even if it %s concurrently', async (_, fields) => {
    const { before, once } = interference();
    const { make, put, read, lateChanges } = await start({}, before);
    once('TransactWriteCommand', () => put(1, fields));
    await make(anna(now + 5));
    expect(await read(1)).toMatchObject({ acknowledgement: anna(now + 5) });
    expect(await lateChanges()).toEqual('isLate' in fields ? [now + 5] : []);
  });

  test('acknowledging a hit ends its alarms that notified no one or went unanswered', async () => {
    const { its, make, raw } = await start({ messages: [], escalation: { at: now } });
    const alarm = { customerId: HOME, sensorId: SENSOR, situation: 'fall_detected', eventUuid: 'e', webhookIds: [] };
    const ofHit = { ...alarm, hitId: 1, ruleId: 1, createDate: now, date: now };
    await its.alarmRecords.record(some({ ...ofHit, alarmId: '1' }));
    const hit = some({ ...(await raw(1)), id: 1 });
    await its.alarmRecords.recordUnanswered(some({ ...ofHit, alarmId: 'unanswered-1', isUnanswered: true }), hit, []);
    await its.alarmRecords.record(some({ ...ofHit, alarmId: 'other', hitId: null }));
    expect(await its.unnotified.list(HOME)).toHaveLength(3);
    await make(anna(late));
    expect((await its.unnotified.list(HOME)).map(({ alarmId }) => alarmId)).toEqual(['other']);
    expect(await raw(1)).not.toHaveProperty('isUnnotified');
  });

  test('acknowledging a hit outside the API adds an audit line', async () => {
    const { its, table, hitKey } = await start();
    await its.acknowledgements.make(hitKey(1), anna(late), 0, { ...auditLine, changes: [] });
    const line = items.auditLine({ customerId: HOME, lineId: auditLine.id });
    expect(await table.get(line)).toMatchObject({ operation: auditLine.operation });
  });

  test('acknowledging a hit fails if the hit is too old or was erased', async () => {
    const { make, put, its } = await start();
    expect(await make(anna(late), now + 1)).toBeNull();
    expect(await make(anna(late), now)).toMatchObject({ hit: { acknowledgement: anna(late) } });
    await put(2, { isErased: true });
    expect(await its.acknowledgements.make({ customerId: HOME, hitId: 2 }, anna(late), 0)).toBeNull();
  });
});

describe("withdrawing a hit's acknowledgement", () => {
  test("withdrawing a hit's acknowledgement lets the escalation continue", async () => {
    const escalation = { round: 0, after: 0, repeats: 0, at: now + 60_000 };
    const { make, withdraw, raw, due } = await start({ escalation });
    await make(anna(late));
    expect(await due(1)).toBeNull();
    expect(await withdraw(late + 1)).toMatchObject({ hit: { id: 1, updateDate: late + 1 }, notice: null });
    expect(await raw(1)).not.toHaveProperty('acknowledgement');
    expect([await raw(1), await due(1)]).toMatchObject([{ escalation }, now + 60_000]);
  });

  test("withdrawing a hit's acknowledgement reopens the fall and creates a notice", async () => {
    const { its, make, withdraw, notice } = await start({ fall: fallKey });
    await make(anna(late));
    const { notice: written } = (await withdraw(late + 1)) as { notice: { uuid: string } };
    expect(await notice(written)).toMatchObject({ notice: 'fall_changed', receiveDate: late + 1 });
    expect(await its.fallAnswers.get(fall)).toEqual({});
  });

  test('only the person who acknowledged a hit can reopen it, and only before the fall is closed', async () => {
    const { its, make, withdraw, read } = await start({ fall: fallKey });
    expect(await withdraw(late)).toMatchObject({ hit: { id: 1 }, notice: null });
    await make(anna(late));
    expect(await withdraw(late + 1, () => false)).toBe('refused');
    await its.falls.close(fall, { outcome: 'helped' }, anna(late));
    await its.fallAnswers.settle(fall, late);
    expect(await withdraw(late + 1)).toBe('closed');
    expect(await read(1)).toMatchObject({ acknowledgement: anna(late) });
  });

  test('reopening a hit succeeds even if the fall has already been reopened', async () => {
    const { its, make, withdraw, read } = await start({ fall: fallKey });
    await make(anna(late));
    await its.falls.withdraw(fall, () => true, late + 1);
    expect(await withdraw(late + 2)).toMatchObject({ hit: { updateDate: late + 2 }, notice: null });
    expect(await read(1)).not.toHaveProperty('acknowledgement');
  });

  test("withdrawing a hit's acknowledgement succeeds even if the note changes concurrently", async () => {
    const { before, once } = interference();
    const { its, make, withdraw, read } = await start({ fall: fallKey }, before);
    await make(anna(late));
    once('TransactWriteCommand', () => its.falls.acknowledge(fall, anna(late, { note: 'Here' })));
    expect(await withdraw(late + 1)).toMatchObject({ notice: { receiveDate: late + 1 } });
    expect(await its.fallAnswers.get(fall)).toEqual({});
    expect(await read(1)).not.toHaveProperty('acknowledgement');
  });
});
