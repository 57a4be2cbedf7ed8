import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Cloud } from '#lib/local/cloud.ts';
import { defaultsOf } from '#shared/domain/config/field.ts';
import { firmwareFields } from '#shared/domain/makers/maker-a/config.ts';
import type { Client } from '#test/fixtures/client.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';
import { adminOf, createHome, linkSensor } from '#test/fixtures/home.ts';

type Firmware = { versionCode: number; isDefault: boolean };

let cloud: Cloud;
let admin: Client;
let home: Awaited<ReturnType<typeof createHome>>;
let client: Client;
beforeAll(async () => {
  cloud = await startTestCloud();
  admin = await adminOf(cloud.url);
  home = await createHome(admin, 'home', ['edit_sensor_config']);
  client = home.client;
});
afterAll(async () => {
  await cloud.stop();
});

let last = 100;
const create = async (maker = 'maker_a', more: object = {}): Promise<number> => {
  const body = { versionCode: ++last, versionName: `v0.${last}`, buildDate: 1, isDefault: false, ...more };
  return (await admin.ok<Firmware>('POST', `/firmwares/${maker}`, body)).versionCode;
};
const list = (maker = 'maker_a') => client.ok<Firmware[]>('GET', `/firmwares/${maker}`);
const defaultsOfMaker = async (maker: string) =>
  (await list(maker)).filter(({ isDefault }) => isDefault).map(({ versionCode }) => versionCode);
const remove = async (versionCode: number, maker = 'maker_a') =>
  (await admin.call('DELETE', `/firmwares/${maker}/${versionCode}`)).status;
const pin = async (sensorId: string, firmwareVersion: number | null) => {
  const body = { ...defaultsOf(firmwareFields), firmwareVersion };
  return (await client.call('PUT', `/sensors/${sensorId}/maker_a/config/firmware`, body)).status;
};
const concurrently = <T>(count: number, act: (at: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, at) => act(at)));
const count = <T>(all: readonly T[], item: T) => all.filter((other) => other === item).length;

describe('the firmware version list', () => {
  test("lists all of a manufacturer's firmware versions in order", async () => {
    for (const versionCode of [9, 10, 8]) await create('maker_a', { versionCode });
    const all = await list();
    expect(all.map(({ versionCode }) => versionCode).slice(0, 3)).toEqual([8, 9, 10]);
    expect(all[0]).toEqual({
      manufacturer: 'maker_a',
      versionCode: 8,
      versionName: expect.any(String),
      buildDate: 1,
      isDefault: false,
      createDate: expect.any(Number),
    });
    const old = await client.call('GET', '/firmwares');
    expect(old.body).toEqual(all);
    expect(old.headers.get('deprecation')).toBe('true');
    expect(old.headers.get('link')).toBe('</api/v1/firmwares/maker_a>; rel="successor-version"');
    expect(await list('maker_b')).toEqual([]);
  });

  test('20 concurrent requests create a firmware version only once', async () => {
    const body = { versionCode: 99, versionName: 'v', buildDate: 0, isDefault: true };
    const statuses = await concurrently(20, async () => (await admin.call('POST', '/firmwares/maker_b', body)).status);
    expect([count(statuses, 201), count(statuses, 409)]).toEqual([1, 19]);
    expect((await list('maker_b')).map(({ versionCode }) => versionCode)).toEqual([99]);
  });
});

describe('the default firmware', () => {
  test('a manufacturer has no default firmware until a version is set as default', async () => {
    const first = await create();
    expect(await defaultsOfMaker('maker_a')).toEqual([]);
    const second = await create('maker_a', { isDefault: true });
    expect(await defaultsOfMaker('maker_a')).toEqual([second]);
    await create();
    expect(await defaultsOfMaker('maker_a')).toEqual([second]);
    const named = await admin.ok<Firmware>('PUT', `/firmwares/maker_a/${first}/default`);
    expect(named).toMatchObject({ versionCode: first, isDefault: true });
    expect(await defaultsOfMaker('maker_a')).toEqual([first]);
  });

  test('50 concurrent requests to set the default firmware leave exactly one default', async () => {
    const versions = await concurrently(5, () => create('maker_b'));
    const seen: number[] = [];
    const statuses = await concurrently(50, async (at) => {
      const { status } = await admin.call('PUT', `/firmwares/maker_b/${versions[at % 5]}/default`);
      seen.push((await defaultsOfMaker('maker_b')).length);
      return status;
    });
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
    expect(count(seen, 1)).toBe(50);
  });

  test('the default firmware cannot be deleted until another one is set', async () => {
    const version = await create('maker_a', { isDefault: true });
    expect(await remove(version)).toBe(409);
    await create('maker_a', { isDefault: true });
    const statuses = await concurrently(5, () => remove(version));
    expect([count(statuses, 200), count(statuses, 404)]).toEqual([1, 4]);
  });

  test('setting and deleting the default firmware concurrently leaves exactly one default', async () => {
    for (let round = 0; round < 10; round++) {
      const version = await create('maker_b');
      const [named, removed] = await Promise.all([
        admin.call('PUT', `/firmwares/maker_b/${version}/default`).then(({ status }) => status),
        remove(version, 'maker_b'),
      ]);
      expect([[200, 409].join(), [404, 200].join()]).toContain([named, removed].join());
      expect(await defaultsOfMaker('maker_b')).toHaveLength(1);
    }
  });
});

describe('a pinned firmware version', () => {
  test('a firmware version cannot be deleted while any sensor is pinned to it', async () => {
    const first = await linkSensor(client);
    const second = await linkSensor(client);
    const version = await create();
    const other = await create();
    for (const { sensorId } of [first, first, second]) expect(await pin(sensorId, version)).toBe(200);
    expect(await remove(version)).toBe(409);
    expect(await pin(first.sensorId, other)).toBe(200);
    expect([await remove(version), await remove(other)]).toEqual([409, 409]);
    expect(await pin(second.sensorId, null)).toBe(200);
    expect([await remove(version), await remove(other)]).toEqual([200, 409]);
  });

  test("pinning a version does not protect the other maker's firmware with the same number", async () => {
    const { sensorId } = await linkSensor(client);
    const version = await create('maker_b');
    await pin(sensorId, version);
    expect(await remove(version, 'maker_b')).toBe(200);
  });

  test('a firmware version can be pinned before it exists', async () => {
    const { sensorId } = await linkSensor(client);
    expect(await pin(sensorId, 55_555)).toBe(200);
    await create('maker_a', { versionCode: 55_555 });
    expect(await remove(55_555)).toBe(409);
    await pin(sensorId, null);
    expect(await remove(55_555)).toBe(200);
  });

  test('pinning 40 versions concurrently protects only the final one', async () => {
    const { sensorId } = await linkSensor(client);
    const versions = await concurrently(4, () => create());
    const statuses = await concurrently(40, (at) => pin(sensorId, versions[at % 4] ?? null));
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
    const path = `/sensors/${sensorId}/maker_a/config/firmware`;
    const { firmwareVersion } = await client.ok<{ firmwareVersion: number }>('GET', path);
    for (const version of versions) expect(await remove(version)).toBe(version === firmwareVersion ? 409 : 200);
  });

  test('a pinned version can be deleted once the sensor is deleted or moved', async () => {
    const deleted = await linkSensor(client);
    const moved = await linkSensor(client);
    const version = await create();
    for (const { sensorId } of [deleted, moved]) expect(await pin(sensorId, version)).toBe(200);
    await admin.ok('DELETE', `/sensors/${deleted.sensorId}`);
    expect(await remove(version)).toBe(409);
    await admin.ok('PUT', `/sensors/${moved.sensorId}/customer`, { customerId: null });
    expect(await remove(version)).toBe(200);
  });

  test('a firmware version stays pinned when the sensor is assigned to a customer', async () => {
    const { sensorId } = await linkSensor(client);
    await admin.ok('PUT', `/sensors/${sensorId}/customer`, { customerId: null });
    const version = await create();
    const body = { ...defaultsOf(firmwareFields), firmwareVersion: version };
    await admin.ok('PUT', `/sensors/${sensorId}/maker_a/config/firmware`, body);
    await admin.ok('PUT', `/sensors/${sensorId}/customer`, { customerId: home.customerId });
    expect(await remove(version)).toBe(409);
    expect(await pin(sensorId, null)).toBe(200);
    expect(await remove(version)).toBe(200);
  });
});

test("devices install the pinned version, or the maker's default if none is pinned", async () => {
  const standard = await create('maker_a', { isDefault: true });
  const other = await create('maker_b', { isDefault: true });
  const a = await linkSensor(client);
  const b = await linkSensor(client, 'maker_b');
  const configOf = async ({ device, sensorId }: typeof a) =>
    (await device.ok<{ config: object }>('GET', `/devices/${sensorId}/config`)).config;
  expect([await configOf(a), await configOf(b)]).toMatchObject([
    { firmwareToInstall: standard, firmware: { firmwareVersion: null } },
    { firmwareToInstall: other },
  ]);
  await pin(a.sensorId, 7);
  expect(await configOf(a)).toMatchObject({ firmwareToInstall: 7, firmware: { firmwareVersion: 7 } });
});
