import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { mockClient } from 'aws-sdk-client-mock';
import { simpleParser } from 'mailparser';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { logTo } from '#shared/observability/log.ts';
import { clientOf } from '#test/fixtures/client.ts';
import { startTestCloud, withShortPauses } from '#test/fixtures/cloud.ts';
import { adminOf, createHome, hireFor } from '#test/fixtures/home.ts';
import { runtimeOfLambda } from '#test/fixtures/lambda.ts';

const ses = mockClient(SESv2Client);
afterEach(() => {
  ses.reset();
  vi.unstubAllEnvs();
});
// Test files share modules, so the next one needs the real client.
afterAll(() => ses.restore());

/** Requests a reset code from a cloud that sends email like a Lambda function. Returns its log and the request id. */
const requestCode = async (email = 'nurse@example.com'): Promise<{ logged: string; requestId: string }> => {
  vi.stubEnv('MAIL_SENDER', 'cloud@example.com');
  const lines: string[] = [];
  const { mail } = runtimeOfLambda();
  const log = logTo((line) => lines.push(line));
  const cloud = await startTestCloud({ log, wrap: (runtime) => withShortPauses({ ...runtime, mail }) });
  const admin = await adminOf(cloud.url);
  const { customerId } = await createHome(admin, 'home', []);
  const { username } = await hireFor(admin, customerId, 'forgetful', { email, locale: 'de' });
  const answer = await clientOf(cloud.url).call('POST', '/users/password-reset', { username });
  expect([answer.status, answer.text]).toEqual([202, '{"status":"OK"}']);
  await cloud.stop();
  return { logged: lines.join('\n'), requestId: answer.headers.get('x-request-id') ?? '' };
};

const sent = () => ses.commandCalls(SendEmailCommand).map(({ args: [{ input }] }) => input);
const parsed = (input: ReturnType<typeof sent>[number] | undefined) =>
  simpleParser(Buffer.from(input?.Content?.Raw?.Data ?? ''));
const codeIn = async (input: ReturnType<typeof sent>[number] | undefined): Promise<string> =>
  /^[\w-]{32}$/m.exec((await parsed(input)).text ?? '')?.[0] ?? 'no code';

test("SES sends plain-text UTF-8 emails from the stage's address to the user", async () => {
  ses.on(SendEmailCommand).resolves({ MessageId: 'm' });
  const { logged } = await requestCode();
  const [input, ...more] = sent();
  expect(more).toEqual([]);
  expect(input).toEqual({
    FromEmailAddress: 'cloud@example.com',
    Destination: { ToAddresses: ['nurse@example.com'] },
    Content: { Raw: { Data: expect.any(Uint8Array) } },
  });
  expect(await parsed(input)).toMatchObject({
    subject: expect.stringMatching(/Passwort/),
    from: { text: 'cloud@example.com' },
    to: { text: 'nurse@example.com' },
    messageId: expect.stringMatching(/^<[0-9a-f]{32}@example\.com>$/),
    date: expect.any(Date),
  });
  expect(await codeIn(input)).not.toBe('no code');
  expect(logged).not.toContain(await codeIn(input));
});

test('the log line for an SES rejection does not contain the code', async () => {
  ses.on(SendEmailCommand).rejects(new Error('Sending is paused for this account'));
  const { logged, requestId } = await requestCode();
  expect(logged).toContain('Sending is paused');
  expect(logged).toContain(`"requestId":"${requestId}"`);
  const code = await codeIn(sent()[0]);
  expect(code).not.toBe('no code');
  expect(logged).not.toContain(code);
});

test('a stage without an address does not send email', async () => {
  vi.stubEnv('MAIL_SENDER', '');
  const { mail, settings } = runtimeOfLambda();
  await expect(mail('a@example.com', 's', 't')).rejects.toThrow('no address');
  expect([sent(), settings.MAIL_SENDER]).toEqual([[], '']);
});

test('the email domain is converted to ASCII, because SES does not accept anything else', async () => {
  ses.on(SendEmailCommand).resolves({ MessageId: 'm' });
  await requestCode('nurse@münchen.example.de');
  expect(sent()[0]?.Destination?.ToAddresses).toEqual(['nurse@xn--mnchen-3ya.example.de']);
});
