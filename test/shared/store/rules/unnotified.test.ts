import { describe, expect, test } from 'vitest';
import { EVENT_RETENTION } from '#shared/domain/event/event.ts';
import { GRACE_MS } from '#shared/store/engine/due.ts';
import type { UnnotifiedAlarm } from '#shared/store/rules/unnotified-alarm.ts';
import { items } from '#shared/store/table.ts';
import { memoryStore } from '#test/fixtures/memory-store.ts';
import { now, some, uuid } from '#test/fixtures/store-items.ts';

const HOME = 3;
const HIT = 12;
const alarmOf = (fields: object = {}): UnnotifiedAlarm =>
  some({
    alarmId: String(HIT),
    customerId: HOME,
    sensorId: 'id_a',
    situation: 'fall_detected',
    eventUuid: uuid(1),
    hitId: HIT,
    ruleId: 40,
    webhookIds: [],
    createDate: now,
    date: now + 9,
    ...fields,
  });
const hitKey = items.ruleHit({ customerId: HOME, hitId: HIT });
const createWorld = async (hit: object = {}) => {
  const { its, table } = memoryStore();
  await table.write({
    put: {
      ...hitKey,
      id: HIT,
      sensorId: 'id_a',
      createDate: now,
      updateDate: now,
      messages: ['m1'],
      escalation: { at: now },
      ...hit,
    },
  });
  const stored = () => table.get<Record<string, unknown>>(items.unnotified({ customerId: HOME, alarmId: String(HIT) }));
  const dueOf = async () => Number((await stored())?.dueAt);
  return {
    its,
    table,
    stored,
    dueOf,
    records: its.alarmRecords,
    hit: () => table.get<Record<string, unknown>>(hitKey),
  };
};

test('an alarm that notified no one is recorded with a notice and adds messages to the hit', async () => {
  const { its, records, stored, dueOf, hit } = await createWorld();
  const result = await records.record(alarmOf(), some(['m2']));
  expect(result).toMatchObject({
    kind: 'recorded',
    notice: { customerId: HOME, sensorId: 'id_a', receiveDate: now + 9 },
  });
  expect(await its.unnotified.list(HOME)).toMatchObject([alarmOf()]);
  expect([await stored(), await dueOf()]).toMatchObject([{ ttl: (now + EVENT_RETENTION) / 1_000 }, now + 9 + GRACE_MS]);
  expect(await hit()).toMatchObject({ isUnnotified: true, messages: ['m1', 'm2'] });
  const { notice } = result as { notice: { uuid: string } };
  expect(await its.events.notice(HOME, 'id_a', notice.uuid)).toMatchObject({ notice: 'unnotified' });
  expect(await its.unnotified.list(HOME + 1)).toEqual([]);
});

test('an alarm that notified no one keeps its notice after a crash until it is handled', async () => {
  const { its, records } = await createWorld();
  const first = await records.record(alarmOf());
  expect(await records.record(alarmOf({ date: now + 50 }))).toEqual(first);
  await records.finish(alarmOf());
  expect(await records.record(alarmOf())).toEqual({ kind: 'handled' });
  await its.eventAlarms.end(HOME, String(HIT));
  await records.finish(alarmOf());
  expect(await its.unnotified.list(HOME)).toEqual([]);
});

test.each([
  ['someone was notified', { notifiedDate: now }],
  ['someone acknowledged the alarm', { acknowledgement: { name: 'n' } }],
])('an alarm is not recorded as having notified no one if %s in the meantime', async (_, fields) => {
  const { its, records, hit } = await createWorld(fields);
  expect(await records.record(alarmOf(), some(['m2']))).toEqual({ kind: 'ended' });
  expect([await its.unnotified.list(HOME), (await hit())?.messages]).toEqual([[], ['m1']]);
});

test('an alarm that notified no one can belong to an event without a hit', async () => {
  const { its, records } = await createWorld();
  const alarm = alarmOf({ alarmId: uuid(1), hitId: null });
  expect(await records.record(alarm)).toMatchObject({ kind: 'recorded' });
  await its.eventAlarms.end(HOME, uuid(1));
  expect(await its.unnotified.list(HOME)).toEqual([]);
});

test('alarms that notified no one are listed oldest first', async () => {
  const { its, records } = await createWorld();
  await records.record(alarmOf({ alarmId: 'b', hitId: null, createDate: now }));
  await records.record(alarmOf({ alarmId: 'a', hitId: null, createDate: now + 1 }));
  await records.record(alarmOf({ alarmId: 'c', hitId: null, createDate: now - 1 }));
  expect((await its.unnotified.list(HOME)).map(({ alarmId }) => alarmId)).toEqual(['c', 'b', 'a']);
});

describe('unacknowledged alarms', () => {
  const unanswered = alarmOf({ alarmId: `unanswered-${HIT}`, isUnanswered: true });
  const read = (fields: object = {}) =>
    some({ id: HIT, sensorId: 'id_a', createDate: now, updateDate: now, escalation: { at: now }, ...fields });
  test('an unacknowledged alarm is recorded once after the last round, if the hit is unchanged', async () => {
    const { its, records, hit } = await createWorld();
    const notice = await records.recordUnanswered(unanswered, read(), some(['m2']));
    expect(notice).toMatchObject({ sensorId: 'id_a', receiveDate: now + 9 });
    expect(await hit()).toMatchObject({
      unansweredDate: now + 9,
      updateDate: now + 9,
      isLate: true,
      messages: ['m1', 'm2'],
    });
    expect(await its.events.notice(HOME, 'id_a', notice?.uuid ?? '')).toMatchObject({ notice: 'unanswered' });
    expect(await records.recordUnanswered(unanswered, read(), some(['m3']))).toBeNull();
    expect(await records.recordUnanswered(unanswered, read({ unansweredDate: now + 9 }), some(['m3']))).toEqual(notice);
    expect((await hit())?.messages).toEqual(['m1', 'm2']);
  });

  test.each([
    ['acknowledged', { acknowledgement: { name: 'n' } }],
    ['changed', { updateDate: now + 1 }],
    ['moved to another round', { escalation: { at: now + 1 } }],
  ])('an unacknowledged alarm is not recorded if the hit was %s in the meantime', async (_, fields) => {
    const { its, records } = await createWorld(fields);
    expect(await records.recordUnanswered(unanswered, read(), some(['m2']))).toBeNull();
    expect(await its.unnotified.list(HOME)).toEqual([]);
  });
});

describe('alarm emails', () => {
  const start = async (mailed: object = {}) => {
    const world = await createWorld();
    await world.table.write({
      put: { ...alarmOf(mailed), ...items.unnotified({ customerId: HOME, alarmId: String(HIT) }) },
    });
    const claim = (name: string, at = now, read: object = mailed) =>
      world.its.unnotified.claim(alarmOf(read), name, at, at + 60_000);
    return { ...world, claim };
  };
  test('only one process at a time can claim an alarm email', async () => {
    const { claim, stored, dueOf } = await start();
    expect([await claim('a'), await claim('b'), await claim('b', now + 59_999)]).toEqual([true, false, false]);
    expect([await stored(), await dueOf()]).toMatchObject([{ claim: 'a', claimedUntil: now + 60_000 }, now + 60_000]);
    expect([await claim('b', now + 60_000), (await stored())?.claim]).toEqual([true, 'b']);
    // A claim that lasts longer was made before the clock was set back.
    expect([await claim('c', now - 60_000), (await stored())?.claim]).toEqual([true, 'c']);
  });

  test('an alarm email cannot be claimed after another was sent or the alarm has ended', async () => {
    const mailed = await start({ mailDate: now });
    expect([
      await mailed.claim('a', now, {}),
      await mailed.claim('a', now, { mailDate: now + 1 }),
      await mailed.claim('a'),
    ]).toEqual([false, false, true]);
    const reminded = await start({ mailDate: now, reminderDate: now });
    expect([
      await reminded.claim('a', now, { mailDate: now }),
      await reminded.claim('a', now, { mailDate: now, reminderDate: now - 1 }),
      await reminded.claim('a'),
    ]).toEqual([false, false, true]);
    const ended = await start();
    await ended.its.eventAlarms.end(HOME, String(HIT));
    expect([await ended.claim('a'), await ended.stored()]).toEqual([false, null]);
  });

  test('sending an alarm email ends the claim and schedules the next reminder', async () => {
    const { its, claim, stored, dueOf } = await start();
    await claim('a');
    await its.unnotified.update(alarmOf(), { mailDate: now, reminders: 1 }, now + 5);
    expect([await stored(), await dueOf()]).toMatchObject([{ mailDate: now, reminders: 1 }, now + 5]);
    for (const name of ['claim', 'claimedUntil']) expect(await stored()).not.toHaveProperty(name);
    await its.unnotified.update(alarmOf(), { reminders: 2, reminderDate: now, deferredTo: [7] }, null);
    expect(await stored()).toMatchObject({ reminders: 2, reminderDate: now, deferredTo: [7] });
    for (const name of ['duePk', 'dueAt']) expect(await stored()).not.toHaveProperty(name);
    await its.unnotified.recordReport(alarmOf(), now + 3);
    expect(await stored()).toMatchObject({ reportDate: now + 3 });
  });

  test('nothing is stored for an email about an ended alarm', async () => {
    const { its, stored } = await createWorld();
    await its.unnotified.update(alarmOf(), { mailDate: now }, now);
    await its.unnotified.recordReport(alarmOf(), now);
    expect(await stored()).toBeNull();
  });
});
