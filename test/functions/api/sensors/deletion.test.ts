import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PageOf } from '#shared/domain/page.ts';
import type { Sensor } from '#shared/domain/sensor/sensor.ts';
import type { Due } from '#shared/store/engine/due.ts';
import { store } from '#shared/store/store.ts';
import { register } from '#test/fixtures/client.ts';
import { PROVISIONING_KEY } from '#test/fixtures/cloud.ts';
import { ALL_PERMISSIONS, createHome, linkSensor } from '#test/fixtures/home.ts';
import { type SensorCloud, startSensorCloud } from '#test/fixtures/sensors.ts';

let its: SensorCloud;
beforeAll(async () => {
  its = await startSensorCloud();
});
afterAll(async () => {
  await its.cloud.stop();
});

const DAY = 86_400_000;

describe('deleting a sensor', () => {
  test('deleting a sensor removes everything except its events', async () => {
    const { admin, home, presence, post, fallSilent, leftOf, furnish } = its;
    const sensor = await linkSensor(home.client);
    await furnish(home.client, sensor);
    const { sensorId } = sensor;
    const refused = await home.client.call('DELETE', `/sensors/${sensorId}`);
    expect([refused.status, refused.body]).toMatchObject([409, { statusCode: 409 }]);
    await fallSilent();
    expect(await home.client.ok('DELETE', `/sensors/${sensorId}`)).toEqual({ status: 'OK' });
    for (const path of ['', '/status', '/events', '/room', '/maker_a/config/basic'])
      expect((await home.client.call('GET', `/sensors/${sensorId}${path}`)).status, path).toBe(404);
    expect((await home.client.call('DELETE', `/sensors/${sensorId}`)).status).toBe(404);
    expect(await leftOf(home.customerId, sensorId)).toEqual({ around: ['EVENT'], members: 0 });
    expect((await post(sensor, presence(true))).status).toBe(401);
    const { total } = (await home.client.ok<PageOf<Sensor>[]>('GET', `/sensors?searchText=${sensorId}`))[0] ?? {};
    expect(total).toBe(0);

    const hardwareId = Buffer.from(sensorId.slice(3), 'base64url').toString();
    const again = await register(admin, PROVISIONING_KEY, hardwareId);
    expect(again.sensorId).toBe(sensorId);
    await home.client.ok('POST', '/sensors/link', { manufacturer: 'maker_a', code: again.pairingCode });
    expect(await home.client.ok('GET', `/sensors/${sensorId}`)).toMatchObject({ isActive: false });
    expect((await home.client.ok<Sensor>('GET', `/sensors/${sensorId}`)).name).toMatch(/^Sensor /);
    const fresh = { isActive: false, lastSeen: null, fallState: null, presence: null };
    expect(await home.client.ok('GET', `/sensors/${sensorId}/status`)).toMatchObject(fresh);
  });

  test('a concurrently activated sensor is never deleted', async () => {
    const { cloud, home, now, presence, post } = its;
    const sensors = await Promise.all(Array.from({ length: 50 }, () => linkSensor(home.client)));
    // Half of the sensors have been active before, so they have a state.
    for (const sensor of sensors.slice(25)) await post(sensor, presence(false));
    await cloud.idle();
    await its.fallSilent();
    const outcomes = await Promise.all(
      sensors.map(async (sensor, at) => {
        // Half of the messages are already being processed, and the others have not been accepted yet.
        const said = post(sensor, presence(true));
        if (at % 2 === 0) await said;
        const [{ status }] = await Promise.all([home.client.call('DELETE', `/sensors/${sensor.sensorId}`), said]);
        return { sensor, status };
      }),
    );
    await cloud.idle();
    expect(new Set(outcomes.map(({ status }) => status).filter((status) => status !== 200 && status !== 409))).toEqual(
      new Set(),
    );
    for (const { sensor, status } of outcomes) {
      const got = await home.client.call('GET', `/sensors/${sensor.sensorId}`);
      const state = await store(cloud.runtime.table).states.get(home.customerId, sensor.sensorId);
      if (status === 409)
        expect([got.status, got.body, state?.isActive]).toMatchObject([200, { isActive: true }, true]);
      // Messages from before the deletion are still processed, and the state expires.
      else expect([got.status, state === null || 'ttl' in state, Number(state?.dueAt ?? 0)]).toEqual([404, true, 0]);
      if (status !== 200) continue;
      expect((await post(sensor, presence(true))).status).toBe(401);
      // An active sensor cannot be deleted, so at most one activation is processed after the deletion.
      const all = { page: 0, perPage: 200 };
      const { data } = await store(cloud.runtime.table).events.list(home.customerId, sensor.sensorId, now(), all);
      const count = (action: string) => data.filter((event) => event.action === action).length;
      expect([0, 1]).toContain(count('active') - count('inactive'));
    }
    const waiting: Due[] = [];
    for await (const page of store(cloud.runtime.table).due.pages(now() + DAY)) waiting.push(...page);
    const gone = outcomes.filter(({ status }) => status === 200).map(({ sensor }) => sensor.sensorId);
    expect(waiting.filter(({ task }) => 'sensorId' in task && gone.includes(task.sensorId))).toEqual([]);
  });

  test("linking or deleting a sensor updates the customer's sensor count", async () => {
    const { cloud, admin, home } = its;
    const { customerId, client } = await createHome(admin, 'counted', ALL_PERMISSIONS);
    const members = async () => Number(Object(await store(cloud.runtime.table).customers.get(customerId)).members ?? 0);
    const before = await members();
    const { sensorId } = await linkSensor(client);
    expect(await members()).toBe(before + 1);
    await admin.ok('PUT', `/sensors/${sensorId}/customer`, { customerId: home.customerId });
    expect(await members()).toBe(before);
    await admin.ok('PUT', `/sensors/${sensorId}/customer`, { customerId });
    await client.ok('DELETE', `/sensors/${sensorId}`);
    expect(await members()).toBe(before);
  });
});
