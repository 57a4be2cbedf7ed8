import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Cloud } from '../../lib/local/cloud.ts';
import { type Receiver, startReceiver } from '../../lib/local/demo/receiver.ts';
import { startTestCloud } from '../fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createHome, linkSensor } from '../fixtures/home.ts';
import { a, b, room } from '../fixtures/messages.ts';

let cloud: Cloud;
const receivers: Receiver[] = [];
beforeAll(async () => {
  cloud = await startTestCloud();
});
afterAll(async () => {
  await Promise.all([cloud, ...receivers].map((one) => one.stop()));
});

type Full = { event: { action: string }; rule: { title: string; message: string; regionIndex: number } | null };

/** A home with one sensor; rules of it tell one receiver, a customer webhook another. */
const prepare = async (name: string, maker = 'maker_a') => {
  const home = await createHome(await adminOf(cloud.url), name, ALL_PERMISSIONS);
  const { client } = home;
  const sensor = await linkSensor(client, maker);
  await client.ok('PUT', `/sensors/${sensor.sensorId}/room`, room);
  const regions = await client.ok<{ id: string; name: string }[]>('GET', `/sensors/${sensor.sensorId}/room/regions`);
  const [forRules, forAll] = [await startReceiver(), await startReceiver()];
  receivers.push(forRules, forAll);
  const bot = await client.ok<{ id: number }>('POST', '/bots', { name: 'Nurse call' });
  const hook = { name: 'n', format: 'full' };
  const ofBot = { ...hook, url: forRules.url, isCustomerHook: false, botId: bot.id };
  const webhook = await client.ok<{ id: string }>('POST', '/webhooks', ofBot);
  await client.ok('POST', '/webhooks', { ...hook, url: forAll.url, isCustomerHook: true });
  const recipients = [{ botId: bot.id, webhookId: webhook.id }];
  const addRule = (more: object) =>
    client.ok('POST', '/rules', { name: 'n', title: '{situation}', message: '{sensor}', recipients, ...more });
  const say = async (...messages: object[]) => {
    for (const message of messages) {
      await sensor.device.ok('POST', `/devices/${sensor.sensorId}/messages`, message);
      // Processed, then delivered.
      await cloud.idle();
      await cloud.idle();
    }
  };
  const read = ({ received }: Receiver) => received.map(({ body }) => JSON.parse(body) as Full);
  return {
    sensor,
    client,
    addRule,
    say,
    regionId: (of: string) => regions.find((region) => region.name === of)?.id,
    byRule: () => read(forRules).map(({ rule }) => rule),
    all: () => read(forAll).map(({ event }) => event.action),
  };
};

describe('a rule', () => {
  test('of a region fires for what happens there, a rule without one for every region', async () => {
    const { sensor, addRule, say, regionId, byRule } = await prepare('maple');
    const there = { situation: 'door_entered', title: 'here', message: '{region}', rateLimitSeconds: 0 };
    await addRule({ ...there, sensorId: sensor.sensorId, regionId: regionId('Door') });
    await addRule({ ...there, title: 'elsewhere', sensorId: sensor.sensorId, regionId: regionId('Bed') });
    await addRule({ ...there, title: 'anywhere' });
    await say(a.regions({ 1: 1 }));
    expect(
      byRule()
        .map((rule) => rule?.title)
        .toSorted(),
    ).toEqual(['anywhere', 'here']);
    expect(byRule()).toMatchObject(Array(2).fill({ message: 'Door', regionIndex: 1 }));
  });

  test('hears of what is simulated when it says so, and never of what is silent; a customer webhook of both', async () => {
    const { addRule, say, byRule, all } = await prepare('birch');
    await addRule({ situation: 'fall_detected', title: 'real' });
    await addRule({ situation: 'fall_detected', title: 'both', includeSimulated: true });
    await say(a.fall('calling', 1, { isSimulated: true }));
    expect(byRule().map((rule) => rule?.title)).toEqual(['both']);
    await say(a.fall('calling', 2, { isSilent: true }));
    expect(byRule()).toHaveLength(1);
    expect(all().filter((action) => action === 'fall_detected')).toHaveLength(2);
  });

  test('has a rate limit for each sensor, which swallows no fall, and of a fall no first event', async () => {
    const { addRule, say, byRule } = await prepare('cedar');
    for (const situation of ['occupied_room', 'fall_detected', 'fall_confirmed'])
      await addRule({ situation, title: situation, rateLimitSeconds: 86_400 });
    await say(a.presence(true), a.presence(false), a.presence(true));
    for (const start of [1, 2]) await say(a.fall('fall_confirmed', start), a.fall('calling', start));
    const count = (title: string) => byRule().filter((rule) => rule?.title === title).length;
    expect([count('occupied_room'), count('fall_detected'), count('fall_confirmed')]).toEqual([1, 2, 1]);
  });

  test('that is switched off, or whose hours are over, tells nobody; a customer webhook hears all the same', async () => {
    const { addRule, say, byRule, all } = await prepare('alder');
    const yesterday = new Date(Date.now() - 86_400_000 * 2).getUTCDay() || 7;
    await addRule({ situation: 'occupied_room', isEnabled: false });
    const schedule = { days: [yesterday], from: '12:00', to: '12:01', timeZone: 'UTC' };
    await addRule({ situation: 'occupied_room', schedule });
    await say(a.presence(true));
    expect(byRule()).toEqual([]);
    expect(all()).toContain('occupied_room');
  });

  test('tells what its placeholders stand for, and cuts it', async () => {
    const { addRule, say, byRule } = await prepare('rowan');
    await addRule({
      situation: 'bed_entered',
      title: '{sensor}|{region}|{location}|{situation}|{other}',
      message: `${'x'.repeat(250)}{region}{location}`,
    });
    await say(a.regions({ 0: 1 }));
    const [rule] = byRule();
    expect(rule?.title).toMatch(/^Sensor [0-9A-F]{4}\|Bed\|rowan street 1\|[^|]+\|\{other\}$/);
    expect(rule?.message).toBe(`${'x'.repeat(250)}Bedrow`);
  });
});

describe('a maker B sensor', () => {
  test('counts people: the same bytes again within 10 s are a repeat, 0 -> 2 -> 0 are not', async () => {
    const { say, all } = await prepare('ash', 'maker_b');
    const people = (count: number) => ({ ...b.people(count), timestamp: undefined });
    await say(people(0), people(2), people(2), people(0), people(0), people(2));
    const tilt = { ...b.tilt(), timestamp: undefined };
    await say(tilt, tilt);
    expect(all()).toEqual(['active', 'occupied_room', 'empty_room', 'occupied_room', 'tilted']);
  });

  test('may say several things in one call, in their order', async () => {
    const { sensor, client, all } = await prepare('oak', 'maker_b');
    // All of them at the time of their receipt.
    const said = [b.people(2), b.people(0), b.pose(1, 2), b.pose(1, 5), b.pose(1, 1)];
    const messages = said.map((message) => ({ ...message, timestamp: undefined }));
    await sensor.device.ok('POST', `/devices/${sensor.sensorId}/messages`, messages);
    await cloud.idle();
    await cloud.idle();
    const expected = ['occupied_room', 'active', 'empty_room', 'fall_suspected', 'fall_detected', 'finished'];
    expect(all().toSorted()).toEqual(expected.toSorted());
    const [page] = await client.ok<{ data: { action: string }[] }[]>('GET', `/sensors/${sensor.sensorId}/events`);
    expect(page?.data.map(({ action }) => action)).toEqual(expected.toReversed());
  });
});

test('a device that was updated says so, and is known by its new firmware', async () => {
  const { sensor, client, say } = await prepare('elm');
  const firmware = async () => (await client.ok('GET', `/sensors/${sensor.sensorId}`)).firmwareVersion;
  expect(await firmware()).toBe(42);
  await say({ type: 'state', payload: { status: 'monitoring', versionName: '0.39.4' } });
  expect(await firmware()).toBe(39);
  // Before v0.40 what is suspected is confirmed at once.
  await say(a.fall('fall_detected', 1));
  expect(await client.ok('GET', `/sensors/${sensor.sensorId}/status`)).toMatchObject({ fallState: 'confirmed' });
});
