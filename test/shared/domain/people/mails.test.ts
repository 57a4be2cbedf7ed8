import { expect, test } from 'vitest';
import { heldUntil } from '#shared/domain/delivery/delivery.ts';
import { isExpired, UNFETCHED_ALERT_AFTER } from '#shared/domain/delivery/feed.ts';
import { derivedUlid } from '#shared/domain/ids.ts';
import { noAlarmRecipientsMail } from '#shared/domain/people/no-alarm-recipients-mail.ts';
import { type DeliveryProblem, problemMail } from '#shared/domain/people/problem-mail.ts';

const DAY = 86_400_000;
const now = 1_800_000_000_000;
const textOf = (locale: string, concern: DeliveryProblem) =>
  problemMail(locale, concern, {
    receiver: 'r',
    by: 'sms',
    sensor: 's',
    url: 'https://cloud.example.org',
    smsPerDay: 9,
  }).text;

test.each(['en', 'de'])('the email about a disabled webhook states how many days deliveries are held: %s', (locale) => {
  const days = (heldUntil(derivedUlid(now, 'a'), now) - now) / DAY;
  expect(textOf(locale, 'webhook_disabled')).toMatch(new RegExp(`\\b${days} (days|Tage)\\b`));
});

test.each(['en', 'de'])('the email about an unfetched feed states when deliveries expire: %s', (locale) => {
  const text = textOf(locale, 'feed_not_fetched');
  const [days = ''] = /\d+(?= (days|Tage)\b)/.exec(text) ?? [];
  expect(text).toMatch(new RegExp(`\\b${UNFETCHED_ALERT_AFTER / 60_000} (minutes|Minuten)\\b`));
  const expiring = { createDate: now - Number(days) * DAY };
  expect([isExpired(expiring, now), isExpired(expiring, now - 1)]).toEqual([true, false]);
});

test.each(['en', 'de'])("the email about unconfirmed alarms links to the stage's runbook: %s", (locale) => {
  const runbook = 'https://wiki.example.org/runbook';
  const { text } = noAlarmRecipientsMail(locale, { service: 'Elm', url: 'https://elm.example.org', runbook });
  expect(text).toContain(`${runbook}#alarms-unheard`);
  expect(text).not.toContain('runbook.md');
});
