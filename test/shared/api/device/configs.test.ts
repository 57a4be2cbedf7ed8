import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '#lib/local/clock.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { pathsOf } from '#test/contracts/calls.ts';
import { type Client, logIn } from '#test/fixtures/client.ts';
import { PROVISIONING_KEY, startTestCloud } from '#test/fixtures/cloud.ts';
import { bad, consistent, good, MISSING, rounds } from '#test/fixtures/configuration-values.ts';
import { type Row, tables } from '#test/fixtures/configurations.ts';
import { ALL_PERMISSIONS, adminOf, createHome, linkSensor, nextHardwareId } from '#test/fixtures/home.ts';
import { splitsOf } from '#test/fixtures/splits.ts';

type Json = Record<string, unknown>;
const DAY = 86_400_000;
let skipped = 0;
let cloud: Cloud;
let admin: Client;
let home: Awaited<ReturnType<typeof createHome>>;
let client: Client;
const ids: Record<string, string> = {};

const skip = async (ms: number) => {
  skipped += ms;
  admin = await adminOf(cloud.url);
  client = await logIn(admin, home.username, home.password);
};
const add = async (manufacturer: string, firmwareVersion = 42) => {
  const body = { manufacturer, hardwareId: nextHardwareId(), firmwareVersion };
  const made = await admin
    .as(PROVISIONING_KEY)
    .ok<{ sensorId: string; deviceToken: string; pairingCode: string }>('POST', '/devices/register', body);
  await client.ok('POST', '/sensors/link', { manufacturer, code: made.pairingCode });
  return { sensorId: made.sensorId, device: admin.as(made.deviceToken) };
};

beforeAll(async () => {
  cloud = await startTestCloud({ clock: { ...systemClock, now: () => Date.now() + skipped } });
  admin = await adminOf(cloud.url);
  home = await createHome(admin, 'home', ALL_PERMISSIONS);
  client = home.client;
  for (const maker of ['maker_a', 'maker_b']) ids[maker] = (await add(maker)).sensorId;
});
afterAll(() => cloud.stop());

const makerOf = (path: string) => path.slice(0, 7);
const clientFor = (path: string) => (path.endsWith('critical') ? admin : client);
const at = (path: string, sensorId = ids[makerOf(path)]) => `/sensors/${sensorId}/${path}`;
const put = (path: string, body: unknown) => clientFor(path).call('PUT', at(path), body);
const defaultsOf = (rows: Record<string, Row>): Json =>
  Object.fromEntries(Object.entries(rows).map(([name, { by }]) => [name, name === 'name' ? 'Room 1' : by]));

describe.each(Object.entries(tables))('%s', (path, rows) => {
  const body = defaultsOf(rows);

  test('returns the defaults before the first PUT', async () => {
    const { sensorId } = await add(makerOf(path));
    const answer = await clientFor(path).ok('GET', at(path, sensorId));
    const extra = path === 'maker_a/config/basic' ? { learningModeEndDate: null } : {};
    const name = 'name' in rows ? { name: expect.stringMatching(/^Sensor [0-9A-F]{4}$/) } : {};
    expect(answer).toEqual({ ...body, ...extra, ...name });
  });

  test('stores every valid value of each field', async () => {
    for (const values of rounds(rows, good)) {
      const sent = consistent(Object.fromEntries(values));
      const answer = await put(path, sent);
      expect(answer.status, answer.text).toBe(200);
      expect(answer.body).toMatchObject(sent);
      expect(await clientFor(path).ok('GET', at(path))).toEqual(answer.body);
    }
  });

  test('names exactly the fields with invalid values', async () => {
    for (const [round, sent] of rounds(rows, bad).entries()) {
      const splits = splitsOf(sent);
      for (const part of splits[round % splits.length] ?? []) {
        const wrong = new Map(part);
        if (wrong.size === 0) continue;
        const text = Object.entries(body).map(
          ([name, value]) => `"${name}":${wrong.get(name) ?? JSON.stringify(value)}`,
        );
        const answer = await put(path, `{${text.filter((member) => !member.endsWith(MISSING))}}`);
        expect(answer.status, answer.text).toBe(400);
        expect(new Set(pathsOf(answer).map((name) => name.split('.')[0]))).toEqual(new Set(wrong.keys()));
      }
    }
  });

  test('ignores unknown and read-only fields', async () => {
    const answer = await put(path, { ...body, learningModeEndDate: 5, unknown: 1, id: 'x' });
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.body as Json)).not.toContain('unknown');
  });

  test('responds with a 400 for a sensor from the other maker', async () => {
    const other = makerOf(path) === 'maker_a' ? 'maker_b' : 'maker_a';
    const answer = await clientFor(path).call('GET', at(path, ids[other]));
    expect(answer.status).toBe(400);
  });
});

describe('cross-field rules', () => {
  test('rejects an upper rate below the lower one', async () => {
    const path = 'maker_b/config/vital-data';
    const body = defaultsOf(tables[path] ?? {});
    const low = await put(path, {
      ...body,
      heartRateUpper: 60,
      heartRateLower: 61,
      respirationRateUpper: 10,
      respirationRateLower: 11,
    });
    expect([low.status, pathsOf(low)]).toEqual([400, ['respirationRateUpper', 'heartRateUpper']]);
    expect((await put(path, { ...body, heartRateUpper: 60, heartRateLower: 60 })).status).toBe(200);
  });

  test.each(['sittingAlarmEnabled', 'sittingUpAlarmEnabled'])(
    'turning on %s also turns on posture detection',
    async (field) => {
      const path = 'maker_b/config/fall';
      const body = { ...defaultsOf(tables[path] ?? {}), postureDetectionEnabled: false };
      expect((await put(path, body)).body).toMatchObject({ postureDetectionEnabled: false });
      expect((await put(path, { ...body, [field]: true })).body).toMatchObject({ postureDetectionEnabled: true });
    },
  );

  test("a basic configuration update also changes the sensor's name and optimizationEnabled", async () => {
    const path = 'maker_a/config/basic';
    await put(path, { ...defaultsOf(tables[path] ?? {}), name: 'Kitchen', optimizationEnabled: false });
    const sensor = await client.ok('GET', `/sensors/${ids.maker_a}`);
    expect(sensor).toMatchObject({ name: 'Kitchen', optimizationEnabled: false });
  });
});

describe('device modes', () => {
  const path = 'maker_a/config/basic';
  const set = async (more: Json) => (await put(path, { ...defaultsOf(tables[path] ?? {}), ...more })).body as Json;
  const learning = { learningModeEnabled: true };

  test('learning mode lasts 14 days, and enabling it again does not extend it', async () => {
    const before = Date.now() + skipped;
    const { learningModeEndDate: end } = await set(learning);
    expect(Number(end) - before).toBeGreaterThanOrEqual(14 * DAY);
    expect(Number(end) - before).toBeLessThan(14 * DAY + 10_000);
    await skip(DAY);
    expect((await set(learning)).learningModeEndDate).toBe(end);
    expect(await set({})).toMatchObject({ learningModeEnabled: false, learningModeEndDate: null });
    expect(Number((await set(learning)).learningModeEndDate)).toBeGreaterThan(Number(end));
  });

  test('learning mode ends automatically after 14 days, and test mode ends with it', async () => {
    await skip(13 * DAY + DAY / 2);
    expect(await set({ ...learning, testModeEnabled: true })).toMatchObject({ testModeEnabled: true });
    await skip(DAY / 2 + 1_000);
    const ended = { learningModeEnabled: false, learningModeEndDate: null, testModeEnabled: false };
    expect(await client.ok('GET', at(path))).toMatchObject(ended);
  });

  test('test mode ends after 24 hours', async () => {
    await set({ testModeEnabled: true });
    await skip(DAY - 10_000);
    expect(await client.ok('GET', at(path))).toMatchObject({ testModeEnabled: true });
    await skip(11_000);
    expect(await client.ok('GET', at(path))).toMatchObject({ testModeEnabled: false });
  });
});

describe('fetched device configuration', () => {
  type Fetched = { version: string; config: Record<string, Json> };

  test('a fetched configuration contains only fields supported by the firmware', async () => {
    for (const firmware of [28, 29, 30, 31, 33, 34, 37, 38, 39, 40, 41, 42]) {
      const { sensorId, device } = await add('maker_a', firmware);
      const { config } = await device.ok<Fetched>('GET', `/devices/${sensorId}/config`);
      for (const part of ['basic', 'dryContact', 'firmware', 'telemetry', 'critical']) {
        const rows = tables[`maker_a/config/${part === 'dryContact' ? 'dry-contact' : part}`] ?? {};
        const known = Object.entries(rows).filter(
          ([, { fw: [from = 0, until = 99] = [] }]) => firmware >= from && firmware < until,
        );
        expect(Object.keys(config[part] ?? {}).sort(), `${part} ${firmware}`).toEqual(
          known.map(([name]) => name).sort(),
        );
      }
    }
  });

  test('a maker B device does not receive room fields that only maker A supports', async () => {
    const { sensorId, device } = await add('maker_b');
    const { config } = await device.ok<Fetched>('GET', `/devices/${sensorId}/config`);
    expect(Object.keys(config).sort()).toEqual([
      'basic',
      'fall',
      'firmwareToInstall',
      'maxReportDelay',
      'room',
      'vitalData',
    ]);
    for (const field of ['zMin', 'zMax', 'enterDuration', 'exitDuration'])
      expect(config.room).not.toHaveProperty(field);
  });

  test('returns a 304 without a body for an unchanged configuration', async () => {
    const { sensorId, device } = await add('maker_a');
    const ask = (tag?: string) =>
      device.call('GET', `/devices/${sensorId}/config`, undefined, tag === undefined ? {} : { 'if-none-match': tag });
    const first = await ask();
    const tag = first.headers.get('etag') ?? '';
    expect(tag).toBe(`"${(first.body as Fetched).version}"`);
    for (const known of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
      const again = await ask(known);
      expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', tag]);
    }
    await client.ok('PUT', at('maker_a/config/telemetry', sensorId), { policy: 0, transport: 0 });
    const changed = await ask(tag);
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({ config: { telemetry: { policy: 0, transport: 0 } } });
  });
});

test.each([
  [{}, 120],
  [{ SENSOR_INACTIVE_AFTER_SECONDS: '91' }, 45],
  [{ MAX_REPORT_DELAY_SECONDS: '0' }, 0],
])('devices may delay reports by at most half the inactivity time: %o', async (environment, seconds) => {
  const other = await startTestCloud({ environment });
  try {
    const { client: manager } = await createHome(await adminOf(other.url), 'home', ALL_PERMISSIONS);
    const { sensorId, device } = await linkSensor(manager);
    const { config } = await device.ok<{ config: Json }>('GET', `/devices/${sensorId}/config`);
    expect(config.maxReportDelay).toBe(seconds);
  } finally {
    await other.stop();
  }
});
