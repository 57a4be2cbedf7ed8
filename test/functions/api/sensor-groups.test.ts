import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { newSensor, type SensorRecord } from '#shared/domain/sensor/sensor.ts';
import type { SensorGroup } from '#shared/domain/sensor/sensor-group.ts';
import { newSensorItem } from '#shared/store/sensors/sensor-item.ts';
import { store } from '#shared/store/store.ts';
import type { Client } from '#test/fixtures/client.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createAlarm, createHome, fallMessage, linkSensor } from '#test/fixtures/home.ts';

let cloud: Cloud;
let receiver: Receiver;
let admin: Client;
let home: Awaited<ReturnType<typeof createHome>>;
beforeAll(async () => {
  [cloud, receiver] = await Promise.all([startTestCloud(), startReceiver()]);
  admin = await adminOf(cloud.url);
  home = await createHome(admin, 'groups', ALL_PERMISSIONS);
});
afterAll(async () => {
  await Promise.all([cloud.stop(), receiver.stop()]);
});

const create = (sensorIds: string[], name = 'Ward') =>
  home.client.ok<SensorGroup>('POST', '/sensor-groups', { name, sensorIds });
const get = async (id: number) => (await home.client.ok<SensorGroup>('GET', `/sensor-groups/${id}`)).sensorIds.sort();
const put = (id: number, sensorIds: string[]) =>
  home.client.call('PUT', `/sensor-groups/${id}`, { name: 'Ward', sensorIds });
const groupOf = async (sensorId: string) =>
  (await store(cloud.runtime.table).sensors.get(home.customerId, sensorId))?.groupId;
const pathsOf = (body: unknown) => (body as { errors: { path: string }[] }).errors.map(({ path }) => path);

/** Writes sensors directly to the table. */
const seed = async (customerId: number, count: number, prefix: string): Promise<string[]> => {
  const ids = Array.from({ length: count }, (_, at) => `id_${prefix}${String(at).padStart(5, '0')}`);
  const records = ids.map((id, at): SensorRecord => {
    const hardwareId = `${prefix}${at}`.padStart(12, '0');
    return { ...newSensor({ id, hardwareId, manufacturer: 'maker_b', firmwareVersion: 1 }, 1), customerId };
  });
  for (let at = 0; at < count; at += 100)
    await cloud.runtime.table.write(
      ...records.slice(at, at + 100).map((sensorRecord) => ({ put: newSensorItem(sensorRecord) })),
    );
  return ids;
};

describe('a sensor group', () => {
  test('a group lists each sensor only once', async () => {
    const [a, b] = await seed(home.customerId, 2, 'FIRS');
    const group = await create([b, a, b].map(String));
    expect(group).toMatchObject({ name: 'Ward', customerId: home.customerId, sensorIds: [a, b] });
    expect(await home.client.ok('GET', `/sensor-groups/${group.id}`)).toEqual(group);
    expect(await get(group.id)).toEqual([a, b]);
    expect(await groupOf(String(a))).toBe(group.id);
    const list = await home.client.ok<SensorGroup[]>('GET', '/sensor-groups');
    expect(list.find(({ id }) => id === group.id)?.sensorIds.sort()).toEqual([a, b]);
    await home.client.ok('PUT', `/sensor-groups/${group.id}`, { name: 'Ward 2', sensorIds: [b] });
    expect(await home.client.ok('GET', `/sensor-groups/${group.id}`)).toMatchObject({ name: 'Ward 2', sensorIds: [b] });
    expect([await groupOf(String(a)), await groupOf(String(b))]).toEqual([0, group.id]);
  });

  test('adding a sensor to a group removes it from the previous one', async () => {
    const [a = '', b = ''] = await seed(home.customerId, 2, 'MOVE');
    const first = await create([a, b]);
    const second = await create([b]);
    expect([await get(first.id), await get(second.id)]).toEqual([[a], [b]]);
    expect((await put(first.id, [a, b])).status).toBe(200);
    expect([await get(first.id), await get(second.id), await groupOf(b)]).toEqual([[a, b], [], first.id]);
  });

  test('returns 400 for a group with unknown sensors', async () => {
    const [a = ''] = await seed(home.customerId, 1, 'KNOW');
    const { id } = await create([a]);
    const other = await createHome(admin, 'other', ALL_PERMISSIONS);
    const foreign = await linkSensor(other.client);
    for (const unknown of ['id_000000000', foreign.sensorId, 'x']) {
      const refused = await put(id, [a, unknown]);
      expect([refused.status, pathsOf(refused.body)]).toEqual([400, ['sensorIds.1']]);
    }
    expect(await get(id)).toEqual([a]);
  });

  test('a group can contain more sensors than fit into one transaction', async () => {
    const ids = await seed(home.customerId, 375, 'MANY');
    const { id } = await create(ids.slice(0, 250));
    expect(await get(id)).toEqual(ids.slice(0, 250));
    expect((await put(id, ids.slice(125))).status).toBe(200);
    expect(await get(id)).toEqual(ids.slice(125));
    expect(
      await Promise.all([ids[0], ids[124], ids[125], ids[374]].map((sensorId) => groupOf(String(sensorId)))),
    ).toEqual([0, 0, id, id]);
    await home.client.ok('DELETE', `/sensor-groups/${id}`);
    expect((await home.client.call('GET', `/sensor-groups/${id}`)).status).toBe(404);
    expect(new Set(await Promise.all(ids.map(groupOf)))).toEqual(new Set([0]));
  });

  test('each sensor is in at most one group after 20 concurrent updates', async () => {
    const ids = await seed(home.customerId, 3, 'RACE');
    const groups = await Promise.all(Array.from({ length: 20 }, () => create([])));
    const answers = await Promise.all(groups.map(({ id }) => put(id, ids)));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    const members = await Promise.all(groups.map(({ id }) => get(id)));
    expect(members.flat().sort()).toEqual(ids);
    for (const [at, group] of groups.entries())
      for (const sensorId of members[at] ?? []) expect(await groupOf(sensorId)).toBe(group.id);
  });
});

describe('a rule for a sensor group', () => {
  test("a group rule fires only for the group's sensors", async () => {
    const inside = await linkSensor(home.client);
    const outside = await linkSensor(home.client);
    const group = await create([inside.sensorId]);
    const { bot, webhook, rule: whole } = await createAlarm(home.client, receiver.url, 'fall_finished');
    expect(whole.id).toBeGreaterThan(0);
    const texts = { name: 'n', title: '{sensor}', message: 'm', situation: 'fall_detected' };
    const recipients = [{ botId: bot.id, webhookId: webhook.id }];
    const rule = { ...texts, sensorGroupId: group.id, recipients };
    const { id: ruleId } = await home.client.ok<{ id: number }>('POST', '/rules', rule);
    const fall = async ({ device, sensorId }: typeof inside) => {
      await device.ok('POST', `/devices/${sensorId}/messages`, fallMessage('calling', Date.now()));
      await cloud.idle();
    };
    await fall(outside);
    await fall(inside);
    const payload = JSON.parse((await receiver.until(1)).at(-1)?.body ?? '');
    expect(payload).toMatchObject({ sensor: { id: inside.sensorId, groupId: group.id } });
    expect(payload.rule).toMatchObject({ id: ruleId, groupId: group.id });
    expect((await put(group.id, [outside.sensorId])).status).toBe(200);
    await fall(inside);
    await fall(outside);
    const path = `/customers/${home.customerId}/rule-hits`;
    const [page] = await home.client.ok<{ data: { sensorId: string; ruleSensorGroupId: number }[] }[]>('GET', path);
    expect(page?.data.map(({ sensorId, ruleSensorGroupId }) => [sensorId, ruleSensorGroupId])).toEqual([
      [outside.sensorId, group.id],
      [inside.sensorId, group.id],
    ]);
    expect((await home.client.call('DELETE', `/sensor-groups/${group.id}`)).status).toBe(409);
    const missing = await home.client.call('POST', '/rules', { ...rule, sensorGroupId: 987_654 });
    expect([missing.status, pathsOf(missing.body)]).toEqual([400, ['sensorGroupId']]);
  });

  test('a group cannot be deleted while a rule or webhook filter refers to it', async () => {
    const group = await create([]);
    const hook = { name: 'h', url: receiver.url, format: 'full', isCustomerHook: true, botId: null };
    const filtered = { ...hook, sensorGroupId: group.id };
    const { id } = await home.client.ok<{ id: string }>('POST', '/webhooks', filtered);
    const remove = async () => (await home.client.call('DELETE', `/sensor-groups/${group.id}`)).status;
    expect(await remove()).toBe(409);
    await home.client.ok('PUT', `/webhooks/${id}`, hook);
    expect(await remove()).toBe(200);
    const again = await home.client.call('PUT', `/webhooks/${id}`, filtered);
    expect([again.status, pathsOf(again.body)]).toEqual([400, ['sensorGroupId']]);
  });

  test('deleting a group and creating a rule for it cannot both succeed', async () => {
    const { bot, webhook } = await createAlarm(home.client, receiver.url, 'apnea');
    const rule = { name: 'n', title: 't', message: 'm', situation: 'apnea' };
    const recipients = [{ botId: bot.id, webhookId: webhook.id }];
    const hook = { name: 'h', url: receiver.url, format: 'full', isCustomerHook: true, botId: null };
    for (let round = 0; round < 10; round++) {
      const { id } = await create([]);
      const [path, body] = round % 2 === 0 ? ['/rules', { ...rule, recipients }] : ['/webhooks', hook];
      const [creation, deletion] = await Promise.all([
        home.client.call('POST', path, { ...body, sensorGroupId: id }),
        home.client.call('DELETE', `/sensor-groups/${id}`),
      ]);
      expect([
        [201, 409],
        [400, 200],
      ]).toContainEqual([creation.status, deletion.status]);
    }
  });
});
