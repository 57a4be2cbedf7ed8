import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '#lib/local/clock.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { store } from '#shared/store/store.ts';
import { statusOf } from '../fixtures/answers.ts';
import type { Client } from '../fixtures/client.ts';
import { PROVISIONING_KEY, startTestCloud } from '../fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createHome, linkSensor } from '../fixtures/home.ts';

const HOUR = 3_600_000;
let cloud: Cloud;
let admin: Client;
let home: Awaited<ReturnType<typeof createHome>>;
let ahead = 0;
beforeAll(async () => {
  cloud = await startTestCloud({ clock: { now: () => systemClock.now() + ahead, after: systemClock.after } });
  admin = await adminOf(cloud.url);
  home = await createHome(admin, 'home', ALL_PERMISSIONS);
});
afterAll(() => cloud.stop());

type Answer = { deviceToken: string; pairingCode: string };
/** Creates a linked sensor whose device can register again. */
const linked = async () => {
  const sensor = await linkSensor(home.client);
  const { hardwareId } = (await store(cloud.runtime.table).sensors.get(home.customerId, sensor.sensorId)) ?? {};
  const again = (more: object = {}) =>
    admin
      .as(PROVISIONING_KEY)
      .call('POST', '/devices/register', { manufacturer: 'maker_a', hardwareId, firmwareVersion: 43, ...more });
  return { ...sensor, again, open: () => home.client.call('POST', `/sensors/${sensor.sensorId}/registration`) };
};
const post = (sensorId: string, token: string) =>
  statusOf(admin.as(token).call('POST', `/devices/${sensorId}/messages`, { type: 'state', payload: {} }));

describe('a sensor that registers again with a token', () => {
  test("a sensor's old token keeps working if registration responses are lost", async () => {
    const { sensorId, deviceToken, again } = await linked();
    const lost = (await again({ deviceToken })).body as Answer;
    expect(await post(sensorId, deviceToken)).toBe(202);
    ahead += 23 * HOUR;
    const answer = await again({ deviceToken });
    expect(answer.status).toBe(200);
    expect([await post(sensorId, deviceToken), await post(sensorId, lost.deviceToken)]).toEqual([202, 401]);
    expect(await post(sensorId, (answer.body as Answer).deviceToken)).toBe(202);
    expect(await post(sensorId, deviceToken)).toBe(401);
    expect(await statusOf(again({ deviceToken }))).toBe(409);
  });

  test('the previous token expires at once when the sensor moves or is opened for registration', async () => {
    const opened = await linked();
    await opened.again({ deviceToken: opened.deviceToken });
    await opened.open();
    expect(await post(opened.sensorId, opened.deviceToken)).toBe(401);
    const byWindow = (await opened.again({ deviceToken: opened.deviceToken })).body as Answer;
    expect(await post(opened.sensorId, byWindow.deviceToken)).toBe(202);

    const moved = await linked();
    const fresh = (await moved.again({ deviceToken: moved.deviceToken })).body as Answer;
    const stranger = await createHome(admin, 'next', ALL_PERMISSIONS);
    await admin.ok('PUT', `/sensors/${moved.sensorId}/customer`, { customerId: stranger.customerId });
    expect([await post(moved.sensorId, moved.deviceToken), await post(moved.sensorId, fresh.deviceToken)]).toEqual([
      401, 202,
    ]);
    expect(await statusOf(moved.again({ deviceToken: moved.deviceToken }))).toBe(409);
  });

  test('a previous token works only for messages and registrations, and only for 24 hours', async () => {
    const { sensorId, deviceToken, again } = await linked();
    await again({ deviceToken });
    const former = admin.as(deviceToken);
    expect(await statusOf(former.call('GET', `/devices/${sensorId}/config`))).toBe(401);
    expect(await statusOf(former.call('POST', `/devices/${sensorId}/pairing-code`))).toBe(401);
    expect(await post(sensorId, deviceToken)).toBe(202);
    ahead += 24 * HOUR;
    expect([await post(sensorId, deviceToken), await statusOf(again({ deviceToken }))]).toEqual([401, 409]);
  });
});
