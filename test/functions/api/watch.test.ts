import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type * as z from 'zod';
import { startReceiver } from '#lib/home/receiver.ts';
import { readSmtpUrl } from '#lib/local/mail/smtp-url.ts';
import type { AuditEntry } from '#shared/domain/identity/audit.ts';
import type { Watch } from '#shared/domain/watch/watch.ts';
import { store } from '#shared/store/store.ts';
import type { Client } from '#test/fixtures/client.ts';
import { createDeliveryWorld, ok, status } from '#test/fixtures/deliveries.ts';
import { ALL_PERMISSIONS, adminOf, createHome, hireFor, linkSensor } from '#test/fixtures/home.ts';
import { a, b } from '#test/fixtures/messages.ts';

type WatchView = z.output<typeof Watch>;
type World = Awaited<ReturnType<typeof createDeliveryWorld>>;
type Home = Awaited<ReturnType<World['furnish']>>;

let world: World;
let admin: Client;
beforeAll(async () => {
  // A mail server is configured, because outbox files would not reach anyone, but nothing is sent to it.
  const server = readSmtpUrl('smtp://127.0.0.1:25') ?? expect.unreachable();
  world = await createDeliveryWorld({
    environment: { GONE_AFTER_SECONDS: '0', SENSOR_INACTIVE_AFTER_SECONDS: '86400' },
    smtp: { server, user: '', passwordFile: null, caFile: null, extraCaFile: null },
  });
  admin = await adminOf(world.url);
});
afterAll(() => world.stop());

/** Creates a home, and a user without permissions. */
const furnish = async (hook: object = {}) => {
  const home = await world.furnish(hook);
  const nurse = await hireFor(admin, home.customerId, `nurse-of-${home.customerId}`);
  const path = `/customers/${home.customerId}/watch`;
  /** Returns a newly computed watch, once the previous one is out of date. */
  const watch = async () => {
    await world.idle();
    world.skip(60_000);
    return nurse.client.ok<WatchView>('GET', path);
  };
  const sameWatch = () => nurse.client.ok<WatchView>('GET', path);
  const see = (client: Client, date: number, at = home.at) => client.call('PUT', `${at}/seen`, { date });
  return { ...home, nurse, watch, sameWatch, see };
};
const ruleOf = async ({ client }: Home) => {
  const [page] = await client.ok<[{ data: { id: number }[] }]>('GET', '/rules');
  const [rule] = page.data;
  return client.ok<{ id: number; name: string; recipients: object[] }>('GET', `/rules/${rule?.id}`);
};
/** Changes a home's only rule. */
const changeRule = async (home: Home, part: object) => {
  const rule = await ruleOf(home);
  await home.client.ok('PUT', `/rules/${rule.id}`, { ...rule, ...part });
};

test('getWatch counts offline sensors and names the first ten', async () => {
  const home = await furnish();
  expect(await home.watch()).toMatchObject({
    sensors: 1,
    silentSensors: { total: 1 },
    fallsTold: 'some',
    gaps: [{ kind: 'sensor_offline', sensorIds: [home.sensorId], total: 1 }, expect.anything()],
    rules: 1,
  });
  await home.say(a.presence(true));
  expect(await home.watch()).toMatchObject({ sensors: 1, silentSensors: { total: 0, first: [] } });
  const linked = await Promise.all(Array.from({ length: 11 }, () => linkSensor(home.client)));
  const { sensors, silentSensors } = await home.watch();
  expect([sensors, silentSensors.total, silentSensors.first.length]).toEqual([12, 11, 10]);
  const ids = new Set(linked.map(({ sensorId }) => sensorId));
  expect(silentSensors.first.every(({ id }) => ids.has(id))).toBe(true);
  const names = silentSensors.first.map(({ name }) => name);
  expect(names).toEqual(names.toSorted());
});

test('getWatch reports whether rules cover falls and offline sensors', async () => {
  const home = await furnish();
  await home.say(a.presence(true));
  const coverage = async (part: object) => {
    await changeRule(home, part);
    const { fallsTold, isSilenceTold, gaps } = await home.watch();
    return [fallsTold, isSilenceTold, gaps.map(({ kind }) => kind)];
  };
  const silent = 'no_rule_for_silence';
  expect(await coverage({})).toEqual(['all', false, [silent]]);
  expect(await coverage({ situation: 'fall_confirmed' })).toEqual(['none', false, ['no_rule', silent]]);
  const fall = { situation: 'fall_detected' };
  expect(await coverage({ ...fall, sensorId: home.sensorId })).toEqual(['all', false, [silent]]);
  const schedule = { days: [1, 2, 3, 4, 5, 6, 7], from: '21:00', to: '06:00', timeZone: 'UTC' };
  expect(await coverage({ sensorId: null, schedule })).toEqual(['some', false, ['hours_without_rule', silent]]);
  expect((await home.sameWatch()).gaps[0]).toMatchObject({
    sensorIds: [home.sensorId],
    days: schedule.days,
    from: '06:00',
    to: '21:00',
  });
  expect(await coverage({ schedule: null, isEnabled: false })).toEqual(['none', false, ['no_rule', silent]]);
  expect(await coverage({ situation: 'fall_finished', isEnabled: true })).toEqual(['none', false, ['no_rule', silent]]);
  expect(await coverage({ situation: 'sensor_inactive' })).toEqual(['none', true, ['no_rule']]);
  expect(await coverage({ isEnabled: false })).toEqual(['none', false, ['no_rule', silent]]);
});

test("getWatch lists the hours without a rule in the customer's time zone", async () => {
  const home = await furnish();
  await home.say(a.presence(true));
  const customer = await admin.ok<object>('GET', `/customers/${home.customerId}`);
  await admin.ok('PUT', `/customers/${home.customerId}`, { ...customer, timeZone: 'Asia/Kolkata' });
  await changeRule(home, { schedule: { days: [1, 2, 3, 4, 5, 6, 7], from: '00:00', to: '12:00', timeZone: 'UTC' } });
  expect((await home.watch()).gaps[0]).toMatchObject({ kind: 'hours_without_rule', from: '17:30', to: '05:30' });
});

test('getWatch names sensors configured not to report falls', async () => {
  const home = await furnish();
  await home.say(a.presence(true));
  const makerB = await linkSensor(home.client, 'maker_b');
  await makerB.device.ok('POST', `/devices/${makerB.sensorId}/messages`, b.people(1));
  await world.idle();
  const kinds = async () => {
    const { fallsTold, gaps } = await home.watch();
    return [fallsTold, ...gaps.map((gap) => [gap.kind, 'sensorIds' in gap && gap.sensorIds])];
  };
  const silence = ['no_rule_for_silence', expect.anything()];
  expect(await kinds()).toEqual(['all', silence]);
  const critical = `/sensors/${home.sensorId}/maker_a/config/critical`;
  const values = await admin.ok<object>('GET', critical);
  await admin.ok('PUT', critical, { ...values, silentModeEnabled: true });
  expect(await kinds()).toEqual(['some', ['silent_mode', [home.sensorId]], silence]);
  await admin.ok('PUT', critical, { ...values, reportFallsToMqtt: false });
  expect(await kinds()).toEqual(['some', ['fall_detection_off', [home.sensorId]], silence]);
  await admin.ok('PUT', critical, values);
  const basic = `/sensors/${makerB.sensorId}/maker_b/config/basic`;
  await home.client.ok('PUT', basic, { name: 'Room 2', workingMode: 11 });
  expect(await kinds()).toEqual(['some', ['fall_detection_off', [makerB.sensorId]], silence]);
  await home.client.ok('PUT', basic, { name: 'Room 2', workingMode: 7 });
  expect(await kinds()).toEqual(['all', silence]);
});

test('getWatch names a sensor whose latest fall was reported in silent mode', async () => {
  const home = await furnish();
  const silentSensors = async () =>
    (await home.watch()).gaps.flatMap((gap) => (gap.kind === 'silent_mode' ? gap.sensorIds : []));
  const sayFall = (isSilent: boolean) => home.say(a.fall('calling', world.now(), { isSilent }));
  await sayFall(false);
  expect(await silentSensors()).toEqual([]);
  await sayFall(true);
  expect(await silentSensors()).toEqual([home.sensorId]);
  await home.say(a.presence(true));
  expect(await silentSensors()).toEqual([home.sensorId]);
  await sayFall(false);
  expect(await silentSensors()).toEqual([]);
  await sayFall(true);
  const critical = `/sensors/${home.sensorId}/maker_a/config/critical`;
  await admin.ok('PUT', critical, await admin.ok<object>('GET', critical));
  expect(await silentSensors()).toEqual([]);
});

test('getWatch names a sensor while the service cannot interpret most of its messages', async () => {
  const home = await furnish();
  const isMisunderstood = async () => (await home.watch()).gaps.some(({ kind }) => kind === 'unknown_messages');
  await home.say(a.presence(true));
  for (let count = 0; count < 3; count++) await home.say({ status: 'CALLING', count });
  expect(await isMisunderstood()).toBe(true);
  for (let count = 0; count < 3; count++) await home.say(a.presence(count % 2 === 0));
  expect(await isMisunderstood()).toBe(false);
});

test('getWatch names a sensor whose fall reports the service cannot interpret', async () => {
  const home = await furnish();
  const isMisunderstood = async () => (await home.watch()).gaps.some(({ kind }) => kind === 'unknown_messages');
  for (let count = 0; count < 12; count++) await home.say(a.presence(count % 2 === 0));
  await home.say({ type: 5, payload: { status: 'CALLING', timestamp: world.now() } });
  await home.say(a.presence(true));
  expect(await isMisunderstood()).toBe(true);
  await home.fall();
  expect(await isMisunderstood()).toBe(false);
});

test('getWatch reports a home that has no sensors or only a Raw webhook', async () => {
  const { client } = await createHome(admin, 'empty-home', ALL_PERMISSIONS);
  const { customerId } = await client.ok<{ customerId: number }>('GET', '/users/me');
  const empty = await client.ok<WatchView>('GET', `/customers/${customerId}/watch`);
  expect(empty).toMatchObject({ fallsTold: 'none', gaps: [{ kind: 'no_sensors' }] });
  const home = await furnish({ format: 'raw' });
  const { id: ruleId } = await ruleOf(home);
  await home.say(a.presence(true));
  expect(await home.watch()).toMatchObject({
    fallsTold: 'none',
    gaps: [{ kind: 'raw_only', webhookId: home.at.split('/').at(-1), ruleIds: [ruleId] }, expect.anything()],
  });
});

test('getWatch lists an alarm that reached no one until someone acknowledges it', async () => {
  const home = await furnish({ retrySchedule: [0, 3_600] });
  world.answerWith(status(500, 'no'));
  await home.fall();
  await world.pass(130_000);
  const unnotified = async () => (await home.watch()).gaps.filter(({ kind }) => kind === 'unnotified');
  const [page] = await home.client.ok<[{ data: { id: number }[] }]>('GET', `/customers/${home.customerId}/rule-hits`);
  const hitId = page.data[0]?.id;
  expect(await unnotified()).toMatchObject([{ sensorId: home.sensorId, situation: 'fall_detected', hitId }]);
  await home.nurse.client.ok('PUT', `/customers/${home.customerId}/rule-hits/${hitId}/acknowledgement`, {});
  expect(await unnotified()).toEqual([]);
});

test('getWatch computes a new watch only once a minute, no matter how often it is called', async () => {
  const home = await furnish();
  const { date } = await home.watch();
  await changeRule(home, { isEnabled: false });
  const reads = await Promise.all(Array.from({ length: 5 }, () => home.sameWatch()));
  expect(reads.map((read) => [read.date, read.fallsTold])).toEqual(reads.map(() => [date, 'some']));
  world.skip(60_000);
  const later = await Promise.all(Array.from({ length: 5 }, () => home.sameWatch()));
  const dates = new Set(later.map((read) => read.date));
  // The other requests may get the previous watch while the first one computes a new one.
  expect([...dates].filter((one) => one !== date)).toHaveLength(1);
  expect((await home.sameWatch()).fallsTold).toBe('none');
});

test('getWatch responds with 404 for an unknown customer', async () => {
  expect((await admin.call('GET', '/customers/987654/watch')).status).toBe(404);
});

describe('fall rules that reach no one', () => {
  test('getWatch lists a fall rule until the failing webhook recovers', async () => {
    const home = await furnish({ retrySchedule: [0, 3_600] });
    const { name } = await ruleOf(home);
    const unheard = async () => (await home.watch()).unheardRules.map((rule) => rule.name);
    expect(await unheard()).toEqual([]);
    world.answerWith(status(500, 'no'));
    await home.fall();
    expect(await unheard()).toEqual([name]);
    world.answerWith(ok);
    await world.idle();
    await world.pass(4_000_000);
    await world.pass(4_000_000);
    expect(await unheard()).toEqual([]);
    const webhook = await home.client.ok<object>('GET', home.at);
    await home.client.ok('PUT', home.at, { ...webhook, isEnabled: false });
    expect(await unheard()).toEqual([name]);
    await home.client.ok('DELETE', home.at);
    expect(await unheard()).toEqual([name]);
  });

  test('getWatch lists a fall rule whose webhook was moved', async () => {
    const home = await furnish();
    const webhook = await home.client.ok<object>('GET', home.at);
    const bot = await home.client.ok<{ id: number }>('POST', '/bots', { name: 'Other' });
    const unheard = async (part: object) => {
      await home.client.ok('PUT', home.at, { ...webhook, ...part });
      return (await home.watch()).unheardRules.length;
    };
    expect(await unheard({ botId: bot.id })).toBe(1);
    expect(await unheard({ botId: null, isCustomerHook: true })).toBe(1);
    expect(await unheard({})).toBe(0);
  });

  test('getWatch lists a fall rule whose user has lost the channel', async () => {
    const home = await furnish();
    const { channels, duty } = store(world.table);
    const ids = { customerId: home.customerId, userId: home.nurse.id };
    const prove = () => channels.put(ids, { by: 'email', address: 'a@example.com', provenDate: world.now() }, null);
    const seen = async () => {
      const { unheardRules, isNobodyOnDuty } = await home.watch();
      return [unheardRules.length, isNobodyOnDuty];
    };
    await prove();
    await changeRule(home, { recipients: [{ userId: home.nurse.id, by: 'email' }] });
    expect(await seen()).toEqual([0, false]);
    await channels.remove(ids, 'email');
    expect(await seen()).toEqual([1, false]);
    await prove();
    // An escalation step notifies the users on duty as well.
    await changeRule(home, { escalation: [{ afterSeconds: 60, recipients: [{ onDuty: true, by: 'email' }] }] });
    expect(await seen()).toEqual([0, true]);
    await duty.begin(home.customerId, { userId: home.nurse.id, until: world.now() + 3_600_000 });
    expect(await seen()).toEqual([0, false]);
  });
});

test('a fall rule reaches no one if the only user cannot log in', async () => {
  const home = await furnish();
  const { id: userId } = home.nurse;
  const address = 'a@example.com';
  await store(world.table).channels.put(
    { customerId: home.customerId, userId },
    { by: 'email', address, provenDate: world.now() },
    null,
  );
  await changeRule(home, { recipients: [{ userId, by: 'email' }] });
  const unreachable = expect.objectContaining({ kind: 'unreachable_recipient', userId, by: 'email' });
  expect((await home.watch()).gaps).not.toContainEqual(unreachable);
  await admin.ok('PUT', `/users/${userId}/access`, { canLogin: false, permissions: [] });
  world.skip(60_000);
  const { gaps } = await home.client.ok<WatchView>('GET', `/customers/${home.customerId}/watch`);
  expect(gaps).toContainEqual(unreachable);
});

test('a rule does not cover offline sensors if the only recipient has no channel', async () => {
  const home = await furnish();
  await home.say(a.presence(true));
  const silence = { ...(await ruleOf(home)), situation: 'sensor_inactive' };
  const { id: userId } = home.nurse;
  const provenDate = world.now();
  const ids = { customerId: home.customerId, userId };
  const { channels } = store(world.table);
  await channels.put(ids, { by: 'email', address: 'a@example.com', provenDate }, null);
  await home.client.ok('POST', '/rules', { ...silence, recipients: [{ userId, by: 'email' }] });
  expect((await home.watch()).gaps).toEqual([]);
  await channels.remove(ids, 'email');
  expect((await home.watch()).gaps).toMatchObject([{ kind: 'no_rule_for_silence', sensorIds: [home.sensorId] }]);
});

describe('a webhook failure', () => {
  test('a webhook failure remains until someone marks it as seen', async () => {
    const home = await furnish({ retrySchedule: [0] });
    expect((await home.watch()).troubles).toEqual([]);
    world.answerWith(status(500, 'no'));
    await home.fall();
    const [first] = (await home.watch()).troubles;
    expect(first).toMatchObject({ name: 'nurse call', isSwitchedOff: false, failedDeliveries: 1 });
    world.skip(1_000);
    await home.fall();
    // More deliveries have failed since the date marked as seen.
    expect((await home.see(home.nurse.client, first?.date ?? 0)).status).toBe(200);
    const [second] = (await home.watch()).troubles;
    expect(second?.failedDeliveries).toBe(2);
    expect((second?.date ?? 0) - (first?.date ?? 0)).toBeGreaterThanOrEqual(1_000);
    expect((await home.see(home.nurse.client, second?.date ?? 0)).status).toBe(200);
    expect((await home.watch()).troubles).toEqual([]);
    expect(await home.record()).not.toHaveProperty('failedDeliveries');
    world.skip(1_000);
    await home.fall();
    expect((await home.watch()).troubles).toMatchObject([{ failedDeliveries: 1 }]);
    const [page] = await home.client.ok<[{ data: AuditEntry[] }]>(
      'GET',
      `/customers/${home.customerId}/audit?operation=markSeen`,
    );
    // The first attempt changed nothing.
    expect(page.data).toMatchObject([{ actor: { id: String(home.nurse.id) }, object: { kind: 'webhook' } }]);
  });

  test('a webhook that a user disabled does not count as failed', async () => {
    const home = await furnish();
    const webhook = await home.client.ok<object>('GET', home.at);
    await home.client.ok('PUT', home.at, { ...webhook, isEnabled: false });
    expect((await home.watch()).troubles).toEqual([]);
    await home.client.ok('PUT', home.at, { ...webhook, isEnabled: true });
    world.answerWith(status(410, 'gone'));
    await home.fall();
    expect((await home.watch()).troubles).toMatchObject([{ isSwitchedOff: true, failedDeliveries: 1 }]);
    // Enabling the webhook clears the disabled state, but not the failed deliveries.
    await home.client.ok('PUT', home.at, { ...webhook, isEnabled: true });
    expect((await home.watch()).troubles).toMatchObject([{ isSwitchedOff: false, failedDeliveries: 1 }]);
  });

  test('failed tests and resends do not count as webhook failures', async () => {
    const home = await furnish({ retrySchedule: [0] });
    world.answerWith(status(500, 'no'));
    await home.client.ok('POST', `${home.at}/test`);
    await world.idle();
    expect((await home.watch()).troubles).toEqual([]);
    await home.fall();
    const [failed] = (await home.list('?state=failed&sortBy=desc(createDate)')).data;
    await home.client.ok('POST', `${home.at}/deliveries/${failed?.id}/redeliver`);
    await world.idle();
    expect((await home.watch()).troubles).toMatchObject([{ failedDeliveries: 1 }]);
  });

  test('a webhook failure remains after the webhook moves to another URL', async () => {
    const home = await furnish({ retrySchedule: [0] });
    world.answerWith(status(500, 'no'));
    await home.fall();
    const elsewhere = await startReceiver((_, response) => response.end());
    const webhook = await home.client.ok<object>('GET', home.at);
    await home.client.ok('PUT', home.at, { ...webhook, url: elsewhere.url });
    await home.fall();
    expect(await home.watch()).toMatchObject({ unheardRules: [], troubles: [{ failedDeliveries: 1 }] });
    await elsewhere.stop();
  });
});
