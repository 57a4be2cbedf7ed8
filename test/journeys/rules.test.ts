import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { dateAndTime } from '#shared/domain/time/wall-time.ts';
import { rejectedPaths } from '../fixtures/answers.ts';
import { startTestCloud } from '../fixtures/cloud.ts';
import { eventually } from '../fixtures/eventually.ts';
import { ALL_PERMISSIONS, adminOf, createHome, linkSensor } from '../fixtures/home.ts';
import { a, b, room } from '../fixtures/messages.ts';

let cloud: Cloud;
const receivers: Receiver[] = [];
beforeAll(async () => {
  cloud = await startTestCloud();
});
afterAll(async () => {
  await Promise.all([cloud, ...receivers].map((server) => server.stop()));
});

type Full = {
  event: { action: string; createDate: number };
  rule: { title: string; message: string; regionIndex: number } | null;
};

/** Creates a home with one sensor, a receiver for rules, and another for a customer webhook. */
const prepare = async (name: string, maker: 'maker_a' | 'maker_b' = 'maker_a') => {
  const home = await createHome(await adminOf(cloud.url), name, ALL_PERMISSIONS);
  const { client } = home;
  const sensor = await linkSensor(client, maker);
  await client.ok('PUT', `/sensors/${sensor.sensorId}/room`, room);
  const regions = await client.ok<{ id: string; name: string }[]>('GET', `/sensors/${sensor.sensorId}/room/regions`);
  const forRules = await startReceiver();
  const forAll = await startReceiver();
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
    customerId: home.customerId,
    addRule,
    say,
    regionId: (of: string) => regions.find((region) => region.name === of)?.id,
    byRule: () => read(forRules).map(({ rule }) => rule),
    dates: () => read(forRules).map(({ event }) => event.createDate),
    all: () => read(forAll).map(({ event }) => event.action),
  };
};

describe('a rule', () => {
  test('a rule fires only in its own region, or anywhere if it has none', async () => {
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

  test("a rule schedule uses its own time zone, or else the home's", async () => {
    const { client, customerId, addRule, say, byRule, dates } = await prepare('spruce');
    const days = [1, 2, 3, 4, 5, 6, 7];
    const schedule = { days, from: '00:00', to: '00:00', timeZone: 'America/New_York' };
    const rule = { situation: 'fall_detected', message: '{time}' };
    await addRule({ ...rule, title: 'home' });
    await addRule({ ...rule, title: 'schedule', schedule });
    /** Reports a fall, and compares both rules' texts with the zones' local times. */
    const fall = async (start: number, zone: string) => {
      await say(a.fall('calling', start));
      const messages = Object.fromEntries(
        byRule()
          .slice(-2)
          .map((rule) => [rule?.title, rule?.message]),
      );
      const date = dates().at(-1) ?? 0;
      expect(messages).toEqual({ home: dateAndTime(date, zone), schedule: dateAndTime(date, schedule.timeZone) });
    };
    const path = `/customers/${customerId}`;
    await fall(Date.now(), 'UTC');
    const { timeZone: _, ...customer } = await client.ok<{ timeZone: string }>('GET', path);
    await client.ok('PUT', path, { ...customer, timeZone: 'Europe/Berlin' });
    // A client that sends no time zone leaves it unchanged.
    expect(await client.ok('PUT', path, customer)).toMatchObject({ timeZone: 'Europe/Berlin' });
    await fall(Date.now() + 1, 'Europe/Berlin');
    const answer = await client.call('PUT', path, { ...customer, timeZone: 'Europe/Nowhere' });
    expect(rejectedPaths(answer)).toEqual([400, 'timeZone']);
  });

  test("a rule fires for every fall while the sensor's clock is not set", async () => {
    const { addRule, say, byRule, all } = await prepare('aspen');
    await addRule({ situation: 'fall_detected', title: 'fall' });
    await addRule({ situation: 'sensor_clock_wrong', title: 'clock' });
    const calling = a.fall('calling', 0);
    const finished = a.fall('finished', 0);
    await say(calling, finished, calling, finished, calling);
    expect(
      byRule()
        .map((rule) => rule?.title)
        .toSorted(),
    ).toEqual(['clock', 'fall', 'fall', 'fall']);
    expect(all().filter((action) => action === 'clock_wrong')).toHaveLength(1);
  });

  test('a rule fires for a late fall but not for other late messages', async () => {
    const { addRule, say, byRule, all } = await prepare('hazel');
    for (const situation of ['fall_confirmed', 'fall_detected']) await addRule({ situation, title: situation });
    const start = Date.now();
    const of = (status: string, after: number) => a.fall(status, start, { statusUpdateTimestamp: start + after });
    await say(of('fall_detected', 1), of('finished', 9), of('fall_confirmed', 3), of('calling', 5));
    // A delivery without a free webhook slot arrives a little later.
    await eventually(() => expect(all()).toContain('late'));
    expect(byRule().map((rule) => rule?.title)).toEqual(['fall_detected']);
  });

  test('a rule fires for simulated falls only if the rule includes them, and never for silent falls', async () => {
    const { addRule, say, byRule, all } = await prepare('birch');
    await addRule({ situation: 'fall_detected', title: 'real' });
    await addRule({ situation: 'fall_detected', title: 'both', includeSimulated: true });
    await say(a.fall('calling', Date.now(), { isSimulated: true }));
    expect(byRule().map((rule) => rule?.title)).toEqual(['both']);
    await say(a.fall('calling', Date.now() + 1, { isSilent: true }));
    expect(byRule()).toHaveLength(1);
    expect(all().filter((action) => action === 'fall_detected')).toHaveLength(2);
  });

  test("a rule's rate limit does not apply to a fall's first event", async () => {
    const { addRule, say, byRule } = await prepare('cedar');
    for (const situation of ['occupied_room', 'fall_detected', 'fall_confirmed'])
      await addRule({ situation, title: situation, rateLimitSeconds: 86_400 });
    await say(a.presence(true), a.presence(false), a.presence(true));
    for (const start of [Date.now(), Date.now() + 1])
      await say(a.fall('fall_confirmed', start), a.fall('calling', start));
    const count = (title: string) => byRule().filter((rule) => rule?.title === title).length;
    expect([count('occupied_room'), count('fall_detected'), count('fall_confirmed')]).toEqual([1, 2, 1]);
  });

  test('a rule does not fire while disabled or outside the schedule', async () => {
    const { addRule, say, byRule, all } = await prepare('alder');
    const yesterday = new Date(Date.now() - 86_400_000 * 2).getUTCDay() || 7;
    await addRule({ situation: 'occupied_room', isEnabled: false });
    const schedule = { days: [yesterday], from: '12:00', to: '12:01', timeZone: 'UTC' };
    await addRule({ situation: 'occupied_room', schedule });
    await say(a.presence(true));
    expect(byRule()).toEqual([]);
    expect(all()).toContain('occupied_room');
  });

  test("a rule fires on schedule even if the sensor's clock is two hours slow", async () => {
    const { addRule, say, byRule } = await prepare('willow');
    const clockAt = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString().slice(11, 16);
    const schedule = { days: [1, 2, 3, 4, 5, 6, 7], from: clockAt(-30), to: clockAt(30), timeZone: 'UTC' };
    await addRule({ situation: 'fall_detected', schedule });
    await addRule({ situation: 'bed_left', schedule });
    const timestamp = Date.now() - 2 * 3_600_000;
    await say({ type: 10, payload: { timestamp } }, { type: 5, payload: { status: 'calling', timestamp } });
    expect(byRule()).toMatchObject([{ title: 'Fall detected' }]);
  });
  test('a rule replaces placeholders without shortening the text', async () => {
    const { addRule, say, byRule } = await prepare('rowan');
    await addRule({
      situation: 'bed_entered',
      title: '{sensor}|{region}|{location}|{situation}|{other}',
      message: `${'x'.repeat(494)}{region}{location}`,
    });
    await say(a.regions({ 0: 1 }));
    const [rule] = byRule();
    expect(rule?.title).toMatch(/^Sensor [0-9A-F]{4}\|Bed\|rowan street 1\|[^|]+\|\{other\}$/);
    expect(rule?.message).toBe(`${'x'.repeat(494)}Bedrowan street 1`);
  });
});

describe('a maker B sensor', () => {
  test('identical bytes from a maker B sensor within 2 minutes count as a duplicate', async () => {
    const { say, all } = await prepare('ash', 'maker_b');
    const people = (count: number) => ({ ...b.people(count), timestamp: undefined });
    await say(people(0), people(2), people(2), people(0), people(0), people(2));
    const tilt = { ...b.tilt(), timestamp: undefined };
    await say(tilt, tilt);
    expect(all()).toEqual(['active', 'occupied_room', 'empty_room', 'occupied_room', 'tilted']);
  });

  test('several messages in one request are processed in order', async () => {
    const { sensor, client, all } = await prepare('oak', 'maker_b');
    // Without timestamps, all events have the time of receipt.
    const events = [b.people(2), b.people(0), b.pose(1, 2), b.pose(1, 5), b.pose(1, 1)];
    const messages = events.map((message) => ({ ...message, timestamp: undefined }));
    await sensor.device.ok('POST', `/devices/${sensor.sensorId}/messages`, messages);
    await cloud.idle();
    await cloud.idle();
    const expected = ['occupied_room', 'active', 'empty_room', 'fall_suspected', 'fall_detected', 'finished'];
    expect(all().toSorted()).toEqual(expected.toSorted());
    const [page] = await client.ok<{ data: { action: string }[] }[]>('GET', `/sensors/${sensor.sensorId}/events`);
    expect(page?.data.map(({ action }) => action)).toEqual(expected.toReversed());
  });
});

test('a device that reports an update is treated according to its new firmware', async () => {
  const { sensor, client, say } = await prepare('elm');
  const firmware = async () => (await client.ok('GET', `/sensors/${sensor.sensorId}`)).firmwareVersion;
  expect(await firmware()).toBe(42);
  await say({ type: 'state', payload: { status: 'monitoring', versionName: '0.39.4' } });
  expect(await firmware()).toBe(39);
  // Before v0.40, a suspected fall is confirmed at once.
  await say(a.fall('fall_detected', Date.now()));
  expect(await client.ok('GET', `/sensors/${sensor.sensorId}/status`)).toMatchObject({ fallState: 'confirmed' });
});
