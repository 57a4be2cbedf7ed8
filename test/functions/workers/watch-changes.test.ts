import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type * as z from 'zod';
import { readSmtpUrl } from '#lib/local/mail/smtp-url.ts';
import type { Watch } from '#shared/domain/watch/watch.ts';
import { store } from '#shared/store/store.ts';
import type { Client } from '#test/fixtures/client.ts';
import { createDeliveryWorld } from '#test/fixtures/deliveries.ts';
import { adminOf, hireFor, linkSensor } from '#test/fixtures/home.ts';
import { a } from '#test/fixtures/messages.ts';
import { startSmtpServer } from '#test/fixtures/smtp-server.ts';

type WatchView = z.output<typeof Watch>;
type World = Awaited<ReturnType<typeof createDeliveryWorld>>;
type Mail = { to: string; subject: string; text: string };

let world: World;
let admin: Client;
let smtp: Awaited<ReturnType<typeof startSmtpServer>>;
beforeAll(async () => {
  smtp = await startSmtpServer();
  const server = readSmtpUrl(`smtp://127.0.0.1:${smtp.port}`) ?? expect.unreachable();
  world = await createDeliveryWorld({
    environment: { MAIL_SENDER: 'cloud@example.org', SENSOR_INACTIVE_AFTER_SECONDS: '86400' },
    smtp: { server, user: '', passwordFile: null, caFile: null, extraCaFile: null },
  });
  admin = await adminOf(world.url);
});
afterAll(async () => {
  await world.stop();
  await smtp.close();
});

const decoded = (raw: Buffer): Mail => {
  const [head = '', ...body] = raw.toString().split('\r\n\r\n');
  const joined = head.replaceAll(/\r\n\s/g, ' ');
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(joined)?.[1] ?? '';
  const text = body.join('\r\n\r\n');
  const isBase64 = /base64/i.test(header('Content-Transfer-Encoding'));
  const plain = isBase64 ? Buffer.from(text, 'base64').toString() : text.replaceAll(/=\r\n/g, '');
  return { to: header('To'), subject: header('Subject'), text: plain.replaceAll('=E2=80=93', '–') };
};

/** A home where a rule covers the only sensor's falls, with a rule manager who has an address. */
const furnish = async (name: string) => {
  const home = await world.furnish();
  await home.say(a.presence(true));
  const email = `${name}@example.org`;
  await hireFor(admin, home.customerId, `${name}-manager`, { permissions: ['manage_rules'], email });
  await hireFor(admin, home.customerId, `${name}-nurse`, { email: `${name}-nurse@example.org` });
  const [page] = await home.client.ok<[{ data: { id: number }[] }]>('GET', '/rules');
  const rule = `/rules/${page.data[0]?.id}`;
  const watch = () => home.client.ok<WatchView>('GET', `/customers/${home.customerId}/watch`);
  /** Lets a minute pass, and returns the emails that the manager received in that time. */
  const mailsAfterMinute = async (): Promise<Mail[]> => {
    await world.idle();
    const known = smtp.mails.length;
    world.skip(60_000);
    await world.idle();
    await world.checkChanges();
    return smtp.mails
      .slice(known)
      .filter(({ to }) => to.some((address) => address.startsWith(name)))
      .map(({ raw }) => decoded(raw));
  };
  // Stores the watch as it is before the changes.
  await mailsAfterMinute();
  expect((await watch()).fallsTold).toBe('all');
  const changeRule = async (part: object) => {
    const before = await home.client.ok<object>('GET', rule);
    await home.client.ok('PUT', rule, { ...before, ...part });
  };
  return { ...home, rule, watch, changeRule, mailsAfterMinute, email };
};

describe('rule managers', () => {
  test('managers get one email about a change that leaves falls uncovered', async () => {
    const home = await furnish('ada');
    await home.client.ok('DELETE', home.rule);
    const mails = await home.mailsAfterMinute();
    expect(mails.map(({ to }) => to)).toEqual([home.email]);
    expect(mails[0]?.subject).toMatch(/^Some falls are no longer reported: maple-\d+$/);
    expect(mails[0]?.text).toMatch(/maple-\d+-nurse \[n\]: rule \d+ deleted|maple-\d+-nurse.*: rule \d+ deleted/);
    expect(mails[0]?.text).toContain('No rule notifies anybody of a fall. Sensor');
    expect(mails[0]?.text).toContain('Create a rule for detected falls');
    expect(await home.mailsAfterMinute()).toEqual([]);
    expect(await home.mailsAfterMinute()).toEqual([]);
  });

  test('managers get an email about hours that no rule covers', async () => {
    const home = await furnish('bea');
    const days = [1, 2, 3, 4, 5, 6, 7];
    await home.changeRule({ schedule: { days, from: '21:00', to: '06:00', timeZone: 'UTC' } });
    const [mail] = await home.mailsAfterMinute();
    expect(mail?.text).toContain('Mon, Tue, Wed, Thu, Fri, Sat, Sun 06:00–21:00, Sensor');
    expect(mail?.text).toMatch(/rule \S+ changed \(.*schedule.*\)/);
    // Fewer hours without a rule are not a new gap.
    await home.changeRule({ schedule: { days, from: '20:00', to: '07:00', timeZone: 'UTC' } });
    expect(await home.mailsAfterMinute()).toEqual([]);
    await home.changeRule({ schedule: { days, from: '20:00', to: '06:30', timeZone: 'UTC' } });
    expect(await home.mailsAfterMinute()).toHaveLength(1);
  });

  test('managers get an email when a user goes off duty or a webhook is disabled', async () => {
    const home = await furnish('cleo');
    const webhook = await home.client.ok<object>('GET', home.at);
    await home.client.ok('PUT', home.at, { ...webhook, isEnabled: false });
    expect((await home.mailsAfterMinute())[0]?.text).toMatch(/webhook nurse call changed/);
    await home.client.ok('PUT', home.at, { ...webhook, isEnabled: true });
    expect(await home.mailsAfterMinute()).toEqual([]);
    const critical = `/sensors/${home.sensorId}/maker_a/config/critical`;
    const values = await admin.ok<object>('GET', critical);
    await admin.ok('PUT', critical, { ...values, silentModeEnabled: true });
    expect((await home.mailsAfterMinute())[0]?.text).toMatch(/admin.*: sensor Sensor \w{4} changed/);
    await admin.ok('PUT', critical, values);
    const { id: userId } = await home.client.ok<{ id: number }>('GET', '/users/me');
    const ids = { customerId: home.customerId, userId };
    await store(world.table).channels.put(
      ids,
      { by: 'email', address: 'a@example.org', provenDate: world.now() },
      null,
    );
    await home.client.ok('PUT', '/users/me/duty', { until: world.now() + 3_600_000 });
    await home.changeRule({ recipients: [{ onDuty: true, by: 'email' }] });
    expect(await home.mailsAfterMinute()).toEqual([]);
    await home.client.ok('DELETE', '/users/me/duty');
    const [mail] = await home.mailsAfterMinute();
    expect(mail?.text).toContain('nobody on duty can be notified');
  });

  test('managers get the email in their language', async () => {
    const home = await furnish('dora');
    await hireFor(admin, home.customerId, 'dora-german', {
      permissions: ['manage_rules'],
      email: 'dora-german@example.org',
      locale: 'de',
    });
    await home.client.ok('DELETE', home.rule);
    const subjects = (await home.mailsAfterMinute()).map(({ subject }) => subject).toSorted();
    expect(subjects).toEqual([
      expect.stringMatching(/utf-8|Nicht mehr/i),
      expect.stringMatching(/^Some falls are no longer/),
    ]);
  });

  test('managers get the email even if no one has ever requested the watch', async () => {
    const home = await world.furnish();
    await home.say(a.presence(true));
    const email = 'eve@example.org';
    await hireFor(admin, home.customerId, 'eve-manager', { permissions: ['manage_rules'], email });
    const [page] = await home.client.ok<[{ data: { id: number }[] }]>('GET', '/rules');
    await home.client.ok('DELETE', `/rules/${page.data[0]?.id}`);
    world.skip(5_000);
    await world.idle();
    await world.checkChanges();
    expect(smtp.mails.filter(({ to }) => to.includes(email))).toHaveLength(1);
  });
});

describe('changes that do not concern rule managers', () => {
  test('managers get no email about a gap that opened without a change', async () => {
    const home = await furnish('fay');
    await home.set({ isEnabled: false });
    await home.mailsAfterMinute();
    expect((await home.watch()).gaps[0]?.kind).toBe('webhook_off');
    await home.changeRule({ name: 'Other name' });
    expect(await home.mailsAfterMinute()).toEqual([]);
  });

  test('managers get no email about a change that leaves falls covered', async () => {
    const home = await furnish('gil');
    await home.changeRule({ name: 'Other name' });
    await linkSensor(home.client);
    expect(await home.mailsAfterMinute()).toEqual([]);
  });
});

test('a change is checked in a later run if the watch cannot be computed', async () => {
  const home = await furnish('hal');
  await home.client.ok('DELETE', home.rule);
  await world.checkChanges();
  const pending = async () => (await store(world.table).watches.changedCustomers()).map(({ customerId }) => customerId);
  // The watch is less than a minute old and does not show the change yet.
  expect(await pending()).toContain(home.customerId);
  expect(await home.mailsAfterMinute()).toHaveLength(1);
  expect(await pending()).not.toContain(home.customerId);
});
