import { afterEach, expect, test } from 'vitest';
import { eventually } from '#test/fixtures/eventually.ts';
import { createAlarm, linkSensor } from '#test/fixtures/home.ts';
import { createShownWorld, type Description, fall } from '#test/fixtures/home-assistant.ts';
import { a, b, room } from '#test/fixtures/messages.ts';
import { startMqttBroker } from '#test/fixtures/mqtt-broker.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});
const createWorld = async (...given: Parameters<typeof createShownWorld>) => {
  const world = await createShownWorld(...given);
  closing.push(world.stop);
  return world;
};

/**
 * What Home Assistant requires of a description.
 * https://www.home-assistant.io/integrations/mqtt/#device-discovery-payload
 */
const expectValid = (description: Description): void => {
  expect(description.device.identifiers.length).toBeGreaterThan(0);
  expect(description).toMatchObject({ device: { name: expect.any(String) }, origin: { name: expect.any(String) } });
  for (const [id, { platform = '', unique_id, ...more }] of Object.entries(description.components)) {
    expect(id).toMatch(/^[\w-]+$/);
    expect(['binary_sensor', 'sensor', 'button']).toContain(platform);
    // A component with only a platform causes Home Assistant to remove it.
    if (Object.keys(more).length === 0) continue;
    expect(unique_id).toMatch(/^sensor_cloud_[\w-]+$/);
    if (platform === 'button') expect(more).toHaveProperty('command_topic');
    else expect([description.state_topic, more.value_template]).not.toContain(undefined);
  }
};
const shownIn = ({ components }: Description): string[] =>
  Object.keys(components).filter((id) => Object.keys(components[id] ?? {}).length > 1);

test("each sensor appears in Home Assistant as a device, in the users' language", async () => {
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
  // Topics contain only ids.
  expect([...world.current.broker.retained.keys()].join()).not.toMatch(/maple|ward|sensor [0-9a-f]{4}/i);

  const user = await client.ok<object>('GET', `/users/${userId}`);
  await client.ok('PUT', `/users/${userId}`, { ...user, locale: 'de-DE' });
  world.clock.skipTo(world.clock.now() + 61_000);
  await eventually(async () => expect((await world.description()).components.fall?.name).toBe('Sturz'));
});

test('Home Assistant shows presence, regions, bed, connection and vital signs', async () => {
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

test('Home Assistant shows a fall until it is over', async () => {
  const world = await createWorld();
  await world.settle();
  const start = await fall(world);
  await world.shows({ fall: 'ON' });
  await fall(world, 'finished', start);
  await world.shows({ fall: 'OFF' });
});

test('Home Assistant no longer shows an acknowledged fall', async () => {
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

test("the Home Assistant button acknowledges the sensor's falls", async () => {
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

test('MQTT messages cannot acknowledge a fall unless a setting allows it', async () => {
  const world = await createWorld();
  await world.settle();
  await fall(world);
  await world.shows({ fall: 'ON' });
  await world.current.broker.publish(world.topics.press(world.sensorId), 'PRESS');
  await world.report(a.presence(true));
  await world.shows({ fall: 'ON', occupancy: 'ON' });
});

test('a removed sensor or region disappears from Home Assistant', async () => {
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

test('everything reappears after the broker has restarted without retained messages', async () => {
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
  await eventually(() => {
    clock.skipTo(clock.now() + 1_000);
    expect(new Map([...current.broker.retained].toSorted())).toEqual(new Map([...before].toSorted()));
  });
  expect(current.broker.retained.get(topics.status)).toBe('online');
  expect(await world.metric('home_assistant_connected')).toEqual(['sensor_cloud_home_assistant_connected 1']);
  expect((await world.metric('home_assistant_failures_total')).length).toBeGreaterThan(0);
});

test('everything is published again after Home Assistant starts', async () => {
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

test('a late last will does not leave the host marked as offline', async () => {
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

test('a sensor removed while the host was down disappears at the next start', async () => {
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
