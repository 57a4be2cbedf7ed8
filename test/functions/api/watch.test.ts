import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type * as z from 'zod';
import { startReceiver } from '#lib/home/receiver.ts';
import type { AuditEntry } from '#shared/domain/identity/audit.ts';
import type { Watch } from '#shared/domain/rule/watch.ts';
import { store } from '#shared/store/store.ts';
import type { Client } from '#test/fixtures/client.ts';
import { createDeliveryWorld, ok, status } from '#test/fixtures/deliveries.ts';
import { adminOf, hireFor, linkSensor } from '#test/fixtures/home.ts';
import { a } from '#test/fixtures/messages.ts';

type WatchView = z.output<typeof Watch>;
type World = Awaited<ReturnType<typeof createDeliveryWorld>>;
type Home = Awaited<ReturnType<World['furnish']>>;

let world: World;
let admin: Client;
beforeAll(async () => {
  world = await createDeliveryWorld({ environment: { GONE_AFTER_SECONDS: '0' } });
  admin = await adminOf(world.url);
});
afterAll(() => world.stop());

/** Creates a home, and a user without permissions. */
const furnish = async (hook: object = {}) => {
  const home = await world.furnish(hook);
  const nurse = await hireFor(admin, home.customerId, `nurse-of-${home.customerId}`);
  const path = `/customers/${home.customerId}/watch`;
  const watch = () => nurse.client.ok<WatchView>('GET', path);
  const see = (client: Client, date: number, at = home.at) => client.call('PUT', `${at}/seen`, { date });
  return { ...home, nurse, watch, see };
};
const ruleOf = async ({ client }: Home) => {
  const [page] = await client.ok<[{ data: { id: number }[] }]>('GET', '/rules');
  const [rule] = page.data;
  return client.ok<{ id: number; recipients: object[] }>('GET', `/rules/${rule?.id}`);
};
/** Changes the only rule of a home. */
const changeRule = async (home: Home, part: object) => {
  const rule = await ruleOf(home);
  await home.client.ok('PUT', `/rules/${rule.id}`, { ...rule, ...part });
};

describe('getWatch', () => {
  test('counts offline sensors, and returns the first ten by name', async () => {
    const home = await furnish();
    expect(await home.watch()).toMatchObject({ sensors: 1, silentSensors: { total: 1 }, fallsTold: 'all', rules: 1 });
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

  test('reports whether enabled rules cover all falls, some or none, and offline sensors', async () => {
    const home = await furnish();
    const coverage = async (part: object) => {
      await changeRule(home, part);
      const { fallsTold, isSilenceTold } = await home.watch();
      return [fallsTold, isSilenceTold];
    };
    expect(await coverage({ situation: 'fall_confirmed' })).toEqual(['all', false]);
    expect(await coverage({ sensorId: home.sensorId })).toEqual(['some', false]);
    const schedule = { days: [1], from: '21:00', to: '06:00', timeZone: 'UTC' };
    expect(await coverage({ sensorId: null, schedule })).toEqual(['some', false]);
    expect(await coverage({ schedule: null, isEnabled: false })).toEqual(['none', false]);
    expect(await coverage({ situation: 'fall_finished', isEnabled: true })).toEqual(['none', false]);
    expect(await coverage({ situation: 'sensor_inactive' })).toEqual(['none', true]);
    expect(await coverage({ isEnabled: false })).toEqual(['none', false]);
  });
});

describe('a rule on falls is reported as unheard', () => {
  test('if its webhook is disabled, failed last, or was deleted, until it recovers', async () => {
    const home = await furnish({ retrySchedule: [0, 3_600] });
    const { name } = (await ruleOf(home)) as unknown as { name: string };
    const unheard = async () => (await home.watch()).unheardRules.map((rule) => rule.name);
    expect(await unheard()).toEqual([]);
    world.answerWith(status(500, 'no'));
    await home.fall();
    expect(await unheard()).toEqual([name]);
    world.answerWith(ok);
    await world.pass(4_000_000);
    await world.pass(4_000_000);
    expect(await unheard()).toEqual([]);
    const webhook = await home.client.ok<object>('GET', home.at);
    await home.client.ok('PUT', home.at, { ...webhook, isEnabled: false });
    expect(await unheard()).toEqual([name]);
    await home.client.ok('DELETE', home.at);
    expect(await unheard()).toEqual([name]);
  });

  test('if its webhook has moved to another bot or to the customer', async () => {
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

  test('if its user has lost the channel, while an empty duty is reported separately', async () => {
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

describe('the failure of a webhook', () => {
  test('remains until somebody marks it as seen, and later failures remain', async () => {
    const home = await furnish({ retrySchedule: [0] });
    expect((await home.watch()).troubles).toEqual([]);
    world.answerWith(status(500, 'no'));
    await home.fall();
    const [first] = (await home.watch()).troubles;
    expect(first).toMatchObject({ name: 'nurse call', isSwitchedOff: false, failedDeliveries: 1 });
    world.skip(1_000);
    await home.fall();
    // More has failed since the date that was marked as seen.
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

  test('includes being disabled by the service, but not by its owner', async () => {
    const home = await furnish();
    const webhook = await home.client.ok<object>('GET', home.at);
    await home.client.ok('PUT', home.at, { ...webhook, isEnabled: false });
    expect((await home.watch()).troubles).toEqual([]);
    await home.client.ok('PUT', home.at, { ...webhook, isEnabled: true });
    world.answerWith(status(410, 'gone'));
    await home.fall();
    expect((await home.watch()).troubles).toMatchObject([{ isSwitchedOff: true, failedDeliveries: 1 }]);
    // Enabling it clears that it was disabled, but not the failed deliveries.
    await home.client.ok('PUT', home.at, { ...webhook, isEnabled: true });
    expect((await home.watch()).troubles).toMatchObject([{ isSwitchedOff: false, failedDeliveries: 1 }]);
  });

  test('excludes failed tests and failed resends', async () => {
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

  test('remains after the webhook moves to another URL', async () => {
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
