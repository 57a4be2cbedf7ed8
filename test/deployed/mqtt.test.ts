import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import { skippingClock } from '#lib/local/clock.ts';
import { defaultRoom } from '#shared/domain/sensor/room-geometry.ts';
import { ADMIN_PASSWORD, PROVISIONING_KEY } from '../fixtures/cloud.ts';
import { eventually } from '../fixtures/eventually.ts';
import { ALL_PERMISSIONS, adminOf, createAlarm, createHome, fallMessage, linkSensor } from '../fixtures/home.ts';
import { closed, connect, connectError, createDevice, renewToken } from '../fixtures/mqtt.ts';
import { type Assembly, type Resource, readAssembly } from './assembly.ts';
import { type Deployed, startDeployed } from './cloud.ts';

const whole = readAssembly(inject('assembly'));
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.stop());

/** Returns the assembly without the matching resources. */
const without = (isRemoved: (resource: Resource) => boolean): Assembly => {
  const kept = Object.entries(whole.template.Resources).filter(([, resource]) => !isRemoved(resource));
  return { ...whole, template: { Resources: Object.fromEntries(kept) } };
};
const isPermissionOf = (name: string) => (resource: Resource) =>
  resource.Type === 'AWS::Lambda::Permission' &&
  JSON.stringify(resource).includes('"iot.amazonaws.com"') &&
  JSON.stringify(resource).includes(`"${name}`);

const clock = skippingClock(Date.now());

/** Runs a test in a cloud built from an assembly, with a home, a sensor and a rule. */
const within = async (
  assembly: Assembly,
  run: (cloud: Deployed & { mqttUrl: string }, sensor: Awaited<ReturnType<typeof createSensor>>) => Promise<void>,
): Promise<void> => {
  const first = { adminUsername: 'admin', adminPassword: ADMIN_PASSWORD, provisioningKey: PROVISIONING_KEY };
  const cloud = await startDeployed(assembly, { first, clock, mqttPort: 0 });
  try {
    await run({ ...cloud, mqttUrl: cloud.mqttUrl ?? '' }, await createSensor(cloud));
    expect([...cloud.judge.denied, ...cloud.faults]).toEqual([]);
  } finally {
    await cloud.stop();
  }
};

const createSensor = async (cloud: Deployed) => {
  const { client } = await createHome(await adminOf(cloud.url), 'maple', ALL_PERMISSIONS);
  await createAlarm(client, receiver.url);
  return { ...(await linkSensor(client)), client };
};

test('a message from a connected device becomes an event and a webhook request', () =>
  within(whole, async ({ mqttUrl, idle }, sensor) => {
    const before = receiver.received.length;
    const device = await createDevice(mqttUrl, sensor);
    const message = { ...fallMessage('calling', Date.now()), uuid: crypto.randomUUID() };
    await device.say(message);
    const received = await receiver.until(before + 1);
    expect(received.at(-1)?.body).toContain(message.uuid);
    await idle();
    const [page] = await sensor.client.ok<{ data: { uuid: string }[] }[]>('GET', `/sensors/${sensor.sensorId}/events`);
    expect(page?.data.map(({ uuid }) => uuid)).toContain(message.uuid);
    await device.end();
  }));

test('rejects connections with the wrong token, sensor ID or client ID', () =>
  within(whole, async ({ mqttUrl }, sensor) => {
    expect(await connectError(mqttUrl, { ...sensor, deviceToken: 'garbage' })).toBe(4);
    expect(await connectError(mqttUrl, { ...sensor, sensorId: `id_${'0'.repeat(23)}` })).toBe(4);
    expect(await connectError(mqttUrl, sensor, { clientId: 'another' })).toBe(2);
    expect(await connectError(mqttUrl, await renewToken(sensor))).toBe(null);
    expect(await connectError(mqttUrl, sensor)).toBe(4);
  }));

test('notifies a device of a rejected message and a changed configuration', () =>
  within(whole, async ({ mqttUrl }, sensor) => {
    const device = await createDevice(mqttUrl, sensor);
    await device.say('no JSON');
    await sensor.client.ok('PUT', `/sensors/${sensor.sensorId}/room`, defaultRoom);
    await eventually(() => expect(device.heard).toMatchObject({ config: [{}], refused: [{ reason: 'json' }] }));
    await device.end();
  }));

test('a reconnecting device is not reported as inactive', () =>
  within(whole, async ({ mqttUrl, idle }, { client }) => {
    const radar = await linkSensor(client, 'maker_b');
    const will = {
      topic: `v1/devices/${radar.sensorId}/messages`,
      payload: Buffer.from('{"cmd":"event","type":5,"data":{"status":1}}'),
      qos: 1,
      retain: false,
    } as const;
    const device = await createDevice(mqttUrl, radar, { will });
    await device.say({ cmd: 'event', type: 3, data: { 'number-people': 1 } });
    const broken = closed(device.client);
    device.client.stream.destroy();
    await broken;
    const again = await createDevice(mqttUrl, radar, { will });
    await idle();
    clock.skipTo(clock.now() + 11_000);
    await idle();
    const [page] = await client.ok<{ data: { action: string }[] }[]>('GET', `/sensors/${radar.sensorId}/events`);
    expect(page?.data.map(({ action }) => action)).not.toContain('inactive');
    await again.end();
  }));

test('a message is delivered later if the rule lacks permission to invoke the function', () =>
  within(without(isPermissionOf('ingest')), async ({ mqttUrl, idle }, sensor) => {
    const before = receiver.received.length;
    const device = await connect(mqttUrl, sensor);
    const message = { ...fallMessage('calling', Date.now()), uuid: crypto.randomUUID() };
    await device.publishAsync(`v1/devices/${sensor.sensorId}/messages`, JSON.stringify(message), { qos: 1 });
    const received = await receiver.until(before + 1);
    expect(received.at(-1)?.body).toContain(message.uuid);
    await idle();
    await device.endAsync();
  }));

test.each([
  ["the authorizer's permission", isPermissionOf('authorizer')],
  ['the authorizer', ({ Type }: Resource) => Type === 'AWS::IoT::Authorizer'],
  ['the domain configuration', ({ Type }: Resource) => Type === 'AWS::IoT::DomainConfiguration'],
  ['the rule', ({ Type }: Resource) => Type === 'AWS::IoT::TopicRule'],
  [
    "the error action's role",
    (resource: Resource) =>
      JSON.stringify(resource).includes('"iot.amazonaws.com"') && resource.Type === 'AWS::IAM::Role',
  ],
])('a stack with MQTT does not start without %s', (_, isRemoved) =>
  expect(within(without(isRemoved), async () => {})).rejects.toThrow(),
);
