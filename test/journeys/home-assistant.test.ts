import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { startReceiver } from '#lib/home/receiver.ts';
import { skippingClock } from '#lib/local/clock.ts';
import { readBrokerUrl } from '#lib/local/home-assistant/broker-url.ts';
import type { HomeAssistantSettings } from '#lib/local/home-assistant/settings.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';
import { eventually } from '#test/fixtures/eventually.ts';
import { ALL_PERMISSIONS, adminOf, createAlarm, createHome, fallMessage, linkSensor } from '#test/fixtures/home.ts';
import { freePort } from '#test/fixtures/host.ts';
import { a, b, room } from '#test/fixtures/messages.ts';
import { type MqttBroker, startMqttBroker } from '#test/fixtures/mqtt-broker.ts';

const fixture = (name: string) => new URL(`../fixtures/${name}`, import.meta.url).pathname;
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

type Component = Record<string, string>;
type Description = {
  device: { identifiers: string[]; name: string; suggested_area?: string };
  origin: { name: string };
  availability: { topic: string }[];
  state_topic: string;
  components: Record<string, Component>;
};
type States = Record<string, string | number | null>;

const settingsFor = (url: string, more: Partial<HomeAssistantSettings> = {}): HomeAssistantSettings => {
  const broker = readBrokerUrl(url) ?? expect.unreachable(url);
  const files = { passwordFile: null, caFile: null, extraCaFile: null };
  return { broker, user: broker.user, ...files, customerId: null, canAcknowledge: false, ...more };
};

/** A home that is shown in Home Assistant, with a sensor in the group "Ward 2". */
const createWorld = async (more: Partial<HomeAssistantSettings> = {}, first?: MqttBroker) => {
  const broker = first ?? (await startMqttBroker());
  closing.push(broker.stop);
  const clock = skippingClock(Date.now());
  const homeAssistant = settingsFor(`mqtt://127.0.0.1:${broker.port}`, more);
  const cloud = await startTestCloud({ clock, homeAssistant });
  closing.push(cloud.stop);
  const admin = await adminOf(cloud.url);
  const home = await createHome(admin, 'maple', ALL_PERMISSIONS);
  const { customerId, client } = home;
  const sensor = await linkSensor(client);
  const { sensorId } = sensor;
  const group = await client.ok<{ id: number }>('POST', '/sensor-groups', { name: 'Ward 2', sensorIds: [sensorId] });
  const at = `sensor-cloud/${customerId}`;
  const topics = {
    status: `${at}/status`,
    state: (id: string) => `${at}/${id}/state`,
    press: (id: string) => `${at}/${id}/acknowledge`,
    description: (id: string) => `homeassistant/device/sensor_cloud_${id}/config`,
  };
  const current = { broker };
  return {
    ...home,
    admin,
    cloud,
    clock,
    sensor,
    sensorId,
    group,
    topics,
    current,
    /** Lets time pass until what changed in lists is shown. */
    settle: async () => {
      await cloud.idle();
      clock.skipTo(clock.now() + 1_100);
    },
    description: (id = sensorId) =>
      eventually(
        () => current.broker.json<Description>(topics.description(id)) ?? expect.unreachable('no description'),
      ),
    /** Waits until a sensor shows these states. */
    shows: (states: States, id = sensorId) =>
      eventually(() => {
        clock.skipTo(clock.now() + 100);
        expect(current.broker.json<States>(topics.state(id))).toMatchObject(states);
      }),
    report: (message: object, of = sensor) => of.device.ok('POST', `/devices/${of.sensorId}/messages`, message),
    metric: async (name: string) => {
      const text = await (await fetch(new URL('/metrics', cloud.url))).text();
      return text.split('\n').filter((line) => line.startsWith(`sensor_cloud_${name}`));
    },
  };
};
type World = Awaited<ReturnType<typeof createWorld>>;

/** What Home Assistant demands of a description. https://www.home-assistant.io/integrations/mqtt/#device-discovery-payload */
const expectValid = (description: Description): void => {
  expect(description.device.identifiers.length).toBeGreaterThan(0);
  expect(description).toMatchObject({ device: { name: expect.any(String) }, origin: { name: expect.any(String) } });
  for (const [id, { platform = '', unique_id, ...more }] of Object.entries(description.components)) {
    expect(id).toMatch(/^[\w-]+$/);
    expect(['binary_sensor', 'sensor', 'button']).toContain(platform);
    // A component without anything else is removed.
    if (Object.keys(more).length === 0) continue;
    expect(unique_id).toMatch(/^sensor_cloud_[\w-]+$/);
    if (platform === 'button') expect(more).toHaveProperty('command_topic');
    else expect([description.state_topic, more.value_template]).not.toContain(undefined);
  }
};
const shownIn = ({ components }: Description): string[] =>
  Object.keys(components).filter((id) => Object.keys(components[id] ?? {}).length > 1);

const fall = async (world: World, status = 'calling', start = world.clock.now()) => {
  await world.report(fallMessage(status, start));
  await world.cloud.idle();
  return start;
};

test('each sensor appears as a device, with its area, in the language of the users', async () => {
  const world = await createWorld();
  const { sensorId, client, topics, settle, userId } = world;
  await client.ok('PUT', `/sensors/${sensorId}/room`, room);
  const other = await linkSensor(client, 'maker_b');
  await settle();
  const description = await eventually(async () => {
    const found = await world.description();
    expect(shownIn(found)).toContain('bed');
    expect(found.device.suggested_area).toBe('Ward 2');
    return found;
  });
  expectValid(description);
  expect(description.device).toMatchObject({ identifiers: [`sensor_cloud_${sensorId}`] });
  expect(description.availability).toMatchObject([{ topic: topics.status }]);
  expect(description.components).toMatchObject({
    fall: { platform: 'binary_sensor', device_class: 'safety', name: 'Fall' },
    occupancy: { device_class: 'occupancy' },
    bed: { device_class: 'occupancy' },
    connectivity: { device_class: 'connectivity', entity_category: 'diagnostic' },
    watched: { entity_category: 'diagnostic' },
  });
  const regions = shownIn(description).filter((id) => id.startsWith('region_'));
  expect(regions.map((id) => description.components[id]?.name).toSorted()).toEqual(['Door', 'Table']);
  expect(shownIn(description)).not.toContain('acknowledge');
  const rates = await world.description(other.sensorId);
  expectValid(rates);
  expect(shownIn(rates)).toEqual(expect.arrayContaining(['respiration', 'heart_rate']));
  expect(world.current.broker.retained.get(topics.status)).toBe('online');
  // Topics contain ids alone.
  expect([...world.current.broker.retained.keys()].join()).not.toMatch(/maple|ward|sensor [0-9a-f]{4}/i);

  const user = await client.ok<object>('GET', `/users/${userId}`);
  await client.ok('PUT', `/users/${userId}`, { ...user, locale: 'de-DE' });
  world.clock.skipTo(world.clock.now() + 61_000);
  await eventually(async () => expect((await world.description()).components.fall?.name).toBe('Sturz'));
});

test('presence, regions, bed, connection and rates are shown', async () => {
  const world = await createWorld();
  const { client, sensorId, settle, report, shows } = world;
  await client.ok('PUT', `/sensors/${sensorId}/room`, room);
  const other = await linkSensor(client, 'maker_b');
  await settle();
  await world.description(other.sensorId);
  await shows({ connectivity: 'OFF', occupancy: null, fall: null, watched: 'OFF' });
  await report(a.presence(true, { presenceRegionMap: { 0: 1, 1: 0 } }));
  await shows({ connectivity: 'ON', occupancy: 'ON', fall: 'OFF', bed: 'ON' });
  await report(a.presence(false, { presenceRegionMap: { 0: 0 } }));
  await shows({ occupancy: 'OFF', bed: 'OFF' });

  await report(b.vital(0, 14, 62), other);
  await shows({ respiration: 14, heart_rate: 62 }, other.sensorId);
  await report(b.vital(0, 0, 60), other);
  await shows({ respiration: null, heart_rate: 60 }, other.sensorId);
  world.clock.skipTo(world.clock.now() + 290_000);
  await report(b.people(1), other);
  await shows({ heart_rate: 60, occupancy: 'ON' }, other.sensorId);
  world.clock.skipTo(world.clock.now() + 61_000);
  await shows({ heart_rate: null }, other.sensorId);
});

test('a fall is on until it is over', async () => {
  const world = await createWorld();
  await world.settle();
  const start = await fall(world);
  await world.shows({ fall: 'ON' });
  await fall(world, 'finished', start);
  await world.shows({ fall: 'OFF' });
});

test('a fall is off once somebody acknowledges it, although it is not over', async () => {
  const world = await createWorld();
  const { client, sensorId, settle, shows } = world;
  await settle();
  await fall(world);
  await shows({ fall: 'ON' });
  const [page] = await client.ok<{ data: { uuid: string; action: string }[] }[]>('GET', `/sensors/${sensorId}/events`);
  const { uuid } = page?.data.find(({ action }) => action === 'fall_detected') ?? expect.unreachable('no fall');
  await client.ok('PUT', `/sensors/${sensorId}/falls/${uuid}/acknowledgement`, {});
  await shows({ fall: 'OFF' });
});

test('the button acknowledges the falls of its sensor, and the audit names it', async () => {
  const world = await createWorld({ canAcknowledge: true });
  const { client, sensorId, customerId, topics, current, settle, shows } = world;
  await createAlarm(client, 'https://alarms.invalid/hook');
  await settle();
  const description = await world.description();
  expectValid(description);
  expect(description.components.acknowledge).toMatchObject({ command_topic: topics.press(sensorId) });
  await fall(world);
  await shows({ fall: 'ON' });
  await current.broker.publish(topics.press(sensorId), 'PRESS');
  await shows({ fall: 'OFF' });
  const hits = await client.ok<{ data: object[] }[]>('GET', `/customers/${customerId}/rule-hits`);
  expect(hits[0]?.data).toMatchObject([{ acknowledgement: { userId: null, name: 'Home Assistant' } }]);
  const linesOf = async () => {
    const [audit] = await client.ok<{ data: { actor: { kind: string } }[] }[]>('GET', `/customers/${customerId}/audit`);
    return audit?.data.filter(({ actor }) => actor.kind === 'home_assistant');
  };
  const line = { operation: 'acknowledgeFall', object: { kind: 'sensor', id: sensorId }, address: '127.0.0.1' };
  const actor = { kind: 'home_assistant', id: null, name: 'Home Assistant' };
  expect(await linesOf()).toMatchObject([{ ...line, actor }]);
  // Nothing is left to acknowledge.
  await current.broker.publish(topics.press(sensorId), 'PRESS');
  await world.report(a.presence(true));
  await shows({ occupancy: 'ON' });
  expect(await linesOf()).toHaveLength(1);
});

test('without the setting, no message acknowledges a fall', async () => {
  const world = await createWorld();
  await world.settle();
  await fall(world);
  await world.shows({ fall: 'ON' });
  await world.current.broker.publish(world.topics.press(world.sensorId), 'PRESS');
  await world.report(a.presence(true));
  await world.shows({ fall: 'ON', occupancy: 'ON' });
});

test('a sensor that leaves is removed, and so is a region', async () => {
  const world = await createWorld();
  const { client, admin, sensorId, current, topics, settle } = world;
  await client.ok('PUT', `/sensors/${sensorId}/room`, room);
  await settle();
  const table = await eventually(async () => {
    const { components } = await world.description();
    return Object.keys(components).find((id) => components[id]?.name === 'Table') ?? expect.unreachable('no table');
  });
  const regions = room.regions.filter(({ name }) => name !== 'Table');
  await client.ok('PUT', `/sensors/${sensorId}/room`, { ...room, regions });
  await settle();
  await eventually(async () =>
    expect((await world.description()).components[table]).toEqual({ platform: 'binary_sensor' }),
  );
  await admin.ok('PUT', `/sensors/${sensorId}/customer`, { customerId: null });
  await settle();
  await eventually(() => expect(current.broker.retained.has(topics.state(sensorId))).toBe(false));
  expect(current.broker.retained.has(topics.description(sensorId))).toBe(false);
  expect(current.broker.published).toContainEqual([topics.description(sensorId), '']);
});

test('everything is back after the broker has restarted without its memory', async () => {
  const world = await createWorld();
  const { current, clock, topics } = world;
  await world.settle();
  await fall(world);
  await world.shows({ fall: 'ON' });
  const before = new Map(current.broker.retained);
  const { port, stop } = current.broker;
  await stop();
  await eventually(async () => {
    expect(await world.metric('home_assistant_connected')).toEqual(['sensor_cloud_home_assistant_connected 0']);
  });
  current.broker = await startMqttBroker({ port });
  closing.push(current.broker.stop);
  await eventually(() => {
    clock.skipTo(clock.now() + 1_000);
    expect(new Map([...current.broker.retained].toSorted())).toEqual(new Map([...before].toSorted()));
  });
  expect(current.broker.retained.get(topics.status)).toBe('online');
  expect(await world.metric('home_assistant_connected')).toEqual(['sensor_cloud_home_assistant_connected 1']);
  expect((await world.metric('home_assistant_failures_total')).length).toBeGreaterThan(0);
});

test('everything is published anew when Home Assistant has started', async () => {
  const world = await createWorld();
  const { current, topics, sensorId } = world;
  await world.settle();
  await world.description();
  await world.shows({ connectivity: 'OFF' });
  current.broker.published.length = 0;
  await current.broker.publish('homeassistant/status', 'online');
  const expected = [topics.status, topics.description(sensorId), topics.state(sensorId)];
  await eventually(() =>
    expect(current.broker.published.map(([topic]) => topic)).toEqual(expect.arrayContaining(expected)),
  );
});

test('the last will says that the host is away, and a late one does not stay', async () => {
  const world = await createWorld();
  const { current, topics, clock, cloud } = world;
  await world.settle();
  await world.description();
  const { published, retained } = current.broker;
  current.broker.cut();
  await eventually(() => expect(published).toContainEqual([topics.status, 'offline']));
  await eventually(() => {
    clock.skipTo(clock.now() + 1_000);
    expect(retained.get(topics.status)).toBe('online');
  });
  await current.broker.publish(topics.status, 'offline', true);
  await eventually(() => expect(retained.get(topics.status)).toBe('online'));
  await cloud.stop();
  await eventually(() => expect(retained.get(topics.status)).toBe('offline'));
});

test('a sensor that left while the host was away is removed at the next start', async () => {
  const broker = await startMqttBroker();
  const gone = 'id_Z29uZQ';
  await broker.publish(`sensor-cloud/1/${gone}/state`, '{"fall":"OFF","region_a":"ON"}', true);
  await broker.publish(`homeassistant/device/sensor_cloud_${gone}/config`, '{}', true);
  const world = await createWorld({}, broker);
  expect(world.customerId).toBe(1);
  await world.settle();
  await world.description();
  await eventually(() => expect([...broker.retained.keys()].filter((topic) => topic.includes(gone))).toEqual([]));
});

describe('a broker that', () => {
  const deliver = async (url: string) => {
    const receiver = await startReceiver((_, response) => void response.writeHead(200).end());
    closing.push(receiver.stop);
    const world = await createWorld({ broker: readBrokerUrl(url) ?? expect.unreachable(url) });
    const { client, admin, customerId } = world;
    await createAlarm(client, receiver.url);
    await fall(world);
    await eventually(async () => {
      const [page] = await client.ok<{ data: object[] }[]>('GET', `/customers/${customerId}/deliveries`);
      expect(page?.data).toMatchObject([{ state: 'delivered' }]);
    });
    expect(await admin.call('GET', '/health')).toMatchObject({ status: 200 });
    return world;
  };

  test('cannot be reached delays no delivery, and is counted', async () => {
    const world = await deliver(`mqtt://127.0.0.1:${await freePort()}`);
    await eventually(async () =>
      expect(await world.metric('home_assistant_failures_total')).toEqual([
        expect.stringMatching(/{reason="ECONNREFUSED"} [1-9]\d*$/),
      ]),
    );
  });

  test('hangs delays no delivery', async () => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const world = await deliver(`mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`);
    expect(sockets).toHaveLength(1);
    expect(await world.metric('home_assistant_connected')).toEqual(['sensor_cloud_home_assistant_connected 0']);
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  test('has a private certificate is trusted if a setting names it', async () => {
    const tls = { cert: readFileSync(fixture('self-signed.crt')), key: readFileSync(fixture('self-signed.key')) };
    const first = await startMqttBroker({ tls });
    const broker = readBrokerUrl(`mqtts://127.0.0.1:${first.port}`) ?? expect.unreachable('');
    const stranger = await createWorld({ broker });
    await eventually(async () =>
      expect(await stranger.metric('home_assistant_failures_total')).toEqual([
        expect.stringContaining('{reason="DEPTH_ZERO_SELF_SIGNED_CERT"}'),
      ]),
    );
    const trusting = await createWorld({ broker, extraCaFile: fixture('self-signed.crt') }, first);
    await eventually(() => expect(first.retained.get(trusting.topics.status)).toBe('online'));
  });

  test('demands a login gets the newest password', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'home-assistant-'));
    closing.push(async () => rmSync(folder, { recursive: true }));
    const passwordFile = join(folder, 'password');
    writeFileSync(passwordFile, 'first');
    const first = await startMqttBroker({
      authenticate: (_, user, password, done) =>
        user === 'cloud' && password?.toString() === 'second'
          ? done(null, true)
          : done(Object.assign(new Error('wrong password'), { returnCode: 4 }), false),
    });
    const world = await createWorld({ user: 'cloud', passwordFile }, first);
    await eventually(async () =>
      expect(await world.metric('home_assistant_failures_total')).toEqual([
        expect.stringContaining('{reason="login_refused"}'),
      ]),
    );
    writeFileSync(passwordFile, 'second\n');
    await eventually(() => {
      world.clock.skipTo(world.clock.now() + 1_000);
      expect(first.retained.get(world.topics.status)).toBe('online');
    });
  });
});

test('the start says what is shown, or what is missing', async () => {
  const line = async (homeAssistant: HomeAssistantSettings, dataDir = ':memory:') => {
    const cloud = await startTestCloud({ homeAssistant, dataDir });
    const shown = cloud.homeAssistant;
    if (dataDir !== ':memory:') {
      const admin = await adminOf(cloud.url);
      const body = { location: '', email: 'office@example.com' };
      for (const name of ['Maple', 'Linden']) await admin.ok('POST', '/customers', { ...body, name });
    }
    await cloud.stop();
    return shown;
  };
  const dataDir = mkdtempSync(join(tmpdir(), 'home-assistant-'));
  closing.push(async () => rmSync(dataDir, { recursive: true }));
  const nowhere = `mqtt://127.0.0.1:${await freePort()}`;
  expect(await line(settingsFor(nowhere))).toBe('Home Assistant: shows nothing yet, because there is no customer');
  expect(await line(settingsFor(nowhere, { customerId: 7 }), dataDir)).toBe(
    'warning: Home Assistant shows nothing, because there is no customer 7',
  );
  expect(await line(settingsFor(nowhere), dataDir)).toMatch(/several customers: set HOME_ASSISTANT_CUSTOMER_ID$/);
  expect(await line(settingsFor(nowhere, { customerId: 2 }), dataDir)).toBe(
    `Home Assistant: shows the sensors of Linden (customer 2), through ${nowhere}`,
  );
});
