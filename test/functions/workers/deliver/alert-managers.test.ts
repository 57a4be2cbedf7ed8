import { describe, expect, test } from 'vitest';
import type { UnnotifiedCause } from '#shared/domain/people/unnotified-mail.ts';
import { dateTimeAndZone } from '#shared/domain/time/wall-time.ts';
import type { UnnotifiedAlarm } from '#shared/store/rules/unnotified-alarm.ts';
import {
  alarmOf,
  customerId,
  described,
  HOUR,
  listOf,
  MINUTE,
  mailOf,
  noRecipient,
  runAlerts as run,
  userOf,
  type World,
} from '#test/fixtures/manager-alarms.ts';
import { NOW } from '#test/fixtures/stub-deps.ts';

describe('emails about people', () => {
  test('an alarm about a person is emailed at once to all rule managers', async () => {
    const { mails, updated, claims, order, enqueued } = await run({
      open: [alarmOf('a')],
      users: [userOf(1), userOf(2)],
    });
    expect(mails).toEqual([mailOf('user-1@example.org', noRecipient), mailOf('user-2@example.org', noRecipient)]);
    expect(updated).toEqual([['a', { mailDate: NOW, deferredTo: [], refusedTo: [] }, NOW + HOUR]]);
    expect(claims).toEqual([[alarmOf('a'), expect.stringMatching(/^[\w-]{8}$/), NOW, NOW + 30_000]]);
    // The email is recorded only after it was sent, so a crash in between causes two emails rather than none.
    expect(order).toEqual(['mail', 'mail', 'update']);
    expect(enqueued).toEqual([]);
  });

  test('only one process emails an alarm about a person', async () => {
    const { mails, updated } = await run({ open: [alarmOf('a'), alarmOf('b'), alarmOf('c')], claimed: ['b'] });
    expect(mails).toHaveLength(2);
    expect(updated.map(([id]) => id)).toEqual(['a', 'c']);
  });

  test('an email about a deleted customer uses UTC and no customer name', async () => {
    const { mails } = await run({ open: [alarmOf('a')], isCustomerGone: true });
    expect(mails[0]?.[2]).toContain(`Fall detected: Room 1, , ${dateTimeAndZone(NOW - 2 * MINUTE, 'UTC')}`);
  });

  test('an alarm about a person is not emailed twice', async () => {
    const { mails, claims } = await run({ open: [alarmOf('a', { mailDate: NOW - 1 })] });
    expect([mails, claims]).toEqual([[], []]);
  });

  test('an email identifies a missing sensor by id', async () => {
    const { mails } = await run({ open: [alarmOf('a', { sensorId: 's2.example' })] });
    expect(mails).toEqual([mailOf('user-1@example.org', noRecipient, { sensor: 's2.\u200bexample' })]);
  });

  test('an unacknowledged alarm is emailed only once, even if someone was notified', async () => {
    const { mails, updated } = await run({ open: [alarmOf('a', { isUnanswered: true })] });
    expect(mails).toEqual([mailOf('user-1@example.org', { kind: 'unanswered' }, { isUnanswered: true })]);
    expect(updated).toEqual([['a', expect.anything(), null]]);
  });
});

describe('emails to managers', () => {
  const open = [alarmOf('a')];

  test('only managers who can log in, can manage rules, and have an address get emails', async () => {
    const users = [
      userOf(1, { canLogin: false }),
      userOf(2, { permissions: ['manage_bots'] }),
      userOf(3, { email: '' }),
      userOf(4, { permissions: [], isAdmin: true }),
    ];
    expect((await run({ open, users })).to()).toEqual(['user-4@example.org']);
  });

  test("managers get emails at the verified address, or else at the account's address", async () => {
    const channels = {
      1: [
        { by: 'sms', address: '+49' },
        { by: 'email', address: 'night@example.org' },
        { by: 'email', address: 'second@example.org' },
      ],
      2: [{ by: 'sms', address: '+49' }],
    };
    const users = [userOf(1, { email: '' }), userOf(2)];
    expect((await run({ open, users, channels })).to()).toEqual(['night@example.org', 'user-2@example.org']);
  });

  test('an alarm is emailed to all managers, however many there are', async () => {
    const users = Array.from({ length: 42 }, (_, at) => userOf(at + 1));
    expect((await run({ open, users })).to()).toEqual(users.map(({ email }) => email));
  });

  test('webhook managers also get an email about alarms sent to their webhook', async () => {
    const users = [
      userOf(1, { permissions: ['manage_customers'] }),
      userOf(2, { permissions: ['manage_bots'] }),
      userOf(3, { permissions: ['manage_sensors'] }),
      userOf(4),
    ];
    const to = async (alarm: Partial<UnnotifiedAlarm>) => (await run({ open: [alarmOf('a', alarm)], users })).to();
    expect(await to({ hitId: null })).toEqual(['user-1@example.org', 'user-4@example.org']);
    expect(await to({ hitId: 5, isToBots: true })).toEqual(['user-2@example.org', 'user-4@example.org']);
    expect(await to({ hitId: 5 })).toEqual(['user-4@example.org']);
  });

  test('every alarm is emailed to webhook managers if no one manages rules', async () => {
    const users = [userOf(1, { permissions: ['manage_bots'] }), userOf(2, { permissions: ['manage_sensors'] })];
    for (const alarm of [alarmOf('a'), alarmOf('a', { hitId: 5 })])
      expect((await run({ open: [alarm], users })).to()).toEqual(['user-1@example.org']);
  });

  test('managers get no email if the service has no sender address', async () => {
    const { mails, updated } = await run({ open, sender: '' });
    expect(mails).toEqual([]);
    expect(updated).toHaveLength(1);
  });

  test('managers get at most ten emails an hour, and any further alarms in one list', async () => {
    const { mails, updated, taken } = await run({
      open,
      users: [userOf(1), userOf(2)],
      used: [`alarm-mails:${customerId}:1`],
    });
    expect(mails).toEqual([mailOf('user-2@example.org', noRecipient)]);
    expect(updated).toEqual([['a', { mailDate: NOW, deferredTo: [1], refusedTo: [] }, NOW + 10 * MINUTE]]);
    expect(taken).toEqual([1, 2].map((id) => ['take', `alarm-mails:${customerId}:${id}`, 10, 3_600, NOW]));
  });
});

describe('causes stated in emails', () => {
  const causeOf = async (alarm: Partial<UnnotifiedAlarm>, stored: Partial<World> = {}) =>
    (await run({ open: [alarmOf('a', alarm)], ...stored })).mails[0];
  const expected = (cause: UnnotifiedCause) => mailOf('user-1@example.org', cause);
  const message = (name: string) => ({ extra: { display_name: name } });

  test('an email names each recipient that the hit should have reached', async () => {
    const messages = ['Anna', 'elm.example', '', 'Anna'].map(message);
    expect(await causeOf({ hitId: 5 }, { hits: { 5: { messages } } })).toEqual(
      expected({ kind: 'failed', receivers: 'Anna, elm.\u200bexample' }),
    );
  });

  test('an email about an event without a hit names the customer webhooks', async () => {
    const webhooks = { w1: { name: 'Nurse call' }, w2: { name: 'Desk' } };
    expect(await causeOf({ webhookIds: ['w1', 'gone', 'w2'] }, { webhooks })).toEqual(
      expected({ kind: 'failed', receivers: 'Nurse call, Desk' }),
    );
  });

  test('an email states whether no one was on duty or the rule had no recipient', async () => {
    const hits = { 5: { messages: [], nobodyOnDuty: true }, 6: { messages: [] } };
    expect(await causeOf({ hitId: 5 }, { hits })).toEqual(expected({ kind: 'nobody_on_duty' }));
    expect(await causeOf({ hitId: 6 }, { hits })).toEqual(expected(noRecipient));
    expect(await causeOf({ hitId: 9 }, { hits })).toEqual(expected(noRecipient));
  });
});

describe('emails about sensors', () => {
  const offline = (id: string, more: Partial<UnnotifiedAlarm> = {}) =>
    alarmOf(id, { situation: 'sensor_inactive', ...more });
  const named = described({ situation: 'Sensor offline' });
  const subject = `alarm-sensors:${customerId}`;
  const wait = `alarm-sensors-wait:${customerId}`;

  test('alarms about sensors are combined into one email', async () => {
    const { mails, updated, taken } = await run({
      open: [offline('a'), offline('b', { mailDate: NOW - 1 }), offline('c')],
    });
    expect(mails).toHaveLength(1);
    expect(mails[0]?.[1]).toBe(listOf('', [named, named])[1]);
    expect(mails[0]?.[2]?.split('\n').filter((line) => line.startsWith('- '))).toHaveLength(2);
    expect(updated.map(([id, , next]) => [id, next])).toEqual([
      ['a', NOW + HOUR],
      ['c', NOW + HOUR],
    ]);
    expect(taken[0]).toEqual(['take', subject, 1, 60, NOW]);
  });

  test('a list of sensor alarms omits alarms that another process is sending', async () => {
    const some = await run({ open: [offline('a'), offline('b')], claimed: ['a'] });
    expect(some.updated.map(([id]) => id)).toEqual(['b']);
    const none = await run({ open: [offline('a'), offline('b')], claimed: ['a', 'b'] });
    expect([none.mails, none.updated]).toEqual([[], []]);
  });

  test('lists of sensor alarms are sent at least a minute apart', async () => {
    const first = await run({ open: [offline('a')], used: [subject] });
    expect(first.mails).toEqual([]);
    expect(first.claims).toEqual([]);
    expect(first.taken).toEqual([
      ['take', subject, 1, 60, NOW],
      ['take', wait, 1, 60, NOW],
    ]);
    expect(first.enqueued).toEqual([[[{ type: 'alert_managers', customerId }], 60]]);
    expect((await run({ open: [offline('a')], used: [subject, wait] })).enqueued).toEqual([]);
  });

  test('emails about sensors use at most half the hourly limit', async () => {
    const { taken } = await run({ open: [offline('a'), alarmOf('b')] });
    const mails = taken.filter(([, name]) => name === `alarm-mails:${customerId}:1`);
    expect(mails.map(([, , limit]) => limit)).toEqual([10, 5]);
  });

  test('a list of sensor alarms contains only those that concern the recipient', async () => {
    const users = [userOf(1, { permissions: ['manage_bots'] }), userOf(2)];
    const { mails } = await run({
      open: [offline('a', { hitId: 5, isToBots: true }), offline('b', { hitId: 6 })],
      users,
    });
    expect(mails).toEqual([listOf('user-1@example.org', [named]), listOf('user-2@example.org', [named, named])]);
  });

  test('emails about sensors do not delay an alarm about a person', async () => {
    const { mails } = await run({ open: [offline('a'), alarmOf('b')], used: [subject] });
    expect(mails).toEqual([mailOf('user-1@example.org', noRecipient)]);
  });
});

describe('alarms from missing sensors', () => {
  const gone = (id: string, more: Partial<UnnotifiedAlarm> = {}) =>
    alarmOf(id, { sensorId: 's2', mailDate: NOW - HOUR, ...more });

  test('an alarm ends once its sensor is deleted', async () => {
    const { ended, mails, updated } = await run({ open: [gone('a')] });
    expect([ended, mails, updated]).toEqual([['a'], [], []]);
  });

  test('an alarm stays open while it can be acknowledged or an email is pending', async () => {
    const waiting = [{ mailDate: undefined as never }, { deferredTo: [1] }, { refusedTo: [1] }];
    for (const alarm of [
      gone('a', { hitId: 5 }),
      gone('a', { sensorId: 's1' }),
      ...waiting.map((more) => gone('a', more)),
    ])
      expect((await run({ open: [alarm] })).ended).toEqual([]);
  });
});

describe('alarm lists', () => {
  const mailed = { mailDate: NOW - 5 * MINUTE };
  const subject = (userId: number) => `alarm-list:${customerId}:${userId}`;

  test('a manager over the email limit gets a list at most every ten minutes', async () => {
    const open = [alarmOf('a', { ...mailed, deferredTo: [1, 2] }), alarmOf('b', { ...mailed, isUnanswered: true })];
    const users = [userOf(1), userOf(2)];
    const { mails, updated, taken, order } = await run({ open, users, used: [subject(2)] });
    expect(mails).toEqual([listOf('user-1@example.org', [described(), described({ isUnanswered: true })])]);
    expect(updated).toEqual([['a', { deferredTo: [2], refusedTo: [] }, NOW + 10 * MINUTE]]);
    expect(taken).toEqual([1, 2].map((id) => ['take', subject(id), 1, 600, NOW]));
    expect(order).toEqual(['mail', 'update']);
  });

  test('a list that everyone has received is followed only by a reminder', async () => {
    const open = [alarmOf('a', { ...mailed, deferredTo: [1] })];
    expect((await run({ open })).updated).toEqual([['a', { deferredTo: [], refusedTo: [] }, NOW + 55 * MINUTE]]);
    const unanswered = [alarmOf('a', { ...mailed, deferredTo: [1], isUnanswered: true })];
    expect((await run({ open: unanswered })).updated).toEqual([['a', { deferredTo: [], refusedTo: [] }, null]]);
  });

  test('a list is not sent to users who may no longer manage rules', async () => {
    const { mails, updated } = await run({ open: [alarmOf('a', { ...mailed, deferredTo: [9] })] });
    expect(mails).toEqual([]);
    expect(updated).toEqual([['a', { deferredTo: [], refusedTo: [] }, NOW + 55 * MINUTE]]);
  });

  test('a list contains only the alarms that concern the recipient, and updates only those on a list', async () => {
    const users = [userOf(1, { permissions: ['manage_bots'] }), userOf(2)];
    const open = [
      alarmOf('a', { ...mailed, hitId: 5, isToBots: true, deferredTo: [1] }),
      alarmOf('b', { ...mailed, hitId: 6, isUnanswered: true }),
    ];
    const { mails, updated } = await run({ open, users });
    expect(mails).toEqual([listOf('user-1@example.org', [described()])]);
    expect(updated.map(([id]) => id)).toEqual(['a']);
    // This alarm no longer concerns the manager whose email was deferred.
    const left = await run({ open: [alarmOf('a', { ...mailed, hitId: 5, deferredTo: [1] })], users });
    expect(left.mails).toEqual([]);
    expect(left.updated).toEqual([['a', { deferredTo: [], refusedTo: [] }, NOW + 55 * MINUTE]]);
  });

  test('a list starts with the alarms about people, newest first', async () => {
    const at = (minutes: number) => ({ createDate: NOW - minutes * MINUTE });
    const open = [
      alarmOf('a', { ...at(9), situation: 'sensor_inactive' }),
      alarmOf('b', { ...at(8), situation: 'apnea' }),
      alarmOf('c', { ...at(7), ...mailed, deferredTo: [1] }),
      alarmOf('d', { ...at(6), situation: 'sensor_inactive' }),
    ].map((alarm) => ({ ...alarm, mailDate: NOW - 5 * MINUTE }));
    const { mails } = await run({ open });
    const lines = mails[0]?.[2]?.split('\n').filter((line) => line.startsWith('- ')) ?? [];
    expect(lines.map((line) => /: (.*?),/.exec(line)?.[1])).toEqual([
      'Fall detected',
      'No breathing detected',
      'Sensor offline',
      'Sensor offline',
    ]);
    expect(lines[2]).toContain(dateTimeAndZone(NOW - 6 * MINUTE, 'Europe/Berlin'));
  });

  test('a list omits alarms that have ended before it is sent', async () => {
    const { mails } = await run({
      open: [alarmOf('a', { ...mailed, deferredTo: [1] }), alarmOf('b', { ...mailed, deferredTo: [1] })],
      later: [alarmOf('b', { ...mailed, deferredTo: [1] })],
    });
    expect(mails).toEqual([listOf('user-1@example.org', [described()])]);
  });
});

describe('refused emails', () => {
  const refused = async () => false;
  const retry = `alarm-retry:${customerId}:1`;
  const waiting = (more: Partial<UnnotifiedAlarm> = {}) =>
    alarmOf('a', { mailDate: NOW - 5 * MINUTE, deferredTo: [], refusedTo: [1], ...more });

  test('a refused email is resent as a list after a minute', async () => {
    const first = await run({ open: [alarmOf('a')], mail: refused });
    expect(first.updated).toEqual([['a', { mailDate: NOW, deferredTo: [], refusedTo: [1] }, NOW + MINUTE]]);
    expect(first.taken.at(-1)).toEqual(['take', retry, 1, 60, NOW]);
    const { mails, taken, ...after } = await run({ open: [waiting()] });
    expect(mails).toEqual([listOf('user-1@example.org', [described()])]);
    expect(taken).toEqual([['take', retry, 1, 60, NOW]]);
    expect(after.updated).toEqual([['a', { deferredTo: [], refusedTo: [] }, NOW + 55 * MINUTE]]);
  });

  test('a refused list is resent every minute for an hour', async () => {
    const again = await run({ open: [waiting()], mail: refused });
    expect(again.updated).toEqual([['a', { deferredTo: [], refusedTo: [1] }, NOW + MINUTE]]);
    expect((await run({ open: [waiting()], used: [retry] })).mails).toEqual([]);
    const last = await run({ open: [waiting({ mailDate: NOW - HOUR, reminders: 24 })], mail: refused });
    expect(last.updated).toEqual([['a', { deferredTo: [], refusedTo: [] }, NOW]]);
  });

  test('a refused list over the email limit is resent after a minute', async () => {
    const open = [waiting({ deferredTo: [1], refusedTo: [] })];
    const { updated } = await run({ open, mail: refused });
    expect(updated).toEqual([['a', { deferredTo: [], refusedTo: [1] }, NOW + MINUTE]]);
  });
});
