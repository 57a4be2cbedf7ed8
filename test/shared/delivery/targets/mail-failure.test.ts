import { expect, test } from 'vitest';
import { MailFailure } from '#shared/delivery/targets/mail-failure.ts';

test('the failure of a mail names its reason, and the answer of the mail server if there is one', () => {
  expect(String(new MailFailure('recipient_refused', '550 no', true))).toBe('MailFailure: recipient_refused: 550 no');
  expect(String(new MailFailure('timeout', '', false))).toBe('MailFailure: timeout');
});
