import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Cloud } from '#lib/local/cloud.ts';
import type { ListedSensor } from '#openapi';
import { startTestCloud } from '#test/fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createHome, linkSensor } from '#test/fixtures/home.ts';
import { a } from '#test/fixtures/messages.ts';

let cloud: Cloud;
let home: Awaited<ReturnType<typeof createHome>>;
beforeAll(async () => {
  cloud = await startTestCloud();
  home = await createHome(await adminOf(cloud.url), 'maple', ALL_PERMISSIONS);
});
afterAll(() => cloud.stop());

const list = async (query: string) => {
  const [page] = await home.client.ok<{ total: number; data: ListedSensor[] }[]>('GET', `/sensors${query}`);
  return page ?? expect.unreachable();
};

test('the sensor list includes states on request', async () => {
  const { sensorId, device } = await linkSensor(home.client);
  await device.ok('POST', `/devices/${sensorId}/messages`, a.presence(true));
  await cloud.idle();
  const silent = await linkSensor(home.client);
  const { data } = await list('?withState=true');
  const stateOf = (id: string) => data.find((sensor) => sensor.id === id)?.state;
  const status = await home.client.ok<{ lastSeen: number }>('GET', `/sensors/${sensorId}/status`);
  expect(stateOf(sensorId)).toEqual({ presence: true, lastSeen: status.lastSeen });
  expect(stateOf(silent.sensorId)).toEqual(null);
  for (const sensor of (await list('')).data) expect(sensor).not.toHaveProperty('state');
});

test('the sensor list can be limited to given ids', async () => {
  const { sensorId } = await linkSensor(home.client);
  const { sensorId: other } = await linkSensor(home.client);
  const found = async (ids: string) => (await list(`?sensorIds=${ids}`)).data.map(({ id }) => id).toSorted();
  expect(await found(sensorId)).toEqual([sensorId]);
  expect(await found(`${sensorId},${other}`)).toEqual([sensorId, other].toSorted());
  expect(await found('0')).toEqual([]);
});
