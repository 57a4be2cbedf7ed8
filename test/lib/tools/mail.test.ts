import type { SMTPServerOptions } from 'smtp-server';
import { afterEach, expect, test } from 'vitest';
import { sendTestMail } from '#lib/tools/mail.ts';
import { answer, startSmtpServer } from '#test/fixtures/smtp-server.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** Sends a test email to a server. Returns whether it was accepted and what was printed. */
const sent = async (options: SMTPServerOptions, more: Record<string, string> = {}) => {
  const { port, close, mails } = await startSmtpServer(options);
  closing.push(close);
  const lines: string[] = [];
  const env = { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_SENDER: 'cloud@example.org', PORT: 'not read', ...more };
  const tools = {
    now: () => 0,
    random: (bytes: number) => new Uint8Array(bytes),
    print: (line: string) => void lines.push(line),
  };
  return { isAccepted: await sendTestMail('anna@example.com', env, tools), lines, mails };
};

test("a test email is sent with the host's settings", async () => {
  const { isAccepted, lines, mails } = await sent({});
  expect([isAccepted, lines]).toEqual([true, [expect.stringContaining('accepted the mail to anna@example.com')]]);
  expect(mails.map(({ from, to }) => [from, to])).toEqual([['cloud@example.org', ['anna@example.com']]]);
});

test.each<[string, SMTPServerOptions, RegExp[]]>([
  [
    'a refused recipient',
    { onRcptTo: (_address, _session, done) => done(answer(550, '5.1.1 no such user')) },
    [/^The mail server refused the recipient: check the address\.$/, /^Its answer: 550 5\.1\.1 no such user$/],
  ],
  [
    'greylisting',
    { onRcptTo: (_address, _session, done) => done(answer(451, '4.7.1 greylisted')) },
    [/try again later/, /451 4\.7\.1 greylisted/],
  ],
  ['an unverifiable certificate', { disabledCommands: ['AUTH'] }, [/DEPTH_ZERO_SELF_SIGNED_CERT.*set SMTP_CA/]],
])("the mail tool explains %s in one sentence, with the server's response", async (_, options, expected) => {
  const { isAccepted, lines } = await sent(options);
  expect([isAccepted, lines]).toEqual([false, expected.map((line) => expect.stringMatching(line))]);
});

test.each<[Record<string, string>, RegExp]>([
  [{ SMTP_URL: '' }, /^SMTP_URL is not set, so mails are not sent/],
  [{ SMTP_URL: 'here' }, /SMTP_URL must be smtp:/],
  [{ MAIL_SENDER: '' }, /MAIL_SENDER is missing/],
])('the mail tool reports the incorrect settings %j', async (more, sentence) => {
  await expect(sent({}, more)).rejects.toThrow(sentence);
});
