import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { handler as authorize } from '#functions/workers/authorizer/handler.ts';
import { handler } from '#functions/workers/ingest/handler.ts';
import { systemClock } from '#lib/local/clock.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { lambdaContext } from '#lib/local/lambda/invocation.ts';
import { hashSecret } from '#shared/auth/tokens.ts';
import { encodeTask } from '#shared/queue/encode.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createHome, fallMessage, linkSensor } from '#test/fixtures/home.ts';
import { registerAgain, renewToken } from '#test/fixtures/mqtt.ts';

let cloud: Cloud;
let sensor: Awaited<ReturnType<typeof linkSensor>>;
let home: Awaited<ReturnType<typeof createHome>>;
/** The tasks sent to `events`, and the messages published to devices. */
const tasks: { customerId: number; sensorId: string; receiveDate: number; messages: string[] }[] = [];
const publishedToDevices: [string, unknown][] = [];
/** The messages sent to the function's own queue, with their delay (s). */
const postponed: { body: string; delaySeconds: number }[] = [];
let isQueueDown = false;
beforeAll(async () => {
  cloud = await startTestCloud();
  home = await createHome(await adminOf(cloud.url), 'maple', ALL_PERMISSIONS);
  sensor = await linkSensor(home.client);
  await cloud.idle();
});
afterAll(() => cloud.stop());
beforeEach(() => {
  isQueueDown = false;
  for (const list of [tasks, publishedToDevices, postponed]) list.length = 0;
});

const runtime = () => ({
  ...cloud.runtime,
  settings: { ...cloud.runtime.settings, MQTT_RULE: 'the_rule' },
  queues: {
    ...cloud.runtime.queues,
    send: async (queue: string, messages: readonly { body: string; delaySeconds: number }[]) => {
      if (isQueueDown) throw new Error('the queue is unavailable');
      if (queue === 'events') tasks.push(...messages.map(({ body }) => JSON.parse(body)));
      if (queue === 'mqtt') postponed.push(...messages);
    },
    hide: async () => {},
  },
  publish: async (topic: string, payload: string) => void publishedToDevices.push([topic, JSON.parse(payload)]),
  log: () => {},
});
const context = lambdaContext({ functionName: 'any', timeoutSeconds: 15, clock: systemClock });
const base64 = (text: string) => Buffer.from(text).toString('base64');
const principalOf = (token: string) => Buffer.from(hashSecret(token), 'base64url').toString('hex');
const knownMessage = JSON.stringify(fallMessage('calling', 500));
const published = (more: object = {}) => ({
  sensorId: sensor.sensorId,
  principal: principalOf(sensor.deviceToken),
  receiveDate: 1_000,
  payload: base64('{}'),
  ...more,
});
const record = (body: unknown) => ({
  messageId: crypto.randomUUID(),
  receiptHandle: 'r',
  body: JSON.stringify(body),
  messageAttributes: {},
  attributes: { ApproximateReceiveCount: '1' },
  eventSourceARN: 'arn:aws:sqs:eu-central-1:000000000000:mqtt',
});
const fromQueue = (...bodies: unknown[]) =>
  handler.with(runtime())({ Records: bodies.map(record) } as never, context) as Promise<{
    batchItemFailures: unknown[];
  }>;
const topicPrefix = `v1/devices/`;

describe('a message from the AWS IoT rule', () => {
  test('an AWS IoT message keeps the time at which AWS IoT received it', async () => {
    await handler.with(runtime())(published(), context);
    expect(tasks).toMatchObject([{ sensorId: sensor.sensorId, receiveDate: 1_000, messages: ['{}'] }]);
  });

  test('an AWS IoT message fails while no queue accepts it', async () => {
    isQueueDown = true;
    await expect(handler.with(runtime())(published(), context)).rejects.toThrow();
    expect(publishedToDevices).toEqual([]);
  });

  test('publishes credentials_invalid if the token is unknown or belongs to another sensor', async () => {
    for (const principal of [principalOf('none'), principalOf(sensor.deviceToken)]) {
      const sensorId = principal === principalOf('none') ? sensor.sensorId : 'id_somebody_else';
      await handler.with(runtime())(published({ principal, sensorId }), context);
      expect(publishedToDevices.pop()).toEqual([
        `${topicPrefix}${sensorId}/refused`,
        { reason: 'credentials_invalid' },
      ]);
    }
    expect(tasks).toEqual([]);
  });

  test('a message without a principal comes from the sensor in the topic', async () => {
    const payload = base64(knownMessage);
    for (const principal of [undefined, '']) await handler.with(runtime())(published({ principal, payload }), context);
    expect([tasks.map(({ sensorId }) => sensorId), publishedToDevices]).toEqual([Array(2).fill(sensor.sensorId), []]);
  });

  test('a device that sends too many messages learns that some were rejected', async () => {
    const { settings, ...others } = runtime();
    const limited = { ...others, settings: { ...settings, RATE_LIMIT_PER_SECOND: 50 }, now: () => 1_000 };
    const handle = handler.with(limited);
    for (let at = 0; at < 21; at++) await handle(published({ payload: base64(knownMessage) }), context);
    expect(tasks).toHaveLength(20);
    expect(publishedToDevices).toEqual([[`${topicPrefix}${sensor.sensorId}/refused`, { reason: 'rate_limited' }]]);
  });

  test('publishes credentials_invalid if an IAM identity published the message', async () => {
    for (const principal of ['eu-central-1:6c1f1b9e-0d0b-4a6f-9c57-1e2d3c4b5a69', 'AROAEXAMPLE:session', 'nobody']) {
      await handler.with(runtime())(published({ principal }), context);
      await fromQueue(published({ principal }));
    }
    expect(tasks).toEqual([]);
    expect(publishedToDevices).toHaveLength(6);
  });
});

describe('a message from the mqtt queue', () => {
  test("accepts messages from the rule's error action", async () => {
    const kept = { ruleName: 'r', topic: `$aws/rules/r/v1/devices/${sensor.sensorId}/messages`, clientId: 'c' };
    const response = await fromQueue({ ...kept, base64OriginalPayload: base64('{"a":1}') }, published());
    expect(response).toEqual({ batchItemFailures: [] });
    expect(tasks.map(({ messages }) => messages).sort()).toEqual([['{"a":1}'], ['{}']]);
  });

  test('assigns a message to the customer that owned the sensor at the time', async () => {
    const { sensorId, deviceToken } = await linkSensor(home.client);
    const admin = await adminOf(cloud.url);
    const other = await createHome(admin, 'birch', ALL_PERMISSIONS);
    const before = Date.now() - 1;
    await admin.ok('PUT', `/sensors/${sensorId}/customer`, { customerId: other.customerId });
    const messageAt = (receiveDate: number) =>
      published({ sensorId, principal: principalOf(deviceToken), receiveDate });
    for (const time of [before, Date.now() + 1]) await fromQueue(messageAt(time));
    expect(tasks.map(({ customerId }) => customerId)).toEqual([home.customerId, other.customerId]);
  });

  test('a message returns to the mqtt queue while the events queue rejects it', async () => {
    isQueueDown = true;
    expect((await fromQueue(published())).batchItemFailures).toHaveLength(1);
    // The other message in the batch is not repeated.
    const unknown = published({ principal: principalOf('none') });
    expect((await fromQueue(unknown, published())).batchItemFailures).toHaveLength(1);
    expect(publishedToDevices).toHaveLength(1);
  });

  test('publishes credentials_invalid if the sensor is gone', async () => {
    const kept = { topic: 'v1/devices/id_nobody_knows/messages', base64OriginalPayload: base64('{}') };
    expect(await fromQueue(kept)).toEqual({ batchItemFailures: [] });
    expect([tasks, publishedToDevices]).toEqual([
      [],
      [[`${topicPrefix}id_nobody_knows/refused`, { reason: 'credentials_invalid' }]],
    ]);
    expect((await fromQueue(...Array.from({ length: 200 }, () => published()))).batchItemFailures).toEqual([]);
    expect(tasks).toHaveLength(200);
  });

  test('the next sweep returns messages from the dead-letter queue', async () => {
    const { queues, dead } = cloud.waiting as Extract<Cloud['waiting'], { dead: object }>;
    dead.mqtt.send({
      ...encodeTask({ type: 'check_sensor', customerId: 0, sensorId: 'x' }),
      body: JSON.stringify(published()),
    });
    await cloud.runtime.queues.redrive('mqtt');
    await cloud.idle();
    expect([queues.mqtt.stats().visible, dead.mqtt.stats().visible]).toEqual([0, 0]);
  });
});

describe('a last will from AWS IoT, which also publishes the last wills of replaced connections', () => {
  const offline = base64('{"cmd":"event","type":5,"data":{"status":1}}');
  let radar: Awaited<ReturnType<typeof linkSensor>>;
  const will = (more: object = {}) =>
    published({ sensorId: radar.sensorId, principal: principalOf(radar.deviceToken), payload: offline, ...more });
  /** Connects, or rechecks a connection's rights, at the given time (ms). */
  const authorizeAt = async (at: number, id: string) => {
    const mqtt = { clientId: radar.sensorId, username: radar.sensorId, password: base64(radar.deviceToken) };
    const event = { protocolData: { mqtt }, connectionMetadata: { id } };
    expect(await authorize.with({ ...runtime(), now: () => at })(event, context)).toMatchObject({
      isAuthenticated: true,
    });
  };
  const takeBack = () => fromQueue(...postponed.splice(0).map(({ body }) => JSON.parse(body)));
  beforeEach(async () => {
    radar = await linkSensor(home.client, 'maker_b');
    await cloud.idle();
    await authorizeAt(100_000, 'first');
  });

  test('a last will takes effect after ten seconds without a reconnect', async () => {
    await handler.with(runtime())(will({ receiveDate: 900_000 }), context);
    expect(postponed).toMatchObject([{ delaySeconds: 10 }]);
    expect(tasks).toEqual([]);
    // The broken connection's rights are still checked until AWS IoT notices the break.
    await authorizeAt(899_900, 'first');
    await takeBack();
    expect(tasks).toMatchObject([{ sensorId: radar.sensorId, receiveDate: 900_000 }]);
  });

  test.each([
    ['shortly before, which replaces the old connection', 899_500],
    ['ten seconds later', 909_900],
  ])('a last will has no effect if the device connects %s', async (_, at) => {
    await handler.with(runtime())(will({ receiveDate: 900_000 }), context);
    await authorizeAt(at, 'second');
    await takeBack();
    expect([tasks, publishedToDevices, postponed]).toEqual([[], [], []]);
  });

  test('a last will takes effect at once on a host that drops outdated ones itself', async () => {
    await handler.with(runtime())(will({ isCurrent: true }), context);
    expect([tasks.length, postponed]).toEqual([1, []]);
  });

  test.each([
    ['has a time', { cmd: 'event', type: 5, timestamp: 1_000, data: { status: 1 } }],
    ['says that the device is online', { cmd: 'event', type: 5, data: { status: 0 } }],
    [
      'contains several messages',
      [
        { cmd: 'event', type: 5, data: { status: 1 } },
        { cmd: 'event', type: 7 },
      ],
    ],
  ])('a last will takes effect at once if the payload %s', async (_, message) => {
    await handler.with(runtime())(will({ payload: base64(JSON.stringify(message)) }), context);
    expect([tasks.length, postponed]).toEqual([1, []]);
  });
});

describe('the authorizer', () => {
  const authorizeSensor = (more: object = {}) => {
    const mqtt = { clientId: 'any', username: sensor.sensorId, password: base64(sensor.deviceToken), ...more };
    return authorize.with(runtime())({ protocolData: { mqtt } }, context);
  };

  test('the authorizer allows a device only its own client ID and topics', async () => {
    const { policyDocuments, ...response } = await authorizeSensor();
    expect(response).toEqual({
      isAuthenticated: true,
      principalId: principalOf(sensor.deviceToken),
      refreshAfterInSeconds: 300,
      disconnectAfterInSeconds: 86_400,
    });
    const own = `v1/devices/${sensor.sensorId}`;
    const arn = (resource: string) => `arn:aws:iot:eu-central-1:000000000000:${resource}`;
    const rights = policyDocuments.flatMap(({ Statement }) =>
      Statement.flatMap(({ Effect, Action, Resource }) =>
        Resource.map((resource) => `${Effect} ${Action} ${resource}`),
      ),
    );
    expect(rights).toEqual([
      `Allow iot:Connect ${arn(`client/${sensor.sensorId}`)}`,
      `Allow iot:Publish ${arn(`topic/${own}/messages`)}`,
      `Allow iot:Publish ${arn(`topic/$aws/rules/the_rule/${own}/messages`)}`,
      `Allow iot:Subscribe ${arn(`topicfilter/${own}/config`)}`,
      `Allow iot:Subscribe ${arn(`topicfilter/${own}/refused`)}`,
      `Allow iot:Receive ${arn(`topic/${own}/config`)}`,
      `Allow iot:Receive ${arn(`topic/${own}/refused`)}`,
    ]);
    expect(rights.join()).not.toMatch(/[*?]|\$\{/);
    // https://docs.aws.amazon.com/iot/latest/developerguide/custom-auth-lambda.html
    for (const document of policyDocuments) expect(JSON.stringify(document).length).toBeLessThanOrEqual(2_048);
    expect(response.principalId).toMatch(/^[a-zA-Z0-9]{1,128}$/);
  });

  test('the authorizer accepts a username with a query string from AWS libraries', async () => {
    expect((await authorizeSensor({ username: `${sensor.sensorId}?SDK=NodeJSv2` })).isAuthenticated).toBe(true);
  });

  test.each([
    ['no connection data', {}],
    ['no MQTT data', { protocolData: { http: {} } }],
    ['numbers as username and password', { protocolData: { mqtt: { username: 1, password: 2 } } }],
  ])('the authorizer denies a request with %s', async (_, event) => {
    expect(await authorize.with(runtime())(event, context)).toMatchObject({
      isAuthenticated: false,
      policyDocuments: [],
    });
  });

  test('the authorizer allows a device with its previous token only to send messages', async () => {
    const { deviceToken } = await registerAgain(sensor);
    const { isAuthenticated, policyDocuments } = await authorizeSensor();
    expect(isAuthenticated).toBe(true);
    const resources = policyDocuments.flatMap(({ Statement }) => Statement.flatMap(({ Resource }) => Resource));
    expect(resources.filter((resource) => resource.endsWith('/messages'))).toHaveLength(2);
    expect(resources.filter((resource) => resource.endsWith('/config'))).toEqual([]);
    expect(resources.filter((resource) => resource.endsWith('/refused'))).toHaveLength(2);
    expect((await authorizeSensor({ password: base64(deviceToken) })).isAuthenticated).toBe(true);
    expect((await authorizeSensor()).isAuthenticated).toBe(false);
    sensor = { ...sensor, deviceToken, device: sensor.device.as(deviceToken) };
  });

  test('the authorizer denies all devices in a stage without MQTT', async () => {
    const off = { ...runtime(), settings: { ...runtime().settings, MQTT_RULE: '' } };
    const mqtt = { username: sensor.sensorId, password: base64(sensor.deviceToken) };
    expect((await authorize.with(off)({ protocolData: { mqtt } }, context)).isAuthenticated).toBe(false);
    await renewToken(sensor);
    expect((await authorizeSensor()).isAuthenticated).toBe(false);
  });
});
