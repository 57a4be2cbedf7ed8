import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type * as z from 'zod';
import { startReceiver } from '#lib/home/receiver.ts';
import type { AuditLine } from '#shared/domain/identity/audit.ts';
import type { Watch } from '#shared/domain/rule/watch.ts';
import { store } from '#shared/store/store.ts';
import type { Client } from '#test/fixtures/client.ts';
import { createDeliveryWorld, ok, status } from '#test/fixtures/deliveries.ts';
import { adminOf, hireFor, linkSensor } from '#test/fixtures/home.ts';
import { a } from '#test/fixtures/messages.ts';

type Watched = z.output<typeof Watch>;
type World = Awaited<ReturnType<typeof createDeliveryWorld>>;
type Home = Awaited<ReturnType<World['furnish']>>;

let world: World;
let admin: Client;
beforeAll(async () => {
  world = await createDeliveryWorld({ environment: { GONE_AFTER_SECONDS: '0' } });
  admin = await adminOf(world.url);
});
afterAll(() => world.stop());

/** A home, and a user of it without any right, who looks. */
const furnish = async (hook: object = {}) => {
  const home = await world.furnish(hook);
  const nurse = await hireFor(admin, home.customerId, `nurse-of-${home.customerId}`);
  const path = `/customers/${home.customerId}/watch`;
  const watch = () => nurse.client.ok<Watched>('GET', path);
  const see = (client: Client, date: number, at = home.at) => client.call('PUT', `${at}/seen`, { date });
  return { ...home, nurse, watch, see };
};
const ruleOf = async ({ client }: Home) => {
  const [page] = await client.ok<[{ data: { id: number }[] }]>('GET', '/rules');
  const [rule] = page.data;
  return client.ok<{ id: number; recipients: object[] }>('GET', `/rules/${rule?.id}`);
};
/** Changes the only rule of a home, or makes another. */
const change = async (home: Home, part: object) => {
  const rule = await ruleOf(home);
  await home.client.ok('PUT', `/rules/${rule.id}`, { ...rule, ...part });
};

describe('what is watched', () => {
  test('sensors that nothing is heard of are counted, and the first ten are named by name', async () => {
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

  test('rules that are on tell of falls everywhere, in places or at times, or nowhere; and of silence', async () => {
    const home = await furnish();
    const told = async (part: object) => {
      await change(home, part);
      const { fallsTold, isSilenceTold } = await home.watch();
      return [fallsTold, isSilenceTold];
    };
    expect(await told({ situation: 'fall_confirmed' })).toEqual(['all', false]);
    expect(await told({ sensorId: home.sensorId })).toEqual(['some', false]);
    const schedule = { days: [1], from: '21:00', to: '06:00', timeZone: 'UTC' };
    expect(await told({ sensorId: null, schedule })).toEqual(['some', false]);
    expect(await told({ schedule: null, isEnabled: false })).toEqual(['none', false]);
    expect(await told({ situation: 'fall_finished', isEnabled: true })).toEqual(['none', false]);
    expect(await told({ situation: 'sensor_inactive' })).toEqual(['none', true]);
    expect(await told({ isEnabled: false })).toEqual(['none', false]);
  });
});

describe('a rule of falls reaches nobody', () => {
  test('when its webhook is off, or failed last, or is gone; and is heard again', async () => {
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

  test('when its webhook belongs to another bot by now, or to the customer', async () => {
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

  test('when the user whom it names has no such channel any more; nobody on duty is said besides', async () => {
    const home = await furnish();
    const { channels, duty } = store(world.table);
    const of = { customerId: home.customerId, userId: home.nurse.id };
    const prove = () => channels.put(of, { by: 'email', address: 'a@example.com', provenDate: world.now() }, null);
    const seen = async () => {
      const { unheardRules, isNobodyOnDuty } = await home.watch();
      return [unheardRules.length, isNobodyOnDuty];
    };
    await prove();
    await change(home, { recipients: [{ userId: home.nurse.id, by: 'email' }] });
    expect(await seen()).toEqual([0, false]);
    await channels.remove(of, 'email');
    expect(await seen()).toEqual([1, false]);
    await prove();
    // A step asks for somebody on duty, too.
    await change(home, { escalation: [{ afterSeconds: 60, recipients: [{ onDuty: true, by: 'email' }] }] });
    expect(await seen()).toEqual([0, true]);
    await duty.begin(home.customerId, { userId: home.nurse.id, until: world.now() + 3_600_000 });
    expect(await seen()).toEqual([0, false]);
  });
});

describe('trouble of a webhook', () => {
  test('stays for everybody until somebody says that it was seen; what happens after it stays', async () => {
    const home = await furnish({ retrySchedule: [0] });
    expect((await home.watch()).troubles).toEqual([]);
    world.answerWith(status(500, 'no'));
    await home.fall();
    const [first] = (await home.watch()).troubles;
    expect(first).toMatchObject({ name: 'nurse call', isSwitchedOff: false, failedDeliveries: 1 });
    world.skip(1_000);
    await home.fall();
    // What was seen is not all of it by now.
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
    const [page] = await home.client.ok<[{ data: AuditLine[] }]>(
      'GET',
      `/customers/${home.customerId}/audit?operation=markSeen`,
    );
    // The first try changed nothing.
    expect(page.data).toMatchObject([{ actor: { id: String(home.nurse.id) }, object: { kind: 'webhook' } }]);
  });

  test('is a webhook that the service switched off; one that its owner switched off is none', async () => {
    const home = await furnish();
    const webhook = await home.client.ok<object>('GET', home.at);
    await home.client.ok('PUT', home.at, { ...webhook, isEnabled: false });
    expect((await home.watch()).troubles).toEqual([]);
    await home.client.ok('PUT', home.at, { ...webhook, isEnabled: true });
    world.answerWith(status(410, 'gone'));
    await home.fall();
    expect((await home.watch()).troubles).toMatchObject([{ isSwitchedOff: true, failedDeliveries: 1 }]);
    // Who switches it on has seen that it was off, and not yet what was not told.
    await home.client.ok('PUT', home.at, { ...webhook, isEnabled: true });
    expect((await home.watch()).troubles).toMatchObject([{ isSwitchedOff: false, failedDeliveries: 1 }]);
  });

  test('is no failed test, and no repetition that failed again', async () => {
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

  test('of a webhook at another address since then stays what it was', async () => {
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
