import { describe, expect, test } from 'vitest';
import { canaryMail } from '#shared/domain/people/canary-mail.ts';
import { noAlarmRecipientsMail } from '#shared/domain/people/no-alarm-recipients-mail.ts';
import { operatorMessage } from '#shared/domain/people/operator-message.ts';
import { problemMail } from '#shared/domain/people/problem-mail.ts';
import { type MailedAlarm, unnotifiedListMail, unnotifiedMail } from '#shared/domain/people/unnotified-mail.ts';

const url = 'https://cloud.example.org';
const links = `${url}/api/v1/console/`;
const alarm: MailedAlarm = { sensor: 'Room 12', situation: 'Fall', time: '00:47 Europe/Berlin', isUnanswered: false };
const values = { customer: 'Maple', url };

describe('alarm email', () => {
  test.each([
    [{ kind: 'unanswered' }, 'Nobody has responded', 'All steps and repeats', 'find out why nobody responded'],
    [{ kind: 'nobody_on_duty' }, 'Nobody was notified', 'nobody on duty can be notified', 'fix what kept the alarm'],
    [{ kind: 'no_recipient' }, 'Nobody was notified', 'no recipient left', 'fix what kept the alarm'],
    [
      { kind: 'failed', receivers: 'Anna by SMS' },
      'Nobody was notified',
      'reached: Anna by SMS.',
      'fix what kept the alarm',
    ],
  ] as const)('an alarm email states the cause %j, the room and what to do', (cause, subject, reason, repair) => {
    const mail = unnotifiedMail('en', alarm, cause, values);
    expect(mail.subject).toBe(`${subject}: Fall, Room 12`);
    for (const part of ['Fall: Room 12, Maple, 00:47 Europe/Berlin', reason, '1. Check the room now', repair, links])
      expect(mail.text).toContain(part);
    const isNotified = cause.kind === 'unanswered';
    expect(mail.text.includes('Nobody has been notified of this alarm')).toBe(!isNotified);
  });
  test.each([
    [{ kind: 'unanswered' }, 'Niemand hat reagiert', 'Alle Stufen und Wiederholungen', 'warum niemand reagiert hat'],
    [{ kind: 'nobody_on_duty' }, 'Niemand wurde benachrichtigt', 'niemand im Dienst', 'was die Benachrichtigung'],
    [{ kind: 'no_recipient' }, 'Niemand wurde benachrichtigt', 'keinen Empfänger mehr', 'was die Benachrichtigung'],
    [
      { kind: 'failed', receivers: 'Anna per SMS' },
      'Niemand wurde benachrichtigt',
      'war erreichbar: Anna per SMS.',
      'was die Benachrichtigung',
    ],
  ] as const)('an alarm email states the cause %j in German', (cause, subject, reason, repair) => {
    const mail = unnotifiedMail('de-AT', alarm, cause, values);
    expect(mail.subject).toBe(`${subject}: Fall, Room 12`);
    for (const part of [
      'Fall: Room 12, Maple, 00:47 Europe/Berlin',
      reason,
      '1. Sehen Sie jetzt in dem Raum nach',
      repair,
      links,
    ])
      expect(mail.text).toContain(part);
    expect(mail.text.includes('Niemand wurde über diesen Alarm benachrichtigt')).toBe(cause.kind !== 'unanswered');
  });
});

describe('alarm list email', () => {
  const listed = (count: number, isReminder = false, locale = 'en') =>
    unnotifiedListMail(locale, { ...values, isReminder, alarms: Array(count).fill(alarm) });
  test('the subject of an alarm list email counts the alarms', () => {
    expect([listed(1), listed(2), listed(2, true)].map(({ subject }) => subject)).toEqual([
      '1 alarm without a response, Maple',
      '2 alarms without a response, Maple',
      'Still open: 2 alarms without a response, Maple',
    ]);
    expect([listed(1, false, 'de'), listed(2, true, 'de')].map(({ subject }) => subject)).toEqual([
      '1 Alarm ohne Reaktion, Maple',
      'Noch offen: 2 Alarme ohne Reaktion, Maple',
    ]);
    expect(listed(1).text).toContain(links);
    expect(listed(1, false, 'de').text).toContain(links);
  });
  test.each([
    ['en', 'people were notified', '- and 1 more'],
    ['de', 'Personen wurden benachrichtigt', '- und 1 weitere'],
  ])('an alarm list email names at most 50 alarms, one per line: %s', (locale, notified, more) => {
    const lines = (count: number) =>
      listed(count, false, locale)
        .text.split('\n')
        .filter((line) => line.startsWith('- '));
    expect(lines(50)).toEqual(Array(50).fill('- Room 12: Fall, 00:47 Europe/Berlin'));
    expect(lines(51)).toEqual([...lines(50), more]);
    const unanswered = { ...values, isReminder: false, alarms: [{ ...alarm, isUnanswered: true }, alarm] };
    expect(unnotifiedListMail(locale, unanswered).text).toContain(
      `\n\n- Room 12: Fall, 00:47 Europe/Berlin (${notified})\n- Room 12: Fall, 00:47 Europe/Berlin\n\n`,
    );
  });
});

describe('problem email', () => {
  const problem = { receiver: 'Nurse call', by: 'sms', sensor: 'Room 12', url, smsPerDay: 90 } as const;
  test.each([
    ['en', 'webhook_disabled', 'Webhook disabled: Nurse call', ['"Nurse call"', '14 days', `${links}webhooks`]],
    ['en', 'feed_not_fetched', 'Feed not fetched: Nurse call', ['"Nurse call"', '10 minutes', `${links}webhooks`]],
    ['en', 'delivery_failed', 'Fall alert not delivered: Room 12', ['(Room 12)', '"Nurse call"', `${links}deliveries`]],
    [
      'en',
      'person_not_told',
      'Fall alert not delivered: Room 12',
      ['(Room 12)', 'to Nurse call by SMS', `${links}deliveries`],
    ],
    ['en', 'sms_nearly_used', '80% of the daily SMS quota is used', ['80% of the 90 SMS', `${links}deliveries`]],
    ['de', 'webhook_disabled', 'Webhook deaktiviert: Nurse call', ['„Nurse call“', '14 Tage', `${links}webhooks`]],
    [
      'de',
      'feed_not_fetched',
      'Feed wird nicht abgerufen: Nurse call',
      ['„Nurse call“', '10 Minuten', `${links}webhooks`],
    ],
    [
      'de',
      'delivery_failed',
      'Sturzmeldung nicht zugestellt: Room 12',
      ['(Room 12)', '„Nurse call“', `${links}deliveries`],
    ],
    [
      'de',
      'person_not_told',
      'Sturzmeldung nicht zugestellt: Room 12',
      ['(Room 12)', 'konnte Nurse call nicht per SMS', `${links}deliveries`],
    ],
    [
      'de',
      'sms_nearly_used',
      '80 % des SMS-Tageskontingents sind verbraucht',
      ['80 % der 90 SMS', `${links}deliveries`],
    ],
  ] as const)(
    'a problem email states the receiver, the sensor and where to look (language %s, problem %s)',
    (locale, concern, subject, parts) => {
      const mail = problemMail(locale, concern, problem);
      expect(mail.subject).toBe(subject);
      for (const part of parts) expect(mail.text).toContain(part);
    },
  );
  test.each([
    ['en', 'a user', ['email', 'SMS', 'push notification', 'Telegram']],
    ['de', 'einem Benutzer', ['E-Mail', 'SMS', 'Push-Mitteilung', 'Telegram']],
  ] as const)(
    'a problem email names each channel and calls an unnamed person a user (language %s)',
    (locale, person, names) => {
      for (const [at, by] of (['email', 'sms', 'push', 'telegram'] as const).entries()) {
        const { text } = problemMail(locale, 'person_not_told', { ...problem, receiver: '', by });
        expect(text).toContain(person);
        expect(text).toContain(names[at] ?? '');
      }
    },
  );
});

test.each([
  ['en', 'Nobody receives alarms: Elm'],
  ['de-CH', 'Niemand erhält Alarme: Elm'],
  ['fr', 'Nobody receives alarms: Elm'],
])("the warning about missing alarm recipients is in the reader's language if supported: %s", (locale, subject) => {
  const mail = noAlarmRecipientsMail(locale, { service: 'Elm', url, runbook: 'https://wiki.example.org' });
  expect(mail.subject).toBe(subject);
  expect(mail.text).toContain(`Elm (${url})`);
});

test('the daily test email contains the service name', () => {
  const mail = canaryMail({ service: 'Elm', url });
  expect(mail.subject).toBe('Daily test email: Elm');
  expect(mail.text).toContain(`Elm (${url}) can send email`);
});

test('operators receive alarm counts per customer and situation, with a subject that SNS accepts', () => {
  const { subject, text } = operatorMessage({
    service: 'Elm',
    runbook: 'https://wiki.example.org',
    customerId: 2 ** 53 - 1,
    situations: ['apnea', 'fall_detected', 'apnea'],
  });
  expect(subject).toBe(`Nobody was notified of alarms of customer ${2 ** 53 - 1}`);
  expect(subject).toMatch(/^[ -~]{1,99}$/);
  expect(text).toContain(`${subject} (Elm): 2 apnea, 1 fall_detected. Call the customer now`);
  expect(text).toContain('https://wiki.example.org#alarms-unnotified');
});
