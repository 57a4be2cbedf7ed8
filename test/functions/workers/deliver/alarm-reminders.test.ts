import { describe, expect, test } from 'vitest';
import type { UnnotifiedAlarm } from '#shared/store/rules/unnotified-alarm.ts';
import { alarmOf, described, HOUR, listOf, MINUTE, runAlerts as run, userOf } from '#test/fixtures/manager-alarms.ts';
import { NOW } from '#test/fixtures/stub-deps.ts';

describe('alarm reminders', () => {
  const mailedAt = (ms: number) => ({ mailDate: NOW - ms });

  test('all open alarms are listed in a reminder an hour after the first email', async () => {
    const open = [alarmOf('a', mailedAt(HOUR)), alarmOf('b', mailedAt(MINUTE)), alarmOf('c', mailedAt(HOUR))];
    const { mails, updated, claims, order } = await run({ open, users: [userOf(1), userOf(2)] });
    const alarms = [described(), described(), described()];
    expect(mails).toEqual([listOf('user-1@example.org', alarms, true), listOf('user-2@example.org', alarms, true)]);
    const reminded = { reminders: 1, reminderDate: NOW };
    expect(updated).toEqual([
      ['a', reminded, NOW + HOUR],
      ['b', reminded, NOW + HOUR],
      ['c', reminded, NOW + HOUR],
    ]);
    // Claiming one of the due alarms claims the whole reminder.
    expect(claims.map(([alarm]) => (alarm as UnnotifiedAlarm).alarmId)).toEqual(['a']);
    expect(order).toEqual(['mail', 'mail', 'update', 'update', 'update']);
  });

  test('a reminder contains only the alarms that concern the recipient', async () => {
    const users = [
      userOf(1, { permissions: ['manage_bots'] }),
      userOf(2),
      userOf(3, { permissions: ['manage_customers'] }),
    ];
    const open = [
      alarmOf('a', { ...mailedAt(HOUR), hitId: 5, isToBots: true }),
      alarmOf('b', { ...mailedAt(HOUR), hitId: 6 }),
    ];
    const { mails } = await run({ open, users });
    expect(mails).toEqual([
      listOf('user-1@example.org', [described()], true),
      listOf('user-2@example.org', [described(), described()], true),
    ]);
  });

  test('no reminder is sent within an hour of the last email', async () => {
    for (const open of [
      [alarmOf('a', mailedAt(HOUR - 1))],
      [alarmOf('a', { ...mailedAt(HOUR), isUnanswered: true })],
      [alarmOf('a', { mailDate: NOW - 2 * HOUR, reminderDate: NOW - HOUR + 1, reminders: 1 })],
    ])
      expect((await run({ open })).mails).toEqual([]);
    const unmailed = await run({ open: [alarmOf('a')], sender: '' });
    expect(unmailed.updated).toHaveLength(1);
  });

  test('the next reminder is due an hour after the last one', async () => {
    const reminded = { ...mailedAt(3 * HOUR), reminders: 2, reminderDate: NOW - HOUR };
    expect((await run({ open: [alarmOf('a', reminded)] })).updated).toEqual([
      ['a', { reminders: 3, reminderDate: NOW }, NOW + HOUR],
    ]);
    const other = alarmOf('b', { ...reminded, reminderDate: NOW - HOUR + 1 });
    expect((await run({ open: [alarmOf('a', reminded), other] })).mails).toEqual([]);
  });

  test('no reminder is sent after the 24th', async () => {
    const of = (reminders: number) => [alarmOf('a', { ...mailedAt(30 * HOUR), reminders, reminderDate: NOW - HOUR })];
    expect((await run({ open: of(22) })).updated).toEqual([['a', { reminders: 23, reminderDate: NOW }, NOW + HOUR]]);
    expect((await run({ open: of(23) })).updated).toEqual([['a', { reminders: 24, reminderDate: NOW }, null]]);
    expect((await run({ open: of(24) })).mails).toEqual([]);
  });

  test('a reminder is sent only once if two processes try to send it', async () => {
    const { mails, updated } = await run({ open: [alarmOf('a', mailedAt(HOUR))], claimed: ['a'] });
    expect([mails, updated]).toEqual([[], []]);
  });

  test('an email dated in the future does not delay a reminder', async () => {
    const { mails } = await run({ open: [alarmOf('a', { mailDate: NOW + HOUR })] });
    expect(mails).toHaveLength(1);
    const again = { mailDate: NOW - HOUR, reminders: 1, reminderDate: NOW + HOUR };
    expect((await run({ open: [alarmOf('a', again)] })).mails).toHaveLength(1);
    // Host clocks differ by up to ten seconds.
    expect((await run({ open: [alarmOf('a', { mailDate: NOW + 10_000 })] })).mails).toEqual([]);
  });
});
