import { expect, test } from 'vitest';
import { MailFailure } from '#shared/delivery/targets/mail-failure.ts';

test('the failure of an email states its reason, and the response of the mail server if there is one', () => {
  expect(String(new MailFailure('recipient_refused', '550 no', true))).toBe('MailFailure: recipient_refused: 550 no');
  expect(String(new MailFailure('timeout', '', false))).toBe('MailFailure: timeout');
});
