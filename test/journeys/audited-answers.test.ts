import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import { createWebhookClient } from '#shared/delivery/webhook-client.ts';
import type { AuditEntry } from '#shared/domain/identity/audit.ts';
import { logIn } from '../fixtures/client.ts';
import { eventually } from '../fixtures/eventually.ts';
import { createAlarm } from '../fixtures/home.ts';
import { settingsFor } from '../fixtures/home-assistant.ts';
import { type MqttBroker, startMqttBroker } from '../fixtures/mqtt-broker.ts';
import { createPeopleWorld } from '../fixtures/people.ts';
import { createPushBrowser } from '../fixtures/push-browser.ts';
import { startPushService } from '../fixtures/push-service.ts';

let broker: MqttBroker;
let pushes: Awaited<ReturnType<typeof startPushService>>;
let receiver: Receiver;
let receiverAnswers = false;
let world: Awaited<ReturnType<typeof createPeopleWorld>>;
beforeAll(async () => {
  [broker, pushes, receiver] = await Promise.all([
    startMqttBroker(),
    startPushService(),
    startReceiver((_, response) => void response.writeHead(200, receiverAnswers ? named : {}).end()),
  ]);
  world = await createPeopleWorld({
    environment: { PUSH_CONTACT: 'mailto:push@example.org' },
    homeAssistant: settingsFor(`mqtt://127.0.0.1:${broker.port}`, { canAcknowledge: true }),
    wrap: (runtime) => {
      const client = createWebhookClient(runtime.settings, pushes.network);
      return { ...runtime, webhookClient: async () => client };
    },
  });
});
afterAll(async () => {
  await world.stop();
  await Promise.all([broker.stop(), pushes.stop(), receiver.stop()]);
});

const named = { 'X-Acknowledged-By': 'Ward 2' };
const browser = createPushBrowser();
const post = (address: string, path = '') => fetch(`${address}${path}`, { method: 'POST' });

const furnish = async () => {
  const home = await world.furnish();
  const { client, customerId, sensorId } = home;
  const { webhook, rule: called } = await createAlarm(home.session, receiver.url);
  const anna = await home.hire('Anna', { email: 'anna@example.com', sms: '+491701234567', telegram: '4711' });
  const subscription = { endpoint: `${pushes.origin}/1`, keys: browser.keys };
  await anna.client.ok('GET', '/channels');
  await anna.client.ok('PUT', '/users/me/channels/push', { subscription });
  await home.rule(['email', 'sms', 'telegram', 'push'].map((by) => ({ userId: anna.id, by })));
  const display = await logIn(client.as(undefined), home.username, home.password, { display: true });
  /** Reports a fall. Returns the paths, and the link in a message about it. */
  const fall = async () => {
    world.sentMessages.length = 0;
    pushes.pushed.length = 0;
    await home.fall();
    const [hit] = await home.hits();
    if (!hit) throw new Error('the fall made no hit');
    return {
      hit: `/customers/${customerId}/rule-hits/${hit.id}/acknowledgement`,
      fall: `/sensors/${sensorId}/falls/${hit.sensorEventId}`,
      linkBy: (by: string) =>
        /http\S+\/acknowledge\/[\w-]+/.exec(world.sentMessages.find((sent) => sent.by === by)?.text ?? '')?.[0] ?? by,
    };
  };
  const lines = async () => {
    const [page] = await client.ok<{ data: AuditEntry[] }[]>('GET', `/customers/${customerId}/audit?perPage=100`);
    return page?.data.filter(({ operation }) => /acknowledge|closeFall|withdraw/i.test(operation)) ?? [];
  };
  return { ...home, anna, webhook, called, display, fall, lines };
};
const deliveriesOf = async ({ client, webhook }: Home) => {
  const [page] = await client.ok<{ data: { id: string }[] }[]>('GET', `/webhooks/${webhook.id}/deliveries`);
  return page?.data ?? [];
};
type Home = Awaited<ReturnType<typeof furnish>>;
type Fall = Awaited<ReturnType<Home['fall']>>;

/** Every way to respond to an alarm, with the resulting line in the audit log. */
const ways: readonly (readonly [
  name: string,
  act: (home: Home, fall: Fall) => Promise<unknown>,
  line: (home: Home) => object,
])[] = [
  [
    'a session at the API',
    ({ session }, { hit }) => session.ok('PUT', hit, {}),
    ({ userId }) => ({ operation: 'acknowledgeRuleHit', actor: { kind: 'user', id: String(userId) } }),
  ],
  [
    'an access token at the API, for a fall',
    ({ client }, { fall }) => client.ok('PUT', `${fall}/acknowledgement`, {}),
    ({ userId }) => ({ operation: 'acknowledgeFall', actor: { kind: 'token', id: String(userId) } }),
  ],
  [
    'a display',
    ({ display }, { hit }) => display.ok('PUT', hit, { name: 'Night shift' }),
    ({ userId }) => ({ operation: 'acknowledgeRuleHit', actor: { kind: 'user', id: String(userId) } }),
  ],
  [
    'a closure',
    ({ session }, { fall }) => session.ok('PUT', `${fall}/closure`, { outcome: 'helped' }),
    ({ userId }) => ({ operation: 'closeFall', actor: { kind: 'user', id: String(userId) } }),
  ],
  ...['email', 'sms', 'telegram'].map(
    (by) =>
      [
        `the link in a message by ${by}`,
        (_: Home, { linkBy }: Fall) => post(linkBy(by), '/page'),
        ({ anna }: Home) => ({
          operation: 'acknowledgeByPage',
          actor: { kind: 'link', id: String(anna.id), name: 'Anna' },
        }),
      ] as const,
  ),
  [
    'the button of a push',
    async () => {
      const [{ url }] = pushes.pushed.map(({ body }) => browser.read(body)) as [{ url: string }];
      const answer = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      });
      expect(answer.status).toBe(200);
    },
    ({ anna }) => ({ operation: 'acknowledgeByAddress', actor: { kind: 'link', id: String(anna.id), name: 'Anna' } }),
  ],
  [
    'the link of a webhook, with a name',
    async () => {
      const { acknowledgeUrl } = JSON.parse(receiver.received.at(-1)?.body ?? '') as { acknowledgeUrl: string };
      const headers = { 'content-type': 'application/json' };
      await fetch(acknowledgeUrl, { method: 'POST', headers, body: JSON.stringify({ name: 'Nurse desk' }) });
    },
    () => ({ operation: 'acknowledgeByAddress', actor: { kind: 'link', id: null, name: 'Nurse desk' } }),
  ],
  [
    'the button in Home Assistant',
    async ({ customerId, sensorId, hits }) => {
      const description = `homeassistant/device/sensor_cloud_${sensorId}/config`;
      await eventually(() => expect(broker.retained.has(description)).toBe(true));
      await broker.publish(`sensor-cloud/${customerId}/${sensorId}/acknowledge`, 'PRESS');
      await eventually(async () => expect((await hits())[0]?.acknowledgement).not.toBeNull());
    },
    ({ sensorId }) => ({
      operation: 'acknowledgeFall',
      actor: { kind: 'home_assistant', id: null },
      object: { kind: 'sensor', id: sensorId },
    }),
  ],
];

test('every way of acknowledging or closing an alarm writes one audit line', async () => {
  const home = await furnish();
  let before: AuditEntry[] = [];
  const newLines = async () => {
    const all = await home.lines();
    const known = new Set(before.map(({ id }) => id));
    before = all;
    return all.filter(({ id }) => !known.has(id));
  };
  for (const [name, act, line] of ways) {
    const fall = await home.fall();
    await act(home, fall);
    await world.idle();
    expect((await home.hits())[0]?.acknowledgement, name).not.toBeNull();
    expect(await newLines(), name).toMatchObject([line(home)]);
  }

  // The receiver's response acknowledges before anyone else can.
  receiverAnswers = true;
  await home.fall();
  const acknowledged = (await home.hits()).find(({ ruleId }) => ruleId === home.called.id);
  const { id: lastDelivery } = (await deliveriesOf(home))[0] ?? expect.unreachable('no delivery');
  expect(await newLines()).toMatchObject([
    {
      operation: 'acknowledgeRuleHit',
      actor: { kind: 'receiver', id: home.webhook.id, name: 'Ward 2' },
      object: { kind: 'rule_hit', id: String(acknowledged?.id) },
      address: '127.0.0.1',
      requestId: lastDelivery,
      refused: false,
    },
  ]);
});
