import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import type { RuleHit } from '#shared/domain/rule/rule-hit.ts';
import { encodeTask, queueOf } from '#shared/queue/encode.ts';
import { store } from '#shared/store/store.ts';
import type { Client } from '#test/fixtures/client.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';
import {
  ALL_PERMISSIONS,
  adminOf,
  createAlarm,
  createHome,
  fallMessage,
  hireFor,
  linkSensor,
} from '#test/fixtures/home.ts';

let cloud: Cloud;
let admin: Client;
let receiver: Receiver;
let home: Awaited<ReturnType<typeof createHome>>;
let other: Awaited<ReturnType<typeof hireFor>>;
beforeAll(async () => {
  [cloud, receiver] = await Promise.all([startTestCloud(), startReceiver()]);
  admin = await adminOf(cloud.url);
  home = await createHome(admin, 'maple', ALL_PERMISSIONS);
  await createAlarm(home.client, receiver.url);
  other = await hireFor(admin, home.customerId, 'ben', { firstName: 'Ben', lastName: 'Okafor' });
});
afterAll(async () => {
  await Promise.all([cloud.stop(), receiver.stop()]);
});

const hitsPath = () => `/customers/${home.customerId}/rule-hits`;
const listed = async (query: string) => {
  const [page] = await home.client.ok<{ data: RuleHit[] }[]>('GET', `${hitsPath()}?${query}`);
  return page?.data ?? [];
};
/** Reports a fall from a new sensor and returns the hit. */
const createHit = async () => {
  const { sensorId, device } = await linkSensor(home.client);
  await device.ok('POST', `/devices/${sensorId}/messages`, fallMessage('calling', Date.now()));
  await cloud.idle();
  const [hit] = await listed(`sensorId=${sensorId}`);
  if (!hit) throw new Error('no hit');
  return { hit, sensorId, path: `${hitsPath()}/${hit.id}/acknowledgement` };
};
const acknowledgementOf = async ({ id }: RuleHit) =>
  (await home.client.ok<RuleHit>('GET', `${hitsPath()}/${id}`)).acknowledgement;
const anna = () => ({ userId: home.userId, name: 'A B', date: expect.any(Number) });
const ben = () => ({ userId: other.id, name: 'Ben Okafor', date: expect.any(Number) });

describe('acknowledging a rule hit', () => {
  test('an acknowledgement appears in the hit and in lists, with the user and date', async () => {
    const { hit, path, sensorId } = await createHit();
    expect(hit.acknowledgement).toBeNull();
    const before = Date.now();
    const made = await home.client.ok<RuleHit>('PUT', path, {});
    expect(made).toMatchObject({ id: hit.id, acknowledgement: anna() });
    expect(made.acknowledgement?.date).toBeGreaterThanOrEqual(before);
    expect(await acknowledgementOf(hit)).toEqual(made.acknowledgement);
    expect((await listed(`sensorId=${sensorId}`))[0]?.acknowledgement).toEqual(made.acknowledgement);
    expect((await listed('sortBy=desc(updateDate)'))[0]).toMatchObject({ id: hit.id, acknowledgement: anna() });
  });

  test('acknowledging a hit moves it to the top of a list sorted by updateDate', async () => {
    const first = await createHit();
    await createHit();
    const { updateDate } = await home.client.ok<RuleHit>('PUT', first.path, {});
    expect((await listed('sortBy=desc(updateDate)&perPage=1'))[0]).toMatchObject({ id: first.hit.id, updateDate });
  });

  test('returns 409 if another user has already acknowledged the hit', async () => {
    const { hit, path } = await createHit();
    const first = await home.client.ok<RuleHit>('PUT', path, {});
    expect(await home.client.ok<RuleHit>('PUT', path, {})).toEqual(first);
    const refused = await other.client.call('PUT', path, {});
    expect([refused.status, refused.body]).toEqual([409, { message: 'A B is already on it', statusCode: 409 }]);
    expect(await acknowledgementOf(hit)).toEqual(first.acknowledgement);
  });

  test('only one of 50 concurrent acknowledgements succeeds', async () => {
    const { hit, path } = await createHit();
    const clients = Array.from({ length: 50 }, (_, at) => (at % 2 === 0 ? home.client : other.client));
    const answers = await Promise.all(clients.map((client) => client.call('PUT', path, {})));
    const winner = await acknowledgementOf(hit);
    const isFirst = winner?.userId === home.userId;
    expect(answers.map(({ status }) => status)).toEqual(
      clients.map((_, at) => ((at % 2 === 0) === isFirst ? 200 : 409)),
    );
    for (const { status, body } of answers)
      expect(body).toMatchObject(
        status === 200 ? { acknowledgement: winner } : { message: new RegExp(`^${winner?.name} `) },
      );
  });

  test('an acknowledgement can be withdrawn by the same user or with manage_customers', async () => {
    const { hit, path } = await createHit();
    await other.client.ok('PUT', path, {});
    expect(await other.client.ok<RuleHit>('DELETE', path)).toMatchObject({ id: hit.id, acknowledgement: null });
    expect(await other.client.ok<RuleHit>('DELETE', path)).toMatchObject({ acknowledgement: null });
    await home.client.ok('PUT', path, {});
    expect((await other.client.call('DELETE', path)).status).toBe(403);
    expect(await acknowledgementOf(hit)).toEqual(anna());
    await home.client.ok('DELETE', path);
    expect(await other.client.ok('PUT', path, {})).toMatchObject({ acknowledgement: ben() });
    await home.client.ok('DELETE', path);
    expect(await acknowledgementOf(hit)).toBeNull();
  });

  test('acknowledging a hit requires no permission, but a read-only token is not enough', async () => {
    const { path } = await createHit();
    const read = await other.client.ok<{ token: string }>('POST', '/users/me/access-tokens', {
      name: 'r',
      readOnly: true,
    });
    expect((await other.client.as(read.token).call('PUT', path, {})).status).toBe(403);
    const stranger = await createHome(admin, 'oak', ALL_PERMISSIONS);
    expect((await stranger.client.call('PUT', path, {})).status).toBe(404);
    expect(await admin.ok('PUT', path, {})).toMatchObject({ acknowledgement: { userId: expect.any(Number) } });
  });

  test('acknowledging a hit sends alarm/acknowledged to customer webhooks only once', async () => {
    const hooks = await startReceiver();
    const hook = { name: 'log', url: hooks.url, isCustomerHook: true };
    const { id } = await home.client.ok<{ id: string }>('POST', '/webhooks', { ...hook, format: 'full' });
    const raw = await home.client.ok<{ id: string }>('POST', '/webhooks', { ...hook, format: 'raw' });
    const { hit, path, sensorId } = await createHit();
    const { acknowledgement } = await home.client.ok<RuleHit>('PUT', path, {});
    await home.client.ok('PUT', path, {});
    await other.client.call('PUT', path, {});
    await cloud.idle();
    const sent = hooks.received.map(({ body }) => JSON.parse(body)).filter(({ event }) => event?.type === 'alarm');
    expect(sent).toMatchObject([
      {
        event: { action: 'acknowledged', createDate: acknowledgement?.date, raw: {} },
        sensor: { id: sensorId },
        rule: null,
        acknowledgeUrl: null,
        acknowledgement: { ruleHitId: hit.id, ...acknowledgement },
      },
    ]);
    await Promise.all([id, raw.id].map((webhookId) => home.client.ok('DELETE', `/webhooks/${webhookId}`)));
    await hooks.stop();
  });

  test('acknowledging a hit creates a single event, even if the notice is processed twice', async () => {
    const { path, sensorId, hit } = await createHit();
    const { acknowledgement } = await home.client.ok<RuleHit>('PUT', path, {});
    await cloud.idle();
    const key = { customerId: home.customerId, sensorId };
    const eventIds = async () => {
      const [page] = await home.client.ok<{ data: { uuid: string; type: string }[] }[]>(
        ...(['GET', `/sensors/${sensorId}/events`] as const),
      );
      return page?.data.flatMap(({ type, uuid }) => (type === 'alarm' ? [uuid] : [])) ?? [];
    };
    const [uuid = ''] = await eventIds();
    if (!acknowledgement) throw new Error('no acknowledgement');
    const { table, queues } = cloud.runtime;
    const notice = { notice: 'acknowledged' as const, acknowledgement: { ruleHitId: hit.id, ...acknowledgement } };
    await store(table).events.storeNotice(key, uuid, { ...notice, receiveDate: acknowledgement.date });
    const task = { type: 'process_notice' as const, ...key, uuid, receiveDate: acknowledgement.date };
    await queues.send(
      queueOf(task),
      ['second', 'third'].map((id) => encodeTask(task, 0, id)),
    );
    await cloud.idle();
    expect([await eventIds(), await store(table).events.notice(home.customerId, sensorId, uuid)]).toEqual([
      [uuid],
      null,
    ]);
  });
});
