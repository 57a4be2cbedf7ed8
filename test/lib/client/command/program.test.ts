import { readFile, stat, writeFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { table } from '#lib/client/command/print.ts';
import { readTime } from '#lib/client/command/times.ts';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { PROVISIONING_KEY, startTestCloud } from '#test/fixtures/cloud.ts';
import { type Home, startHome } from '#test/fixtures/command-io.ts';
import { startFeed } from '#test/fixtures/feed-service.ts';
import { ALL_PERMISSIONS, adminOf, createAlarm, createHome } from '#test/fixtures/home.ts';

const names = ['login', 'sensors', 'rules', 'deliveries', 'replay', 'send', 'listen', 'export', 'erase'];
let home: Home;
let cloud: Cloud;
let receiver: Receiver;
let nurse: Awaited<ReturnType<typeof createHome>>;
beforeAll(async () => {
  [cloud, receiver] = await Promise.all([startTestCloud(), startReceiver()]);
  nurse = await createHome(await adminOf(cloud.url), 'elm', ALL_PERMISSIONS);
});
beforeEach(async () => {
  home = await startHome();
});
afterEach(() => home.remove());
afterAll(async () => {
  await Promise.all([cloud.stop(), receiver.stop()]);
});
const login = (more = '') =>
  home.run(`login --url ${new URL(cloud.url).origin} --username ${nurse.username}${more}`, {
    answers: [nurse.password],
  });
type ConfigFile = { profiles: Record<string, { token: string; url: string; tokenId: string }> };
const config = async (): Promise<ConfigFile> => JSON.parse(await readFile(home.file, 'utf8'));

describe('sensor-cloud', () => {
  test('lists all commands if none is given', async () => {
    for (const args of ['', '--help']) {
      const { code, out, err } = await home.run(args);
      expect([code, err, names.filter((name) => !out.includes(`\n  ${name} `))]).toEqual([0, '', []]);
    }
  });

  test.each(names)('%s prints help, with exit code 2 for invalid options', async (name) => {
    const help = await home.run(`${name} --help`);
    expect(help).toMatchObject({ code: 0, out: expect.stringMatching(new RegExp(`^sensor-cloud ${name}`)), err: '' });
    for (const wrong of ['--nonsense', 'nonsense', '--profile'])
      expect(await home.run(`${name} ${wrong}`)).toMatchObject({
        code: 2,
        out: '',
        err: expect.stringContaining(help.out),
      });
  });

  test.each([
    'nonsense',
    'constructor',
    'deliveries --state lost',
    'replay --webhook a',
    'replay --since 1h',
    'listen',
    'replay --webhook a --since 1h --delivery b',
    'replay --webhook a --since 1h --state lost',
    'send --maker maker_c',
    'listen --forward-to localhost',
    'listen --forward-to http://a --format chat',
    'sensors --url ftp://a',
  ])('rejects "%s" as invalid usage', async (args) => {
    expect(await home.run(args)).toMatchObject({ code: 2, out: '' });
  });

  test('explains how to log in when there is no token', async () => {
    expect(await home.run('sensors')).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(/^No service is configured\..*$/),
    });
    const err = expect.stringMatching(/^Not logged in to http:\/\/localhost\/api\/v1\..*$/);
    expect(await home.run('sensors --url http://localhost')).toMatchObject({ code: 1, out: '', err });
  });

  test('accepts times as dates or as durations before now', () => {
    expect(readTime('2026-11-24T08:00:00Z', 0)).toBe(1_795_507_200_000);
    expect(['90s', '30m', '2h', '1d'].map((text) => readTime(text, 100_000_000))).toEqual([
      99_910_000, 98_200_000, 92_800_000, 13_600_000,
    ]);
    for (const wrong of ['', 'yesterday', '1w', '-1h']) expect(() => readTime(wrong, 0)).toThrow('invalid time');
  });

  test('prints tables without control characters from user-supplied text', () => {
    expect(
      table([
        { id: 1, name: 'a\u001b[31m\u009b' },
        { id: 22, name: null },
      ]),
    ).toEqual(['ID  NAME', '1   a\u{FFFD}[31m\u{FFFD}', '22  -']);
  });
});

describe('login', () => {
  test('stores a token in a file that only the owner can read, and prints no credentials', async () => {
    const { code, out, err } = await login();
    const { token, url } = (await config()).profiles.default ?? {};
    expect([code, url]).toEqual([0, cloud.url]);
    expect(token).toMatch(/^pat_/);
    expect((await stat(home.file)).mode & 0o777).toBe(0o600);
    for (const secret of [token, nurse.password]) expect(`${out}${err}`).not.toContain(secret);
    expect(await home.run('sensors --json')).toMatchObject({ code: 0, out: '[]' });
  });

  test("revokes the profile's previous token and keeps other profiles", async () => {
    await login();
    await login(' --profile prod');
    const before = (await config()).profiles;
    await login();
    const after = (await config()).profiles;
    expect(after.prod).toEqual(before.prod);
    const tokens = await nurse.client.ok<{ id: string }[]>('GET', `/users/${nurse.userId}/access-tokens`);
    const ids = JSON.stringify(tokens);
    expect([before.default, after.default, after.prod].map((login) => ids.includes(login?.tokenId ?? 'none'))).toEqual([
      false,
      true,
      true,
    ]);
  });

  test("prints the API's message for a wrong password, and stores nothing", async () => {
    const args = `login --url ${cloud.url} --username ${nurse.username}`;
    expect(await home.run(args, { answers: ['wrong'] })).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(/\(401\)\.$/),
    });
    await expect(stat(home.file)).rejects.toThrow('ENOENT');
  });

  test('asks for a two-factor code if the service requires one', async () => {
    const bodies: unknown[] = [];
    const fetch = async (request: Request): Promise<Response> => {
      if (!request.url.endsWith('/users/login')) return Response.json({ id: 'token-1', token: 'pat_1' });
      const body = Object(await request.json());
      bodies.push(body);
      return body.otp === '123456'
        ? Response.json({ id: 1, username: 'nurse', customerId: 2 }, { headers: { Token: 'ses_1' } })
        : Response.json({ message: 'a code is needed', otpRequired: true }, { status: 401 });
    };
    const args = 'login --url http://localhost --username nurse';
    const more = { fetch, answers: ['a-password', ' 123456 '] };
    expect(await home.run(args, more)).toMatchObject({ code: 0, err: '' });
    const user = { username: 'nurse', password: 'a-password' };
    expect(bodies).toEqual([user, { ...user, otp: '123456' }]);
  });

  test("sends a profile's token only to that profile's service", async () => {
    await login();
    const other = await startFeed(0);
    const { code, err } = await home.run(`sensors --url ${other.url}/`);
    expect([code, err]).toEqual([1, expect.stringContaining('Not logged in')]);
    await other.stop();
  });

  test('prefers environment variables to the profile', async () => {
    await login();
    const { token = '' } = (await config()).profiles.default ?? {};
    await writeFile(home.file, '{}');
    const env = { SENSOR_CLOUD_URL: cloud.url, SENSOR_CLOUD_TOKEN: token };
    expect(await home.run('rules --json', { env })).toMatchObject({ code: 0, out: '[]' });
    const wrong = await home.run('rules', { env: { ...env, SENSOR_CLOUD_TOKEN: 'pat_wrong' } });
    expect([wrong.code, wrong.err]).toEqual([
      1,
      expect.stringMatching(/\(401\)\. Log in again with `sensor-cloud login`\.$/),
    ]);
  });

  test('names a broken configuration file and leaves it unchanged', async () => {
    await login();
    await writeFile(home.file, '{"profiles":');
    expect(await home.run('sensors')).toMatchObject({ code: 1, err: expect.stringContaining(home.file) });
    expect(await readFile(home.file, 'utf8')).toBe('{"profiles":');
  });
});

test('a test sensor is registered once, and a fall is delivered, listed and resent', async () => {
  await login();
  const { webhook } = await createAlarm(nurse.client, receiver.url);
  expect(await home.run('send')).toMatchObject({
    code: 1,
    err: expect.stringContaining('SENSOR_CLOUD_PROVISIONING_KEY'),
  });
  const fallen = await home.run('send fall --json', { env: { SENSOR_CLOUD_PROVISIONING_KEY: PROVISIONING_KEY } });
  expect(fallen).toMatchObject({ code: 0, err: '' });
  const { sensorId } = JSON.parse(fallen.out);
  expect(fallen.out).not.toContain('dev_');
  const [got] = await receiver.until(1);
  expect(JSON.parse(got?.body ?? '').event).toMatchObject({ action: 'fall_detected' });
  await cloud.idle();

  expect(await home.run('send presence --people 2')).toMatchObject({ code: 0, out: `${sensorId} sent: presence` });
  const listed = await home.run('sensors');
  expect(listed.out).toMatch(
    new RegExp(`^ID +NAME +ACTIVE +MAKER +CUSTOMER\n${sensorId} .* yes +maker_a +${nurse.customerId}$`),
  );
  expect((await home.run('rules')).out).toMatch(/fall_detected +fall_detected +yes +all +1$/);
  const [delivery] = JSON.parse((await home.run('deliveries --json --state delivered --since 1h')).out);
  expect(delivery).toMatchObject({ event: 'fall/fall_detected', sensorId, webhookId: webhook.id });
  expect((await home.run(`deliveries --webhook ${webhook.id} --limit 1`)).out).toContain(delivery.id);

  expect((await home.run(`replay --webhook ${webhook.id} --delivery ${delivery.id}`)).code).toBe(0);
  await receiver.until(2);
  await cloud.idle();
  const replay = await home.run(`replay --webhook ${webhook.id} --since 1h --state delivered --json`);
  expect(JSON.parse(replay.out)).toMatchObject({ webhookId: webhook.id, state: expect.any(String) });
  const ids = (await receiver.until(3)).map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids).size).toBe(1);
});

test("send --sensor uses an existing sensor's token", async () => {
  const device = await nurse.client
    .as(PROVISIONING_KEY)
    .ok<{ sensorId: string; deviceToken: string }>('POST', '/devices/register', {
      manufacturer: 'maker_b',
      hardwareId: '0000000000F1',
      firmwareVersion: 1,
    });
  await login();
  const args = `send fall --maker maker_b --sensor ${device.sensorId} --over-after 30`;
  expect(await home.run(args)).toMatchObject({ code: 2, err: expect.stringContaining('SENSOR_CLOUD_DEVICE_TOKEN') });
  const waited: number[] = [];
  const more = {
    env: { SENSOR_CLOUD_DEVICE_TOKEN: device.deviceToken },
    pause: async (seconds: number) => void waited.push(seconds),
  };
  const { code, out } = await home.run(args, more);
  expect([code, out, waited]).toEqual([0, `${device.sensorId} sent: fall\n${device.sensorId} sent: over`, [30]]);
});
