import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { simpleParser } from 'mailparser';
import type { SMTPServerOptions } from 'smtp-server';
import { afterAll, afterEach, expect, test } from 'vitest';
import type * as z from 'zod';
import { skippingClock } from '#lib/local/clock.ts';
import { readSmtpUrl } from '#lib/local/mail/smtp-url.ts';
import type { DeliveryDetail, DeliveryView } from '#shared/domain/delivery/delivery-view.ts';
import { logTo } from '#shared/observability/log.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createHome, fallMessage, hireFor, linkSensor } from '#test/fixtures/home.ts';
import { answer, startSmtpServer } from '#test/fixtures/smtp-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'mail-on-premises-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});
const HOUR = 3_600_000;

/** A home with a nurse. Its emails go to a mail server that requires a password. */
const createWorld = async (options: SMTPServerOptions = {}) => {
  const server = { password: 'first' };
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, server.password);
  const smtpServer = await startSmtpServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ username = '', password }, _session, done) =>
      password === server.password ? done(null, { user: username }) : done(answer(535, '5.7.8 authentication failed')),
    ...options,
  });
  closing.push(smtpServer.close);
  const clock = skippingClock(Date.now());
  const log: string[] = [];
  const cloud = await startTestCloud({
    clock,
    environment: { MAIL_SENDER: 'cloud@example.org' },
    smtp: {
      server: readSmtpUrl(`smtp://127.0.0.1:${smtpServer.port}`) ?? expect.unreachable(),
      user: 'cloud',
      passwordFile,
      caFile: null,
      extraCaFile: null,
    },
    log: logTo((line) => log.push(line)),
  });
  closing.push(cloud.stop);
  const admin = await adminOf(cloud.url);
  const home = await createHome(admin, 'linden', ALL_PERMISSIONS);
  const { customerId, client } = home;
  const nurse = await hireFor(admin, customerId, 'anna');
  const sensor = await linkSensor(client);
  return {
    ...smtpServer,
    cloud,
    clock,
    log,
    server,
    nurse,
    setPassword: (password: string) => writeFileSync(passwordFile, password),
    /** Sets the nurse's email channel, and returns the response. */
    setChannel: () => nurse.client.call('PUT', '/users/me/channels/email', { address: 'anna@example.com' }),
    prove: (code: string) => nurse.client.ok('POST', '/users/me/channels/email/proof', { code }),
    addRule: () =>
      client.ok('POST', '/rules', {
        name: 'falls',
        title: 'Sturz: {sensor}',
        message: 'Bitte nachsehen: Zimmer 7, Tür rechts.',
        situation: 'fall_detected',
        recipients: [{ userId: nurse.id, by: 'email' }],
      }),
    fall: async () => {
      await sensor.device.ok('POST', `/devices/${sensor.sensorId}/messages`, fallMessage('calling', clock.now()));
      await cloud.idle();
    },
    pass: async (ms: number) => {
      clock.skipTo(clock.now() + ms);
      await cloud.sweep();
      await cloud.idle();
    },
    delivery: async () => {
      const at = `/customers/${customerId}/deliveries`;
      const [page] = await client.ok<{ data: DeliveryView[] }[]>('GET', at);
      return client.ok<z.output<typeof DeliveryDetail>>('GET', `${at}/${page?.data[0]?.id}`);
    },
    health: async () => {
      const { status, body } = await admin.call('GET', '/health');
      return [status, (body as { mail: unknown }).mail];
    },
  };
};

test('an alarm is retried until the new mail password is set', async () => {
  const world = await createWorld();
  const { mails, server, cloud } = world;
  expect(await world.health()).toEqual([200, 'OK']);
  expect(await world.setChannel()).toMatchObject({ status: 200 });
  const { subject = '', text = '' } = await simpleParser(mails[0]?.raw ?? '');
  const [code = ''] = /\b\d{6}\b/.exec(subject) ?? [];
  expect(text).toContain(code);
  await world.prove(code);
  await world.addRule();

  server.password = 'second';
  world.hangUp();
  await world.fall();
  expect(await world.health()).toEqual([503, 'FAILING']);
  for (let hours = 0; hours < 6; hours++) for (let quarter = 0; quarter < 4; quarter++) await world.pass(HOUR / 4);
  const failing = await world.delivery();
  expect(failing).toMatchObject({ state: 'retrying', reason: null });
  expect(failing.attempts).toBeGreaterThan(5);
  expect(failing.attemptLog.map(({ error, responseBody }) => [error, responseBody])).toEqual(
    Array(failing.attempts).fill(['login_refused', '535 5.7.8 authentication failed']),
  );
  const measured = await (await fetch(new URL('/metrics', cloud.url))).text();
  expect(measured).toContain(`mail_server_failures_total{reason="login_refused"} ${failing.attempts}\n`);
  expect(cloud.valuesOf('AlarmsFailed')).toEqual([]);
  expect(world.log.join('\n')).toContain('535 5.7.8 authentication failed');
  expect(world.log.join('\n')).not.toMatch(/first|second/);

  world.setPassword('second');
  await world.pass(2 * HOUR);
  expect(await world.delivery()).toMatchObject({ state: 'delivered', attempts: failing.attempts + 1 });
  expect(await world.health()).toEqual([200, 'OK']);
  const alarm = await simpleParser(mails[1]?.raw ?? '');
  expect(alarm.text).toContain('Bitte nachsehen: Zimmer 7, Tür rechts.');
});

test("a delivery fails with the mail server's response if the server refuses the recipient", async () => {
  let refusal: Error | null = null;
  const world = await createWorld({ onRcptTo: (_address, _session, done) => done(refusal) });
  await world.setChannel();
  await world.prove(/\b\d{6}\b/.exec(String(world.mails[0]?.raw))?.[0] ?? '');
  await world.addRule();
  refusal = answer(550, '5.1.1 <anna@example.com>: no such user');
  await world.fall();
  const { state, reason, attemptLog } = await world.delivery();
  expect([state, reason, attemptLog]).toEqual([
    'failed',
    'gone',
    [expect.objectContaining({ error: 'recipient_refused', responseBody: '550 5.1.1 <(address)>: no such user' })],
  ]);
  expect(await world.health()).toEqual([200, 'OK']);
  expect(world.cloud.valuesOf('AlarmsFailed')).toHaveLength(1);
});

test('users cannot add a channel whose address the mail server refuses', async () => {
  const world = await createWorld({ onRcptTo: (_address, _session, done) => done(answer(550, 'no such user')) });
  expect(await world.setChannel()).toMatchObject({ status: 400 });
});
