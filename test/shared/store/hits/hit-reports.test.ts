import { describe, expect, test } from 'vitest';
import { SOON_MS } from '#shared/store/hits/late-change.ts';
import { items } from '#shared/store/table.ts';
import { anna, HOME, hitWorld, SENSOR } from '#test/fixtures/answered-hits.ts';
import { interference } from '#test/fixtures/memory-store.ts';
import { now, some } from '#test/fixtures/store-items.ts';

const late = now + SOON_MS + 1;
const messages = () => [
  { sendTryTimes: [] as number[], wasSend: false },
  { sendTryTimes: [], wasSend: false },
];
const start = async (fields: object = {}, before?: Parameters<typeof hitWorld>[0]) => {
  const world = hitWorld(before);
  await world.put(1, { messages: messages(), ...fields });
  const report = (at: number, tries: number[], sent: boolean | 'outbox', time: number) =>
    world.its.hitReports.report({ customerId: HOME, hitId: 1, at, tries, sent }, time);
  return { ...world, report, hit: async (): Promise<Record<string, unknown>> => (await world.raw(1)) ?? {} };
};
/** Records that the hit's alarm reached no one. */
const recordUnnotified = async ({ its, put }: Awaited<ReturnType<typeof start>>) => {
  await put(1, { messages: messages() });
  const alarm = { alarmId: '1', customerId: HOME, sensorId: SENSOR, situation: 'fall_detected', eventUuid: 'e' };
  await its.alarmRecords.record(some({ ...alarm, hitId: 1, ruleId: 1, webhookIds: [], createDate: now, date: now }));
  expect(await its.unnotified.list(HOME)).toHaveLength(1);
};

describe('prompt reports', () => {
  test('a prompt report records that a message was sent and someone was notified', async () => {
    const { report, hit, lateChanges } = await start();
    await report(1, [now + 1], true, now + 2);
    const stored = await hit();
    expect(stored).toMatchObject({
      messages: [
        { sendTryTimes: [], wasSend: false },
        { sendTryTimes: [now + 1], wasSend: true, updateDate: now + 2 },
      ],
      notifiedDate: now + 2,
      updateDate: now + 2,
    });
    expect([stored.isLate, await lateChanges()]).toEqual([undefined, []]);
    await report(0, [now + 3], true, now + 4);
    expect(await hit()).toMatchObject({ notifiedDate: now + 2, updateDate: now + 4 });
  });

  test.each([
    ['failed', false, { wasSend: false }],
    ['was written to a file', 'outbox', { wasSend: true, outbox: true }],
  ] as const)('a prompt report that a message %s means that no one was notified yet', async (_, sent, shown) => {
    const { report, hit } = await start();
    await report(0, [now + 1], sent, now + 2);
    const stored = await hit();
    expect(stored.messages).toEqual([{ sendTryTimes: [now + 1], updateDate: now + 2, ...shown }, messages()[1]]);
    expect(stored).not.toHaveProperty('notifiedDate');
  });

  test('a prompt report counts once, even if repeated, and never without an attempt', async () => {
    const { report, hit } = await start();
    await report(0, [], true, now + 1);
    expect(await hit()).toMatchObject({ updateDate: now });
    await report(0, [now + 1], true, now + 2);
    const once = await hit();
    await report(0, [now + 1], true, now + 3);
    await report(0, [now + 1], true, late);
    expect(await hit()).toEqual(once);
  });
});

describe('late reports', () => {
  test.each([
    ['more than 10 s after the hit', late, {}],
    ['before the hit, after the clock was set back', now - 1, {}],
    ['on a hit that changed late', now + 5, { isLate: true }],
  ])('a late report, %s, is recorded as a late change', async (_, time, fields) => {
    const { report, hit, lateChanges } = await start(fields);
    await report(0, [now + 1], true, time);
    expect(await hit()).toMatchObject({ isLate: true, updateDate: time, notifiedDate: time });
    expect(await lateChanges()).toEqual([time]);
  });

  test('a late report adds only attempts not yet reported', async () => {
    const { report, hit } = await start();
    await report(0, [now + 1], false, now + 2);
    await report(0, [now + 1, now + 9], true, late);
    expect((await hit()).messages).toMatchObject([{ sendTryTimes: [now + 1, now + 9], wasSend: true }, {}]);
  });

  test('only a late report of a sent message ends an alarm that reached no one', async () => {
    const world = await start();
    await recordUnnotified(world);
    await world.report(0, [now + 1], false, late);
    expect(await world.its.unnotified.list(HOME)).toHaveLength(1);
    await world.report(0, [now + 2], true, late + 1);
    expect(await world.its.unnotified.list(HOME)).toEqual([]);
    expect(await world.hit()).not.toHaveProperty('isUnnotified');
  });

  test('a late report for an unknown recipient records a notification and ends the alarm', async () => {
    const world = await start();
    await recordUnnotified(world);
    await world.report(9, [now + 1], 'outbox', late);
    await world.report(9, [now + 1], false, late);
    expect(await world.its.unnotified.list(HOME)).toHaveLength(1);
    await world.report(9, [now + 1], true, late);
    expect(await world.its.unnotified.list(HOME)).toEqual([]);
    const stored = await world.hit();
    expect(stored).toMatchObject({ notifiedDate: late, updateDate: late, isLate: true });
    expect(stored).not.toHaveProperty('isUnnotified');
    await world.report(9, [now + 1], true, late + 5);
    expect(await world.hit()).toMatchObject({ notifiedDate: late, updateDate: late });
  });

  test('a late report survives a concurrent change to the hit and never creates a hit', async () => {
    const { before, once } = interference();
    const { report, hit, put, its, raw } = await start({}, before);
    once('TransactWriteCommand', () =>
      put(1, { messages: messages(), updateDate: now + 7, acknowledgement: anna(now) }),
    );
    await report(0, [now + 1], true, late);
    expect(await hit()).toMatchObject({ notifiedDate: late, acknowledgement: anna(now) });
    await its.hitReports.report({ customerId: HOME, hitId: 2, at: 0, tries: [1], sent: true }, late);
    expect(await raw(2)).toBeNull();
  });
});

describe('undelivered messages', () => {
  const sent = (sendTryTimes: number[], updateDate: number) => ({ sendTryTimes, wasSend: true, updateDate });
  const bounce = (world: Awaited<ReturnType<typeof start>>, sentAt = now + 1) =>
    world.its.hitReports.reportUndeliverable({ customerId: HOME, hitId: 1, at: 0, sentAt }, late);

  test('an undelivered message turns the alarm into one that reached no one', async () => {
    const world = await start({ messages: [sent([now + 1], now + 2), ...messages()], notifiedDate: now + 2 });
    const after = await bounce(world);
    expect([after?.messages[0]?.wasSend, after && 'notifiedDate' in after]).toEqual([false, false]);
    const stored = await world.hit();
    expect(stored).toMatchObject({
      isLate: true,
      updateDate: late,
      messages: [{ wasSend: false, updateDate: late }, {}, {}],
    });
    expect(stored).not.toHaveProperty('notifiedDate');
    expect(await world.lateChanges()).toEqual([late]);
  });

  test('an undelivered message moves the notification date to when another message arrived', async () => {
    const world = await start({
      messages: [sent([now + 1], now + 2), sent([now + 5], now + 6)],
      notifiedDate: now + 2,
    });
    expect(await bounce(world)).toMatchObject({
      notifiedDate: now + 6,
      messages: [{ wasSend: false }, { wasSend: true }],
    });
    expect(await world.hit()).toMatchObject({
      notifiedDate: now + 6,
      messages: [{ wasSend: false }, { wasSend: true }],
    });
  });

  test('an undelivered message still counts as sent if it was resent', async () => {
    const again = await start({ messages: [sent([now + 1, now + 2], now + 3)], notifiedDate: now + 3 });
    expect(await bounce(again)).toMatchObject({ notifiedDate: now + 3, messages: [{ wasSend: true }] });
    expect(await again.hit()).toMatchObject({ updateDate: now, messages: [{ wasSend: true }] });
    expect((await bounce(again, now + 2))?.messages).toMatchObject([{ wasSend: false }]);
    const never = await start();
    expect(await bounce(never)).toMatchObject({ updateDate: now });
    expect(await never.lateChanges()).toEqual([]);
    await never.table.write({ remove: items.ruleHit(never.hitKey(1)) });
    expect(await bounce(never)).toBeNull();
  });

  test('an undelivered message is recorded even if the hit changes concurrently', async () => {
    const { before, once } = interference();
    const fields = { messages: [sent([now + 1], now + 2)], notifiedDate: now + 2 };
    const world = await start(fields, before);
    once('TransactWriteCommand', () => world.put(1, { ...fields, updateDate: now + 3, acknowledgement: anna(now) }));
    await bounce(world);
    expect(await world.hit()).toMatchObject({ acknowledgement: anna(now), messages: [{ wasSend: false }] });
  });
});
