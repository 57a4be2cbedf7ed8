import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '#lib/local/clock.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { store } from '#shared/store/store.ts';
import { sendRaw } from '#test/contracts/raw.ts';
import { type Client, register } from '#test/fixtures/client.ts';
import { PROVISIONING_KEY, startTestCloud } from '#test/fixtures/cloud.ts';
import { adminOf, createHome, hireFor, linkSensor, nextHardwareId } from '#test/fixtures/home.ts';

let cloud: Cloud;
let admin: Client;
let home: Awaited<ReturnType<typeof createHome>>;
let ahead = 0;
beforeAll(async () => {
  const clock = { now: () => systemClock.now() + ahead, after: systemClock.after };
  cloud = await startTestCloud({ clock });
  admin = await adminOf(cloud.url);
  home = await createHome(admin, 'home', []);
});
afterAll(async () => {
  await cloud.stop();
});

let last = 0;
const nextUuid = () => `00000000-0000-4000-8000-${String(++last).padStart(12, '0')}`;
const link = (client: Client, code: string, manufacturer = 'maker_a') =>
  client.call('POST', '/sensors/link', { manufacturer, code });
const newDevice = (hardwareId = nextHardwareId()) => register(admin, PROVISIONING_KEY, hardwareId);

describe('registering a device', () => {
  test('re-registering a device replaces and invalidates the old token and pairing code', async () => {
    const hardwareId = nextHardwareId();
    const first = await newDevice(hardwareId);
    const again = await admin.as(PROVISIONING_KEY).call('POST', '/devices/register', {
      manufacturer: 'maker_a',
      hardwareId: hardwareId.toLowerCase().replaceAll(/(..)(?!$)/g, '$1:'),
      firmwareVersion: 43,
    });
    expect(again.status).toBe(200);
    const second = again.body as typeof first;
    expect(second.sensorId).toBe(first.sensorId);
    const post = (token: string) =>
      admin.as(token).call('POST', `/devices/${first.sensorId}/messages`, { type: 'state', payload: {} });
    expect((await post(first.deviceToken)).status).toBe(401);
    expect((await post(second.deviceToken)).status).toBe(202);
    expect((await link(home.client, first.pairingCode)).status).toBe(404);
    expect((await link(home.client, second.pairingCode)).status).toBe(200);
    expect(await home.client.ok('GET', `/sensors/${first.sensorId}`)).toMatchObject({ firmwareVersion: 43 });
  });
  test('registering a device requires a provisioning key for the right maker', async () => {
    const body = { manufacturer: 'maker_a', name: 'only A' };
    const { key } = await admin.ok<{ key: string }>('POST', '/provisioning-keys', body);
    const device = { manufacturer: 'maker_b', hardwareId: nextHardwareId(), firmwareVersion: 1 };
    expect((await admin.as(key).call('POST', '/devices/register', device)).status).toBe(403);
    expect((await admin.call('POST', '/devices/register', device)).status).toBe(401);
  });
  test.each([
    ['maker_a', '0123456789A'],
    ['maker_a', '01:23:45:67:89AB'],
    ['maker_a', '0123456789AG'],
    ['maker_b', '0123456789ab'],
    ['maker_b', '01:23:45:67:89:AB'],
  ])('registering a %s device with hardware id %s returns a 400', async (manufacturer, hardwareId) => {
    const device = { manufacturer, hardwareId, firmwareVersion: 1 };
    const answer = await admin.as(PROVISIONING_KEY).call('POST', '/devices/register', device);
    expect([answer.status, (answer.body as { errors: object[] }).errors]).toMatchObject([
      400,
      [{ path: 'hardwareId' }],
    ]);
  });
  test('registering a device returns ids in the documented formats', async () => {
    expect((await newDevice('0123456789AB')).sensorId).toBe('id_MDE6MjM6NDU6Njc6ODk6QUI');
    const other = await register(admin, PROVISIONING_KEY, nextHardwareId(), 'maker_b');
    expect(other.sensorId).toMatch(/^id_[0-9A-Z]{9}$/);
    expect(other.pairingCode).toMatch(/^[2-9A-HJ-NP-Z]{8}$/);
  });
});

describe('pairing codes', () => {
  test('a pairing code works only once, and an invalid code returns a 404', async () => {
    const { client } = await createHome(admin, 'pairs', []);
    const used = await newDevice();
    const wrong = await newDevice();
    const old = await newDevice();
    expect((await link(client, used.pairingCode.toLowerCase())).status).toBe(200);
    const unknown = await link(client, '22222222');
    expect(unknown.status).toBe(404);
    expect((await link(client, used.pairingCode)).text).toBe(unknown.text);
    expect((await link(client, wrong.pairingCode, 'maker_b')).text).toBe(unknown.text);
    ahead += 15 * 60_000;
    expect((await link(client, old.pairingCode)).text).toBe(unknown.text);
  });
  test('five wrong pairing codes block that user, but not other users', async () => {
    const { client, customerId } = await createHome(admin, 'guesses', []);
    const colleague = await hireFor(admin, customerId, 'colleague');
    const { pairingCode } = await newDevice();
    for (let n = 0; n < 5; n++) expect((await link(client, `2222222${n + 2}`)).status).toBe(404);
    const sixth = await link(client, '22222222');
    expect(sixth.status).toBe(429);
    expect(Number(sixth.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await link(client, pairingCode)).status).toBe(429);
    expect((await link(colleague.client, pairingCode)).status).toBe(200);
    ahead += 15 * 60_000 + 1_000;
    expect((await link(client, (await newDevice()).pairingCode)).status).toBe(200);
  });
  test('a pairing code may contain spaces', async () => {
    const { pairingCode } = await newDevice();
    expect((await link(home.client, ` ${pairingCode.slice(0, 4)} ${pairingCode.slice(4)}\t`)).status).toBe(200);
    expect((await link(home.client, '2222 222')).status).toBe(400);
  });
  test('only system admins can link a sensor to another customer', async () => {
    const { client, customerId } = await createHome(admin, 'served', []);
    const { sensorId, pairingCode: code } = await newDevice();
    const linkFor = (by: Client, to: number) =>
      by.call('POST', '/sensors/link', { manufacturer: 'maker_a', code, customerId: to });
    expect((await linkFor(home.client, customerId)).status).toBe(403);
    expect((await linkFor(admin, 987_654)).status).toBe(400);
    expect((await linkFor(admin, customerId)).status).toBe(200);
    expect((await client.call('GET', `/sensors/${sensorId}`)).status).toBe(200);
  });
  test('linking eight sensors in parallel does not count as entering wrong codes', async () => {
    const { client } = await createHome(admin, 'hurries', []);
    const devices = await Promise.all(Array.from({ length: 8 }, () => newDevice()));
    const answers = await Promise.all(devices.map(({ pairingCode }) => link(client, pairingCode)));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
  });
  test('returns a 409 when another customer tries to link the sensor', async () => {
    const other = await createHome(admin, 'other', []);
    const sensor = await linkSensor(home.client);
    const newCode = async () =>
      (await sensor.device.ok<{ pairingCode: string }>('POST', `/devices/${sensor.sensorId}/pairing-code`)).pairingCode;
    expect((await link(home.client, await newCode())).status).toBe(200);
    const code = await newCode();
    expect((await link(other.client, code)).status).toBe(409);
    expect((await link(admin, code)).status).toBe(409);
    expect((await other.client.call('GET', `/sensors/${sensor.sensorId}`)).status).toBe(404);
  });
});

describe('requests with messages', () => {
  const events = () => store(cloud.runtime.table).events;
  const message = (uuid: string, more: object = {}) => ({ type: 77, uuid, payload: {}, ...more });
  const KIB = 1_024;

  test.each([
    ['malformed JSON', (good: string) => `[${good},{"type":]`, 400],
    ['101 messages', (good: string) => `[${Array(100).fill('{"type":1}').join(',')},${good}]`, 400],
    ['a message that is not an object', (good: string) => `[${good},7]`, 400],
    ['a message that is an inexact number', (good: string) => `[1.5,${good}]`, 400],
    ['a message over 200 KiB', (good: string) => `[${good},{"a":"${'x'.repeat(200 * KIB - 7)}"}]`, 413],
    ['more than 1 MiB', (good: string) => `[${good},{"a":1}${' '.repeat(1_024 * KIB)}]`, 413],
    [
      'bytes that are not UTF-8',
      (good: string) => Buffer.concat([Buffer.from(`[${good},{"a":"`), Buffer.of(0xff), Buffer.from('"}]')]),
      400,
    ],
  ])('rejects an entire request with %s', async (_, bodyOf, status) => {
    const { sensorId, deviceToken } = await linkSensor(home.client);
    const uuid = nextUuid();
    const body = bodyOf(JSON.stringify(message(uuid)));
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${deviceToken}` };
    const answer = await sendRaw(`${cloud.url}/devices/${sensorId}/messages`, { method: 'POST', headers, body });
    expect(answer.status, answer.text).toBe(status);
    await cloud.idle();
    expect(await events().get(home.customerId, sensorId, uuid)).toBeNull();
    expect(await store(cloud.runtime.table).states.get(home.customerId, sensorId)).toBeNull();
  });

  test('a request may contain 100 messages, or one of exactly 200 KiB', async () => {
    const { sensorId, device } = await linkSensor(home.client);
    const hundred = JSON.stringify(Array.from({ length: 100 }, () => message(nextUuid())));
    expect((await device.call('POST', `/devices/${sensorId}/messages`, hundred)).status).toBe(202);
    const large = `{"a":"${'x'.repeat(200 * KIB - 8)}"}`;
    expect((await device.call('POST', `/devices/${sensorId}/messages`, large)).status).toBe(202);
    expect((await device.call('POST', `/devices/${sensorId}/messages`, '[]')).status).toBe(202);
  });

  test('the bytes of each message in a request are preserved', async () => {
    const { sensorId, device } = await linkSensor(home.client);
    const first = nextUuid();
    const second = nextUuid();
    const third = nextUuid();
    const odd = [
      `{ "type" : 5.0,\n\t"uuid":"${first}", "payload":{"a":1e2,"b":[ 1 ,-0,9007199254740993], "a":2 } }`,
      `{"type":"\\u0061\\ud800","uuid":"${second}","payload":{"t":"],[}\\"{ \u{1f3e5} ä \\\\","__proto__":{"x":1}}}`,
    ];
    const single = ` {"uuid":"${third}" , "x":"\u{7f}"}  `;
    await device.ok('POST', `/devices/${sensorId}/messages`, ` [ ${odd.join(' ,\n')} ]`);
    await device.ok('POST', `/devices/${sensorId}/messages`, single);
    await cloud.idle();
    const kept = await Promise.all([first, second, third].map((uuid) => events().get(home.customerId, sensorId, uuid)));
    expect(kept.map((event) => event?.raw)).toEqual([...odd, single.trim()]);
  });

  test('a message from an unlinked sensor is stored as an event', async () => {
    const { sensorId, deviceToken } = await newDevice();
    const uuid = nextUuid();
    await admin.as(deviceToken).ok('POST', `/devices/${sensorId}/messages`, message(uuid));
    await cloud.idle();
    expect(await events().get(0, sensorId, uuid)).toMatchObject({ type: 'unknown', action: 'received' });
    expect((await store(cloud.runtime.table).states.get(0, sensorId))?.lastSeen).toBeGreaterThan(0);
  });
});

describe('message responses', () => {
  test('omits warnings from the response if every message was understood', async () => {
    const { sensorId, device } = await linkSensor(home.client);
    const message = { type: 4, payload: { presenceDetected: true }, more: 1 };
    expect(await device.ok('POST', `/devices/${sensorId}/messages`, message)).toEqual({ status: 'OK' });
  });

  test('returns up to 20 warnings, each with the index of the message', async () => {
    const { sensorId, device } = await linkSensor(home.client, 'maker_b');
    const path = `/devices/${sensorId}/messages`;
    const messages = [
      { cmd: 'event', type: 3, data: { 'number-people': 1 } },
      { cmd: 'event', type: 77, data: {} },
      { cmd: 'event', type: 2, timestamp: 'noon', data: [{ 'track-id': -1, pose: 5 }, { pose: 'lying' }] },
    ];
    expect(await device.ok('POST', path, messages)).toEqual({
      status: 'OK',
      warnings: [
        { index: 1, message: expect.stringMatching(/^unknown kind of message/) },
        { index: 2, message: 'timestamp does not match the documentation and is ignored' },
        { index: 2, message: 'data.0.track-id does not match the documentation and is ignored' },
        { index: 2, message: 'data.1.pose does not match the documentation and is ignored' },
      ],
    });
    const { warnings } = await device.ok<{ warnings: unknown[] }>('POST', path, Array(100).fill({}));
    expect(warnings).toHaveLength(20);
  });
});
