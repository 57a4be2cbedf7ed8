import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { groups } from '../../../functions/index.ts';
import type { Group, Operation } from '../../../shared/api/operation.ts';
import { defaultsOf } from '../../../shared/domain/config/field.ts';
import { firmwareFields } from '../../../shared/domain/makers/maker-a/config.ts';
import { defaultRoom } from '../../../shared/domain/room.ts';
import type { Outgoing } from '../../../shared/queue/task.ts';
import { store } from '../../../shared/store/store.ts';
import { call, fieldsOf } from '../../contracts/calls.ts';
import { opinion, rule, webhook } from '../../contracts/ids-in-bodies.ts';
import { exampleOf, operations } from '../../contracts/operations.ts';
import { createWorld, type World } from '../../contracts/world.ts';
import { logIn, register } from '../../fixtures/client.ts';
import { PROVISIONING_KEY } from '../../fixtures/cloud.ts';
import { createDeliveryWorld, LATE, ok, status } from '../../fixtures/deliveries.ts';
import { fallMessage, linkSensor, nextHardwareId } from '../../fixtures/home.ts';
import type { Statement } from '../../fixtures/iam.ts';
import { createGate } from '../../fixtures/iam-gate.ts';
import { idle } from '../../fixtures/iam-idle.ts';
import { policiesOf } from '../../fixtures/iam-stack.ts';
import { speakMqtt } from '../../fixtures/mqtt-replay.ts';
import { createStacks } from '../../fixtures/stack.ts';
import { failingOf, unreadableOf } from '../../fixtures/tasks.ts';

const DAY = 86_400_000;
const { folder, stackOf } = createStacks();
const policies = new Map(policiesOf(stackOf({ mailSender: 'cloud@example.org' })));
const gate = createGate(policies);

let world: World;
beforeAll(async () => {
  const environment = { MAIL_SENDER: 'cloud@example.org', RATE_LIMIT_PER_SECOND: '100000' };
  world = await createWorld(environment, { ...gate.options, mqttPort: 0, log: () => {} });
});
afterAll(async () => {
  await world.stop();
  rmSync(folder, { recursive: true, force: true });
});

const ofGroup = (group: Group) => Object.entries<Operation>(group.operations);
const takesCustomer = (one: Operation) =>
  'customerId' in (one.query?.shape ?? {}) || fieldsOf(one).all.includes('customerId');
const byUser = ([, { auth }]: readonly [string, Operation]) => ['user', 'session', 'optional'].includes(auth);

describe('with the rights of the template, and no others', () => {
  describe.each(groups.map((group) => [group.name, ofGroup(group)] as const))('%s', (_, all) => {
    test('every operation succeeds, and those that take a customer do so for a system admin too', async () => {
      for (const one of all) {
        const [name, operation] = one;
        expect([name, (await call(world, one)).status]).toEqual([name, operation.success]);
        if (!byUser(one) || operation.within || !takesCustomer(operation)) continue;
        const { body } = await exampleOf(name, world);
        const named = body ? { body: { ...body, customerId: world.ours.customerId } } : {};
        const answer = await call(world, one, { client: world.admin, succeeds: true, ...named });
        expect([name, answer.status]).toEqual([name, operation.success]);
      }
      await world.cloud.idle();
      expect(gate.denied).toEqual([]);
    });

    test('the use of a token is noted, a session under attack ends, a system admin is at home everywhere', async () => {
      const { client, username, password } = world.ours;
      const asked = all.find(byUser);
      const made = await client.ok<{ id: string; token: string }>('POST', '/users/me/access-tokens', { name: 'n' });
      if (asked) await call(world, asked, { client: client.as(made.token) });
      await client.ok('GET', '/users/me/access-tokens');
      await client.ok('DELETE', `/users/me/access-tokens/${made.id}`);
      const inside = all.find(([, { within }]) => within && within !== 'customer');
      if (inside) await call(world, inside, { client: world.admin, succeeds: true });
      const changing = all.find(([, { method, csrfExempt }]) => method !== 'GET' && !csrfExempt);
      const { token = '' } = await logIn(world.anybody, username, password);
      const answer = changing && (await call(world, changing, { headers: { cookie: `PSAUTHTOKEN=${token}` } }));
      expect([answer?.status, gate.denied]).toEqual([changing && 403, []]);
    });
  });

  test('users get codes by mail, mistake their passwords, and go', async () => {
    const person = { username: 'a-nurse', password: 'a-long-password', firstName: 'A', lastName: 'B' };
    const { id } = await world.ours.client.ok<{ id: number }>('POST', '/users', { ...person, email: 'a@example.com' });
    await world.anybody.ok('POST', '/users/password-reset', { username: person.username });
    const wrong = { currentPassword: 'wrong', newPassword: 'another-long-password' };
    const client = await logIn(world.anybody, person.username, person.password);
    expect((await client.call('PUT', '/users/me/password', wrong)).status).toBe(400);
    expect((await world.anybody.call('POST', '/users/login', { ...person, password: 'wrong' })).status).toBe(401);
    await logIn(world.anybody, person.username, person.password);
    await client.ok('POST', '/users/me/access-tokens', { name: 'n' });
    await world.ours.client.ok('DELETE', `/users/${id}`);
    expect(gate.denied).toEqual([]);
  });

  test('a customer goes with all that is left of it', async () => {
    const names = { location: '', email: '' };
    const { id: customerId } = await world.admin.ok<{ id: number }>('POST', '/customers', { name: 'gone', ...names });
    const create = (path: string, body: object) =>
      world.admin.ok<{ id: number | string }>('POST', path, { ...body, customerId });
    const { id: botId } = await create('/bots', { name: 'n' });
    const { id: webhookId } = await create('/webhooks', { ...webhook(world), botId });
    await create('/webhooks', { ...webhook(world), botId: null, isCustomerHook: true });
    await create('/rules', { ...rule(world), recipients: [{ botId, webhookId }] });
    await create('/sensor-groups', { name: 'n', sensorIds: [] });
    await world.admin.ok('DELETE', `/customers/${customerId}`);
    expect(gate.denied).toEqual([]);
  });

  test('sensors are paired, furnished, grouped, watched, moved and removed', async () => {
    const { client } = world.ours;
    const wrongCode = { manufacturer: 'maker_a', code: 'AAAAAAAA' };
    expect((await client.call('POST', '/sensors/link', wrongCode)).status).toBe(404);
    const hardwareId = nextHardwareId();
    await register(client, PROVISIONING_KEY, hardwareId);
    const fresh = await register(client, PROVISIONING_KEY, hardwareId);
    await client.as(fresh.deviceToken).ok('GET', `/devices/${fresh.sensorId}/config`);
    await world.admin.ok('PUT', `/sensors/${fresh.sensorId}/room`, defaultRoom);
    await world.admin.ok('PUT', `/sensors/${fresh.sensorId}/customer`, { customerId: world.ours.customerId });
    const again = { manufacturer: 'maker_a', hardwareId, firmwareVersion: 1 };
    expect((await client.as(PROVISIONING_KEY).call('POST', '/devices/register', again)).status).toBe(409);
    await world.cloud.idle();
    await world.admin.ok('PUT', `/sensors/${fresh.sensorId}/customer`, { customerId: null });

    const { sensorId } = await linkSensor(client);
    const { versionCode: firmwareVersion } = await world.admin.ok('POST', '/firmwares/maker_a', {
      ...{ versionCode: 7, versionName: 'v', buildDate: 0, isDefault: false },
    });
    const pinned = { ...defaultsOf(firmwareFields), firmwareVersion };
    await world.admin.ok('PUT', `/sensors/${sensorId}/maker_a/config/firmware`, pinned);
    const { id: sensorGroupId } = await client.ok<{ id: number }>('POST', '/sensor-groups', {
      name: 'n',
      sensorIds: [sensorId],
    });
    const watching = await client.ok<{ id: number }>('POST', '/rules', { ...rule(world), sensorGroupId });
    await client.ok('PUT', `/rules/${watching.id}`, { ...rule(world), sensorId });
    await client.call('POST', '/rules', { ...rule(world), sensorId, regionId: '00000000-0000-4000-8000-000000000000' });
    await client.ok('DELETE', `/rules/${watching.id}`);
    await client.ok('PUT', `/sensor-groups/${sensorGroupId}`, { name: 'n', sensorIds: [] });
    await client.ok('PUT', `/sensor-groups/${sensorGroupId}`, { name: 'n', sensorIds: [sensorId] });
    await client.ok('DELETE', `/sensors/${sensorId}`);
    expect(gate.denied).toEqual([]);
  });

  test('devices connect by MQTT, are heard, refused and told, also of what AWS IoT kept', () => speakMqtt(world));

  test('hits of many sensors are listed in every order, and get feedback', async () => {
    const { client, ids, customerId } = world.ours;
    const { ruleHits } = store(world.cloud.runtime.table);
    let after = await ruleHits.tail(customerId);
    for (let at = 0; at < 21; at++) {
      const about = { sensorId: `id_${at}`, sensorEventId: `00000000-0000-4000-8000-0000000000${at + 10}` };
      const hit = { ...about, ...{ ruleId: 1, ruleSensorGroupId: 0, ruleCustomerId: customerId, messages: [] } };
      after = await ruleHits.append(customerId, after, { ...hit, situation: 'fall_detected' }, Date.now());
    }
    const list = `/customers/${customerId}/rule-hits`;
    await world.admin.ok('GET', list);
    for (const query of ['', '?perPage=100', `?sensorId=${ids.sensorId}`, '?sortBy=desc(updateDate)'])
      await client.ok('GET', list + query);
    const feedback = `/sensors/${ids.sensorId}/feedback`;
    const about = { ...opinion, ruleHitId: Number(ids.ruleHitId) };
    const { id } = await client.ok<{ id: number }>('POST', feedback, about);
    await client.ok('DELETE', `${feedback}/${id}`);
    expect(gate.denied).toEqual([]);
  });

  test('webhooks change their format, and get every event', async () => {
    const { client } = world.ours;
    const { id } = await client.ok<{ id: string }>('POST', '/webhooks', webhook(world));
    await client.ok('PUT', `/webhooks/${id}`, { ...webhook(world), format: 'custom1' });
    const every = { ...webhook(world), botId: null, isCustomerHook: true };
    const hook = await client.ok<{ id: string }>('POST', '/webhooks', every);
    await client.ok('DELETE', `/webhooks/${hook.id}`);
    expect(gate.denied).toEqual([]);
  });

  test('a fall is delivered, retried, held, released, expired, replayed and canceled', async () => {
    const life = await createDeliveryWorld({ ...gate.options, log: () => {} });
    const { furnish, pass, answerWith } = life;
    const { fall, say, client, at, set, list } = await furnish({ retrySchedule: LATE });
    // What was decided is carried out again.
    await gate.refusedTo('process', ({ resources }) => !resources.includes('queue/deliveries'), fall);
    await say(fallMessage('fall_detected', life.now()));
    answerWith(status(500, 'x'.repeat(5_000)));
    await fall();
    await pass(1_100_000);
    await set({ isEnabled: false });
    await fall();
    await pass(1_100_000);
    const span = { since: 0, until: life.now() + DAY, ratePerSecond: 100 };
    await client.ok('POST', `${at}/replays`, span);
    await life.idle();
    await pass(60_000);
    answerWith(ok);
    await set({ isEnabled: true });
    await pass(0);
    await pass(60_000);
    await set({ isEnabled: false });
    await fall();
    const replay = await client.ok<{ id: string }>('POST', `${at}/replays`, span);
    await life.idle();
    await pass(60_000);
    await client.ok('DELETE', `${at}/replays/${replay.id}`);
    await life.idle();
    await fall();
    await pass(15 * DAY);
    const told = new Set((await list()).data.map(({ state, reason }) => `${state} ${reason ?? ''}`.trim()));
    expect([...told].sort()).toEqual(['delivered', 'failed canceled', 'failed expired', 'failed replayed']);
    await client.ok('DELETE', at);
    await life.stop();
    expect(gate.denied).toEqual([]);
  });

  test.each([
    ['process', 'events'],
    ['process', 'timers'],
    ['deliver', 'deliveries'],
    ['deliver', 'retries'],
    ['ingest', 'mqtt'],
  ] as const)('%s puts aside what it cannot read in %s, and gives back what fails', async (name, queue) => {
    const { runtime, idle } = world.cloud;
    const send = async (message: Outgoing) => {
      await runtime.queues.send(queue, [message]);
      await idle();
    };
    await send(unreadableOf(queue));
    expect(gate.denied).toEqual([]);
    const isOfQueues = ({ actions }: Statement) => actions.some((action) => action.startsWith('sqs:'));
    await gate.refusedTo(name, isOfQueues, () => send(failingOf(queue, world.ours.customerId)));
  });

  test.each([
    ['rooms', 'dynamodb:GetItem', 'getRoom', 500],
    ['rooms', 'dynamodb:UpdateItem', 'getRoom', 500],
    ['webhooks', 'kms:Encrypt', 'createWebhook', 500],
    // What no queue has taken is not accepted.
    ['devices', 'sqs:SendMessage', 'postMessages', 503],
  ] as const)('planted: %s without %s is refused in %s', async (name, action, operation, status) => {
    const one = operations.find(([known]) => known === operation);
    let answer: Awaited<ReturnType<typeof call>> | undefined;
    const refused = await gate.refusedTo(
      name,
      ({ actions }) => !actions.includes(action),
      async () => {
        answer = one && (await call(world, one));
      },
    );
    expect([answer?.status, refused.every((line) => line.startsWith(`${name}: ${action}`))]).toEqual([status, true]);
  });

  test('no right is idle but those that are known to be', () => {
    expect(gate.unused().sort()).toEqual(Object.keys(idle).sort());
  });
});
