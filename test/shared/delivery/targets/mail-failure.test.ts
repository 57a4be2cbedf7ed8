import { expect, test } from 'vitest';
import { MailFailure } from '#shared/delivery/targets/mail-failure.ts';

test('a mail failure states the reason and any response from the mail server', () => {
  expect(String(new MailFailure('recipient_refused', '550 no', true))).toBe('MailFailure: recipient_refused: 550 no');
  expect(String(new MailFailure('timeout', '', false))).toBe('MailFailure: timeout');
});
