import { simpleParser } from 'mailparser';
import { describe, expect, test } from 'vitest';
import { composeMail, type MailMessage } from '#shared/delivery/targets/mail-message.ts';

const message: MailMessage = {
  from: 'cloud@example.org',
  to: 'anna@example.com',
  subject: 'Fall in room 7',
  text: 'Please look.\n\n.\nhttps://cloud.example.org/?a=b',
  id: '0a1b',
  date: Date.UTC(2026, 10, 28, 3, 12),
};
const composed = async (more: Partial<MailMessage> = {}) => {
  const raw = await composeMail({ ...message, ...more });
  return { raw: raw.toString('latin1'), parsed: await simpleParser(raw) };
};
/** The header lines and encoded words of a raw email. */
const partsOf = (raw: string) => ({
  lines: raw.split('\r\n'),
  words: raw.match(/=\?[^?]+\?[BQ]\?[^?]*\?=/g) ?? [],
});

test('an email has RFC 5322 headers and is marked as auto-generated', async () => {
  const { parsed } = await composed();
  expect(parsed).toMatchObject({
    from: { value: [{ address: 'cloud@example.org' }] },
    to: { value: [{ address: 'anna@example.com' }] },
    subject: 'Fall in room 7',
    messageId: '<0a1b@example.org>',
    date: new Date(message.date),
    text: `${message.text}\n`,
  });
  expect(parsed.headers.get('auto-submitted')).toBe('auto-generated');
  expect(parsed.headers.get('mime-version')).toBe('1.0');
});

describe('emails with lines up to 998 bytes, encoded words up to 75, and only ASCII', () => {
  test.each<[string, Partial<MailMessage>]>([
    ['a long subject with umlauts', { subject: `Stürze in Zimmer 12: ${'ü'.repeat(100)}` }],
    ['emojis', { subject: '🚨'.repeat(200), text: '😀'.repeat(2_000) }],
    ['Arabic', { subject: 'سقوط في الغرفة '.repeat(20), text: 'سقوط '.repeat(400) }],
    ['a long word in ASCII', { subject: 'T'.repeat(128), text: `https://cloud.example.org/${'x'.repeat(2_000)}` }],
    ['a long line', { text: `${'Ä'.repeat(2_400)}\n${'word '.repeat(500)}` }],
  ])('an email preserves %s', async (_, more) => {
    const { raw, parsed } = await composed(more);
    const { lines, words } = partsOf(raw);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(998);
    expect(Math.max(0, ...words.map(({ length }) => length))).toBeLessThanOrEqual(75);
    expect(raw).toMatch(/^[\t\r\n -~]*$/);
    const { subject, text } = { ...message, ...more };
    expect(parsed.subject?.trimEnd()).toBe(subject.trimEnd());
    expect(parsed.text?.trimEnd()).toBe(text.trimEnd());
  });
});

test('a raw email is readable, with plain addresses and quoted-printable text', async () => {
  const { raw } = await composed({ subject: 'Stürze', text: 'Please look.' });
  const { lines, words } = partsOf(raw);
  expect(lines).toEqual(
    expect.arrayContaining([
      'From: cloud@example.org',
      'To: anna@example.com',
      'Content-Transfer-Encoding: quoted-printable',
      'Please look.',
    ]),
  );
  expect(words).toEqual([`=?UTF-8?B?${Buffer.from('Stürze').toString('base64')}?=`]);
  expect(raw).not.toMatch(/(?<!\r)\n/);
});

test('an email from a host without a domain still has a Message-ID', async () => {
  expect((await composed({ from: 'outbox' })).raw).toContain('Message-ID: <0a1b@localhost>\r\n');
});

test('an email subject cannot add a header', async () => {
  const { parsed } = await composed({ subject: 'Fall\r\nBcc: b@example.com\r\n\r\nx' });
  expect([...parsed.headers.keys()]).not.toContain('bcc');
  expect(parsed.subject).toMatch(/^Fall Bcc: b@example.com +x$/);
  expect(parsed.text?.trimEnd()).toBe(message.text);
});

test('the domain of an email address is converted to ASCII', async () => {
  expect((await composed({ to: 'anna@münchen.example' })).raw).toContain('\r\nTo: anna@xn--mnchen-3ya.example\r\n');
});
