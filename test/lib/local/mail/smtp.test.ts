import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SMTPServerOptions } from 'smtp-server';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { createSmtp } from '#lib/local/mail/smtp.ts';
import type { SmtpSettings } from '#lib/local/mail/smtp-settings.ts';
import { readSmtpUrl } from '#lib/local/mail/smtp-url.ts';
import type { MailFailure } from '#shared/delivery/targets/mail-failure.ts';
import { answer, CERTIFICATE_FILE, startSmtpServer } from '#test/fixtures/smtp-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'smtp-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const TO = 'anna@example.com';
const serverAt = (url: string) => readSmtpUrl(url) ?? expect.unreachable();

/** Sends through the mail server at a URL and counts server failures. */
const senderTo = (url: string, more: Partial<SmtpSettings> & { deadlineMs?: number; starttls?: true } = {}) => {
  const { deadlineMs = 10_000, starttls, ...settings } = more;
  const server = { ...serverAt(url), ...(starttls && { encryption: 'starttls' as const }) };
  const failures: MailFailure[] = [];
  const smtp = createSmtp(
    { server, user: server.user, passwordFile: null, caFile: null, extraCaFile: null, ...settings },
    {
      sender: 'cloud@example.org',
      deadlineMs,
      now: () => 1_790_000_000_000,
      random: (bytes) => new Uint8Array(bytes).fill(7),
      onFailure: (failure) => failures.push(failure),
    },
  );
  closing.push(smtp.close);
  const send = (to = TO, subject = 'Fall in room 7') =>
    smtp.mail(to, subject, 'Please look.').then(
      () => 'accepted' as const,
      ({ reason, answer: given, isFinal }: MailFailure) => ({ reason, answer: given, isFinal }),
    );
  return { send, state: smtp.state, failures };
};
const serving = async (options?: SMTPServerOptions) => {
  const server = await startSmtpServer(options);
  closing.push(server.close);
  return { ...server, url: `smtp://127.0.0.1:${server.port}` };
};
/** Starts a server that is not a mail server. */
const listening = async (onConnection: (socket: Socket) => void) => {
  const server = createServer(onConnection).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => server.close());
  return `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

test('sends several emails over one connection', async () => {
  const { url, mails, connections } = await serving();
  const { send, state } = senderTo(url);
  for (let count = 0; count < 3; count++) expect(await send()).toBe('accepted');
  expect(mails.map(({ from, to }) => [from, to])).toEqual(Array(3).fill(['cloud@example.org', [TO]]));
  expect([connections(), state()]).toEqual([1, 'OK']);
});

test('reads a new password from the file without a restart', async () => {
  let password = 'first';
  const { url, mails } = await serving({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ username = '', password: given }, _session, done) =>
      given === password ? done(null, { user: username }) : done(answer(535, '5.7.8 authentication failed')),
  });
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, 'first\n');
  const { send, state } = senderTo(url, { user: 'cloud', passwordFile });
  expect(await send()).toBe('accepted');
  password = 'second';
  writeFileSync(passwordFile, 'a typo\n');
  expect([await send(), state()]).toEqual([expect.objectContaining({ reason: 'login_refused' }), 'FAILING']);
  writeFileSync(passwordFile, 'second\n');
  expect([await send(), state()]).toEqual(['accepted', 'OK']);
  expect(mails.map(({ user }) => user)).toEqual(['cloud', 'cloud']);
});

test('sends more emails over the same connection after one was rejected', async () => {
  const answers = [answer(550, 'no such user'), answer(451, 'later'), null];
  const { url, connections } = await serving({ onRcptTo: (_address, _session, done) => done(answers.shift()) });
  const { send, state } = senderTo(url);
  expect([await send(), await send(), await send()]).toEqual([
    expect.objectContaining({ reason: 'recipient_refused' }),
    expect.objectContaining({ reason: 'try_later' }),
    'accepted',
  ]);
  expect([connections(), state()]).toEqual([1, 'OK']);
});

describe('an email', () => {
  const withTls: SMTPServerOptions = { disabledCommands: ['AUTH'] };
  test.each([
    ['goes over STARTTLS where it is required', withTls, 'smtp', { starttls: true }, true],
    ['goes over STARTTLS on loopback if it is offered', withTls, 'smtp', {}, true],
    ['goes over TLS with an smtps URL', { ...withTls, secure: true }, 'smtps', {}, true],
    ['goes unencrypted on loopback if STARTTLS is not offered', {}, 'smtp', {}, false],
  ] as const)('%s', async (_, options, scheme, more, isEncrypted) => {
    const { url, mails } = await serving({ ...options });
    const { send } = senderTo(url.replace('smtp', scheme), { caFile: CERTIFICATE_FILE, ...more });
    expect([await send(), mails.map((mail) => mail.isEncrypted)]).toEqual(['accepted', [isEncrypted]]);
  });
  test('an email goes to a server with an extra trusted certificate', async () => {
    const { url } = await serving({ ...withTls, secure: true });
    const smtps = url.replace('smtp', 'smtps');
    expect(await senderTo(smtps, { extraCaFile: CERTIFICATE_FILE }).send()).toBe('accepted');
    // The mail server's authority replaces the Node.js authorities, but not the extra authorities.
    const caFile = new URL('../../../fixtures/stranger.crt', import.meta.url).pathname;
    expect(await senderTo(smtps, { caFile, extraCaFile: CERTIFICATE_FILE }).send()).toBe('accepted');
  });
  test('an email goes unencrypted with ?tls=none, even if STARTTLS is offered', async () => {
    const { url, mails } = await serving(withTls);
    expect([await senderTo(`${url}?tls=none`).send(), mails.map((mail) => mail.isEncrypted)]).toEqual([
      'accepted',
      [false],
    ]);
  });
});

test('sends to a domain with umlauts under the ASCII name', async () => {
  const { url, mails } = await serving();
  expect(await senderTo(url).send('anna@münchen.example')).toBe('accepted');
  expect(String(mails[0]?.raw)).toContain('\r\nTo: anna@xn--mnchen-3ya.example\r\n');
});

describe('a rejected email', () => {
  test('an email to a rejected recipient fails permanently, reporting the response without the address', async () => {
    const { url } = await serving({
      onRcptTo: ({ address }, _session, done) => done(answer(550, `5.1.1 <${address}>: no such user`)),
    });
    const { send, state, failures } = senderTo(url);
    expect(await send()).toEqual({
      reason: 'recipient_refused',
      answer: '550 5.1.1 <(address)>: no such user',
      isFinal: true,
    });
    expect([state(), failures]).toEqual(['OK', []]);
  });
  test('an email with rejected content fails permanently', async () => {
    const { url } = await serving({
      onData: (stream, _session, done) => void stream.resume().on('end', () => done(answer(554, '5.7.1 spam'))),
    });
    const { send, state } = senderTo(url);
    expect(await send()).toEqual({ reason: 'message_refused', answer: '554 5.7.1 spam', isFinal: true });
    expect(state()).toBe('OK');
  });
});

describe('the mail client, which reports a failing server until it accepts an email,', () => {
  const expectFailure = async (url: string, reason: string, more: Parameters<typeof senderTo>[1] = {}) => {
    const { send, state, failures } = senderTo(url, more);
    expect(await send()).toMatchObject({ reason, isFinal: false });
    expect([state(), failures.map((failure) => failure.reason)]).toEqual(['FAILING', [reason]]);
  };
  const withLogin: SMTPServerOptions = {
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: (_auth, _session, done) => done(answer(535, '5.7.8 authentication failed')),
  };
  const asUser = (url: string) => url.replace('//', '//cloud:a-secret@');

  test('retries an email after a 535 response to the login', async () => {
    const { url } = await serving(withLogin);
    await expectFailure(asUser(url), 'login_refused');
  });
  test('retries an email instead of sending without a login when the server no longer offers one', async () => {
    const { url, mails } = await serving();
    await expectFailure(asUser(url), 'login_refused');
    expect(mails).toEqual([]);
  });
  test('retries an email after a 530 response that demands a login', async () => {
    const { url } = await serving({ onRcptTo: (_address, _session, done) => done(answer(530, '5.7.0 log in first')) });
    await expectFailure(url, 'login_refused');
  });
  test('retries an email after a 550 response to the sender', async () => {
    const { url } = await serving({ onMailFrom: (_address, _session, done) => done(answer(550, '5.7.1 not you')) });
    await expectFailure(url, 'sender_refused');
  });
  test.each(['onRcptTo', 'onMailFrom'] as const)('retries an email after a 451 response to %s', async (command) => {
    const { url } = await serving({
      [command]: (_a: unknown, _s: unknown, done: (error: Error) => void) => done(answer(451, '4.7.1 greylisted')),
    });
    await expectFailure(url, 'try_later');
  });
  test('retries an email after a 452 response to the content', async () => {
    const { url } = await serving({
      onData: (stream, _session, done) => void stream.resume().on('end', () => done(answer(452, '4.3.1 disk full'))),
    });
    await expectFailure(url, 'try_later');
  });
  test('retries an email after a 554 greeting', async () => {
    const { url } = await serving({ onConnect: (_session, done) => done(answer(554, 'no service')) });
    await expectFailure(url, 'protocol_error');
  });
  test('retries an email after a 421 greeting', async () => {
    const { url } = await serving({ onConnect: (_session, done) => done(answer(421, 'too busy')) });
    await expectFailure(url, 'try_later');
  });
  test('retries an email after a refused connection', async () => {
    const { url, close } = await startSmtpServer().then((server) => ({
      ...server,
      url: `smtp://127.0.0.1:${server.port}`,
    }));
    await close();
    await expectFailure(url, 'connect_refused');
  });
  test('retries an email when the host name does not resolve', async () => {
    await expectFailure('smtp://mail.invalid:25?tls=none', 'dns_failed');
  });
  test('retries an email when the greeting takes too long', async () => {
    await expectFailure(await listening(() => {}), 'timeout', { deadlineMs: 200 });
  });
  test('retries an email when the server responds too slowly', async () => {
    const url = await listening((socket) => {
      // Each chunk arrives before the socket times out.
      const trickle = setInterval(() => socket.write('220-'), 20);
      socket.on('error', () => {}).on('close', () => clearInterval(trickle));
    });
    await expectFailure(url, 'timeout', { deadlineMs: 300 });
  });
  test('retries an email when the server hangs up before the greeting', async () => {
    await expectFailure(await listening((socket) => void socket.destroy()), 'connection_closed');
  });
  test('retries an email when the server hangs up during the email', async () => {
    const { url, hangUp } = await serving({ onData: (stream) => void stream.once('data', () => hangUp()) });
    await expectFailure(url, 'connection_closed');
  });
  test('retries an email after a certificate from an authority that Node.js does not trust', async () => {
    const { url } = await serving({ disabledCommands: ['AUTH'] });
    await expectFailure(url, 'DEPTH_ZERO_SELF_SIGNED_CERT');
    await expectFailure(url, 'DEPTH_ZERO_SELF_SIGNED_CERT', { starttls: true });
  });
  test('retries an email after a certificate for another name', async () => {
    const { url } = await serving({ disabledCommands: ['AUTH'] });
    await expectFailure(url.replace('127.0.0.1', 'localhost'), 'ERR_TLS_CERT_ALTNAME_INVALID', {
      caFile: CERTIFICATE_FILE,
    });
  });
  test('retries an email when the server does not offer the required STARTTLS', async () => {
    const { url, mails } = await serving();
    await expectFailure(url, 'tls_not_offered', { starttls: true });
    expect(mails).toEqual([]);
  });
  test('retries an email when the password file cannot be read', async () => {
    const { url } = await serving();
    await expectFailure(url, 'settings_unreadable', { user: 'cloud', passwordFile: join(folder, 'nowhere') });
  });
});
