import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import { systemClock } from '#lib/local/clock.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { clientOf } from '../fixtures/client.ts';
import { PROVISIONING_KEY, startTestCloud } from '../fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createHome, fallMessage, linkSensor, nextHardwareId } from '../fixtures/home.ts';

const FALLS = 200;
type Delivered = { event?: { uuid: string; type: string; action: string } };

describe.each(['http', 'alb'] as const)('the device API with deviceApi=%s', (deviceApi) => {
  let cloud: Cloud;
  let receiver: Receiver;
  let home: Awaited<ReturnType<typeof createHome>>;
  beforeAll(async () => {
    const differing = ['uncounted', 'floods', 'loopback'] as const;
    [cloud, receiver] = await Promise.all([startTestCloud({ deviceApi, differing }), startReceiver()]);
    home = await createHome(await adminOf(cloud.url), 'maple', ALL_PERMISSIONS);
    await home.client.ok('POST', '/webhooks', { name: 'all', url: receiver.url, format: 'full', isCustomerHook: true });
  });
  afterAll(async () => {
    await Promise.all([cloud?.stop(), receiver?.stop()]);
  });

  test(`accepts ${FALLS} falls in order, without refusing or losing any`, async () => {
    const { device, sensorId } = await linkSensor(home.client);
    const start = Date.now() - 3_600_000;
    const posted: string[] = [];
    // Each fall ends before the next one begins. Out of order, `finished` would arrive without `calling`.
    for (let at = 0; at < FALLS; at++)
      for (const status of ['calling', 'finished']) {
        const uuid = crypto.randomUUID();
        const message = { ...fallMessage(status, start + at * 10_000), uuid };
        const { status: answered, headers } = await device.call('POST', `/devices/${sensorId}/messages`, message);
        expect([answered, headers.get('x-request-id')]).toEqual([202, expect.stringMatching(/./)]);
        posted.push(uuid);
      }
    const falls = () =>
      receiver.received.flatMap(({ body }) => {
        const { event } = JSON.parse(body) as Delivered;
        return event?.type === 'fall' ? [event] : [];
      });
    while (falls().length < posted.length) await receiver.until(receiver.received.length + 1);
    const byUuid = new Map(falls().map(({ uuid, action }) => [uuid, action]));
    expect(posted.map((uuid) => byUuid.get(uuid))).toEqual(
      posted.map((_, at) => (at % 2 === 0 ? 'fall_detected' : 'finished')),
    );
    expect(falls().length).toBe(posted.length);
  }, 240_000);

  test('lets devices register, get a pairing code, and fetch their configuration once', async () => {
    const { device, sensorId } = await linkSensor(home.client);
    const path = `/devices/${sensorId}`;
    expect(await device.ok('POST', `${path}/pairing-code`)).toMatchObject({ pairingCode: expect.any(String) });
    const { status, headers } = await device.call('GET', `${path}/config`);
    expect(status).toBe(200);
    const again = await device.call('GET', `${path}/config`, undefined, { 'if-none-match': headers.get('etag') ?? '' });
    expect([again.status, again.text]).toEqual([304, '']);
  });

  test('refuses access to other sensors, and any access without a valid token or key', async () => {
    const [one, other] = [await linkSensor(home.client), await linkSensor(home.client)];
    const body = fallMessage('calling', Date.now() - 60_000);
    const path = `/devices/${other.sensorId}/messages`;
    const answers = [
      await one.device.call('POST', path, body),
      await clientOf(cloud.url).call('POST', path, body),
      await home.client.as('dt_wrong').call('POST', path, body),
      await clientOf(cloud.url).call('POST', '/devices/register', {}),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 401, 401, 401]);
    for (const { body, status } of answers) expect(body).toEqual({ message: expect.any(String), statusCode: status });
  });

  test('responds with 404, 405, 413 and 415 in the usual format', async () => {
    const { device, sensorId } = await linkSensor(home.client);
    const path = `/devices/${sensorId}/messages`;
    const answers = [
      await device.call('POST', '/devices/register/more', {}),
      await device.call('PUT', path, {}),
      await device.call('POST', path, { type: 'x'.repeat(1_100_000) }),
      await device.call('POST', path, {}, { 'content-type': 'application/cbor' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 405, 413, 415]);
    for (const { body, status } of answers) expect(body).toEqual({ message: expect.any(String), statusCode: status });
  });

  test('accepts non-ASCII text, and ignores query parameters', async () => {
    const { device, sensorId } = await linkSensor(home.client);
    const model = 'Würfel';
    const registered = { manufacturer: 'maker_a', hardwareId: nextHardwareId(), firmwareVersion: 1, model };
    expect((await device.as(PROVISIONING_KEY).call('POST', '/devices/register', registered)).status).toBe(201);
    const { status } = await device.call('POST', `/devices/${sensorId}/messages?a=b%20c&a`, fallMessage('calling', 1));
    expect(status).toBe(202);
  });
});

describe.each(['http', 'alb'] as const)('rate limits with deviceApi=%s', (deviceApi) => {
  let cloud: Cloud;
  beforeAll(async () => {
    // All requests in a test arrive in the same second.
    const frozen = Date.now();
    const environment = { RATE_LIMIT_PER_SECOND: '30' };
    cloud = await startTestCloud({ deviceApi, environment, clock: { ...systemClock, now: () => frozen } });
  });
  afterAll(() => cloud?.stop());

  /** Sends `calls` requests one after the other, and returns how many got a 429 response. */
  const limited = async (calls: number, call: (at: number) => Promise<{ status: number }>): Promise<number> => {
    let count = 0;
    for (let at = 0; at < calls; at++) if ((await call(at)).status === 429) count++;
    return count;
  };

  test('rate-limits each device separately', async () => {
    const body = { manufacturer: 'maker_a', hardwareId: nextHardwareId(), firmwareVersion: 1 };
    const { sensorId, deviceToken } = await clientOf(cloud.url)
      .as(PROVISIONING_KEY)
      .ok<{ sensorId: string; deviceToken: string }>('POST', '/devices/register', body);
    const device = clientOf(cloud.url).as(deviceToken);
    // There are at most two processes, and each accepts 20 requests.
    expect(await limited(50, () => device.call('GET', `/devices/${sensorId}/config`))).toBeGreaterThanOrEqual(10);
  });

  test('rate-limits each address separately, even with a forged X-Forwarded-For', async () => {
    const stranger = clientOf(cloud.url).as('dt_wrong');
    const path = '/devices/id_00000000000000000000000/config';
    const call = (at: number) => stranger.call('GET', path, undefined, { 'x-forwarded-for': `192.0.2.${at}` });
    expect(await limited(80, call)).toBeGreaterThanOrEqual(20);
  });
});
