import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../lib/local/clock.ts';
import type { Cloud } from '../lib/local/cloud.ts';
import { NewRule } from '../shared/domain/rule.ts';
import { store } from '../shared/store/store.ts';
import { createLedger } from './bench/meter.ts';
import { startTestCloud } from './fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createHome, linkSensor } from './fixtures/home.ts';
import { a, room } from './fixtures/messages.ts';

const ledger = createLedger();
let skipped = 0;
const now = () => Date.now() + skipped;
let cloud: Cloud;
beforeAll(async () => {
  cloud = await startTestCloud({
    clock: { ...systemClock, now, after: (ms, run) => (ms < 1_000 ? systemClock.after(ms, run) : () => {}) },
    meter: ledger.meter,
    wrap: ledger.wrap,
  });
});
afterAll(() => cloud.stop());

/** A sensor with a webhook that hears of everything but falls: what a fall costs here is the asking. */
const prepare = async (name: string) => {
  const home = await createHome(await adminOf(cloud.url), name, ALL_PERMISSIONS);
  const bot = await home.client.ok<{ id: number }>('POST', '/bots', { name: 'Nurse call' });
  const hook = { name: 'n', url: 'http://127.0.0.1:9/', format: 'full', isCustomerHook: false, botId: bot.id };
  const webhook = await home.client.ok<{ id: string }>('POST', '/webhooks', hook);
  const sensor = await linkSensor(home.client);
  const { rules } = store(cloud.runtime.table);
  const plenty = { rules: 1_000, rulesOfOneSituation: 1_000 };
  let ruleId = home.customerId * 10_000;
  const addRules = async (count: number, more: object) => {
    const recipients = [{ botId: bot.id, webhookId: webhook.id }];
    const texts = { name: 'n', title: 't', message: 'm', situation: 'fall_detected', recipients };
    const rule = { ...NewRule.parse({ ...texts, ...more }), customerId: home.customerId, createDate: 0, updateDate: 0 };
    for (let left = count; left > 0; left -= 20)
      await Promise.all(
        Array.from({ length: Math.min(20, left) }, () => rules.create({ ...rule, id: ++ruleId }, plenty)),
      );
  };
  const costOf = async (message: object, of = sensor) => {
    skipped += 1_000;
    ledger.clear();
    await of.device.ok('POST', `/devices/${of.sensorId}/messages`, message);
    await cloud.idle();
    return ledger.total();
  };
  // Bells that wait for the falls of an earlier test would be counted with those of this one.
  if ('queues' in cloud.bells) cloud.bells.queues.events.purge();
  await costOf(a.state());
  return { home, sensor, addRules, costOf };
};
const call = () => a.fall('calling', now());

describe('a fall that no rule fires for costs', () => {
  test('the same with 1, 10 and 1,000 rules in the customer, when they are of other sensors or other situations', async () => {
    const { home, addRules, costOf } = await prepare('maple');
    const other = await linkSensor(home.client);
    await addRules(1, { sensorId: other.sensorId });
    const one = await costOf(call());
    expect(one, ledger.text()).toEqual({ read: 8.5, write: 6 });
    await addRules(9, { sensorId: other.sensorId });
    expect(await costOf(call()), ledger.text()).toEqual(one);
    await addRules(490, { sensorId: other.sensorId });
    await addRules(500, { situation: 'empty_room' });
    expect(await costOf(call()), ledger.text()).toEqual(one);
  }, 60_000);

  test('a read unit for each 4 KB of the rules that watch its situation', async () => {
    const { addRules, costOf } = await prepare('birch');
    await addRules(10, { isEnabled: false });
    const ten = await costOf(call());
    await addRules(90, { isEnabled: false });
    const hundred = await costOf(call());
    expect(hundred.write).toBe(ten.write);
    expect(hundred.read - ten.read).toBeGreaterThan(0);
    expect(hundred.read - ten.read, ledger.text()).toBeLessThanOrEqual(9);
  }, 60_000);
});

describe('what else a sensor says costs', () => {
  test('no room and no configuration while nothing changes; one read of the room when somebody moves', async () => {
    const { home, sensor, costOf } = await prepare('cedar');
    await home.client.ok('PUT', `/sensors/${sensor.sensorId}/room`, room);
    await costOf(a.presence(true, { presenceRegionMap: { 0: 0, 1: 0 } }));
    await costOf(a.presence(true, { presenceRegionMap: { 0: 0, 1: 0 } }));
    expect(ledger.text()).not.toMatch(/room|config|rule/i);
    await costOf(a.presence(true, { presenceRegionMap: { 0: 1, 1: 0 } }));
    expect(ledger.lines()).toMatchObject({ 'get room': { calls: 1, read: 1 } });
    expect(ledger.text()).not.toMatch(/config/);
  });

  test('a state that stays below 1 KB over a day of whole falls', async () => {
    const { home, sensor, costOf } = await prepare('rowan');
    for (let at = 0; at < 10; at++) {
      const start = now();
      for (const status of ['fall_detected', 'fall_confirmed', 'calling', 'finished'])
        await costOf(a.fall(status, start));
    }
    for (let at = 0; at < 10; at++) {
      await costOf(call());
      expect(ledger.lines()['write sensorState'], ledger.text()).toMatchObject({ calls: 1, write: 1 });
    }
    expect((await store(cloud.runtime.table).events.state(home.customerId, sensor.sensorId))?.falls).toHaveLength(6);
  }, 30_000);

  test('the start of a fall: one read of the configuration, and 2 write units to be looked at in time', async () => {
    const { costOf } = await prepare('alder');
    const called = await costOf(call());
    const begun = await costOf(a.fall('fall_detected', now()));
    expect(begun, ledger.text()).toEqual({ read: called.read + 1, write: called.write + 2 });
  });

  test('a message of 200 KiB is stored once, though it is 64 events: 220 write for it, 2 for each of the others', async () => {
    const { home, costOf } = await prepare('hazel');
    const sensor = await linkSensor(home.client, 'maker_b');
    const moves = Array.from({ length: 64 }, (_, at) => ({ 'track-id': at, event: 3, area_type: 4, area_id: at }));
    const message = { cmd: 'event', type: 1, data: moves, filler: '' };
    const filler = 'x'.repeat(200 * 1_024 - Buffer.byteLength(JSON.stringify(message)));
    await costOf({ cmd: 'event', type: 5, data: { status: 0 } }, sensor);
    const { write } = await costOf({ ...message, filler }, sensor);
    const path = `/sensors/${sensor.sensorId}/events?perPage=200`;
    ledger.clear();
    const [page] = await home.client.ok<{ total: number; data: { type: string; raw: unknown }[] }[]>('GET', path);
    expect(page?.data.filter(({ type, raw }) => type === 'door' && raw === null)).toHaveLength(64);
    // 65 events of 1 KB, and the messages that they point to; their bytes are left alone.
    expect(ledger.total().read, ledger.text()).toBeLessThanOrEqual(45);
    expect(write, ledger.text()).toBe(220 + 63 * 2);
  });
});
