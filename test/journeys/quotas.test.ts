import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '#lib/local/clock.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { defaultQuotas } from '#shared/domain/identity/quota.ts';
import { type Store, store } from '#shared/store/store.ts';
import { concurrently, statusOf } from '../fixtures/answers.ts';
import type { Answer, Client } from '../fixtures/client.ts';
import { register } from '../fixtures/client.ts';
import { PROVISIONING_KEY, startTestCloud } from '../fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createAlarm, createHome, linkSensor, nextHardwareId } from '../fixtures/home.ts';

const quotas = {
  webhooks: 4,
  bots: 5,
  rules: 8,
  rulesOfOneSituation: 3,
  users: 6,
  sensors: 7,
  sensorsInGroup: 2,
  sensorGroups: 3,
  replays: 1,
  messagesPerSecond: 10,
};
const URL = 'http://127.0.0.1:9/hook';
let cloud: Cloud;
let admin: Client;
let stores: Store;
let time = Math.ceil(systemClock.now() / 1_000) * 1_000;
beforeAll(async () => {
  // The clock stands still, so an entire test fits within one second.
  const clock = { now: () => time, after: systemClock.after };
  cloud = await startTestCloud({ clock, environment: { QUOTAS: JSON.stringify(quotas) } });
  admin = await adminOf(cloud.url);
  stores = store(cloud.runtime.table);
});
afterAll(() => cloud.stop());

const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
type Home = Awaited<ReturnType<typeof furnish>>;
/** Creates a customer with one user, one bot with a webhook, and one rule. */
const furnish = async (name: string) => {
  const home = await createHome(admin, name, ALL_PERMISSIONS);
  const { bot, webhook, rule } = await createAlarm(home.client, URL);
  return { ...home, bot, webhook, rule, recipients: [{ botId: bot.id, webhookId: webhook.id }] };
};
const ruleOf = ({ recipients }: Pick<Home, 'recipients'>, more: object = {}) => ({
  name: 'n',
  title: 't',
  message: 'm',
  situation: 'apnea',
  recipients,
  ...more,
});
const personOf = (home: Home, at: number) => ({
  username: `${home.username}-${at}`,
  password: 'a-password-of-no-interest',
  firstName: '',
  lastName: '',
  email: '',
});

/** How to create each kind of object for a customer that already has `before` of them, and the path to delete it. */
const kinds: Record<string, { before: number; make: (home: Home, at: number) => Promise<Answer>; path: string }> = {
  users: { before: 1, path: '/users', make: (home, at) => home.client.call('POST', '/users', personOf(home, at)) },
  bots: { before: 1, path: '/bots', make: ({ client }) => client.call('POST', '/bots', { name: 'n' }) },
  webhooks: {
    before: 1,
    path: '/webhooks',
    make: ({ client, bot }, at) => {
      const owner = at % 2 === 0 ? { isCustomerHook: true } : { isCustomerHook: false, botId: bot.id };
      return client.call('POST', '/webhooks', { name: 'n', url: URL, format: 'full', ...owner });
    },
  },
  rules: {
    before: 1,
    path: '/rules',
    make: (home, at) => home.client.call('POST', '/rules', ruleOf(home, { isEnabled: at % 25 === 0 })),
  },
  sensorGroups: {
    before: 0,
    path: '/sensor-groups',
    make: ({ client }) => client.call('POST', '/sensor-groups', { name: 'n', sensorIds: [] }),
  },
};

const count = (all: readonly number[], wanted: number) => all.filter((other) => other === wanted).length;
const successful = (answers: readonly Answer[]): Answer[] => answers.filter(({ status }) => status < 300);
const idOf = (answer: Answer | undefined) => (answer?.body as { id: number | string } | undefined)?.id;
const expectFull = (answers: readonly Answer[], quota: number, has: number) => {
  const statuses = answers.map(({ status }) => status);
  expect([successful(answers).length, count(statuses, 409)]).toEqual([quota - has, answers.length - (quota - has)]);
  for (const { status, text } of answers.filter(({ status }) => status === 409))
    expect([status, JSON.parse(text)]).toEqual([
      409,
      { statusCode: 409, message: expect.stringMatching(`: at most ${quota} `) },
    ]);
};

describe("a customer's quota", () => {
  test.each(Object.entries(kinds))(
    'the quota limits %s across 50 concurrent requests',
    async (kind, { before, make, path }) => {
      const home = await furnish(`fills-${kind.toLowerCase()}`);
      const quota = quotas[kind as keyof typeof quotas];
      const answers = await concurrently(50, (at) => make(home, at));
      expectFull(answers, quota, before);
      const deleted = idOf(successful(answers)[0]);
      // Only one of two concurrent deletions succeeds.
      const deletions = await concurrently(2, () => statusOf(home.client.call('DELETE', `${path}/${deleted}`)));
      expect(deletions.toSorted()).toEqual([200, 404]);
      expectFull(await concurrently(3, (at) => make(home, 101 + 2 * at)), quota, quota - 1);
    },
  );

  test('the quota limits linked and moved sensors', async () => {
    const home = await furnish('senses');
    const devices = await concurrently(14, () => register(admin, PROVISIONING_KEY, nextHardwareId()));
    const answers = await concurrently(14, (at) => {
      const { sensorId, pairingCode: code } = devices[at] ?? { sensorId: '', pairingCode: '' };
      return at % 2 === 0
        ? home.client.call('POST', '/sensors/link', { manufacturer: 'maker_a', code })
        : admin.call('PUT', `/sensors/${sensorId}/customer`, { customerId: home.customerId });
    });
    expectFull(answers, quotas.sensors, 0);
    const [rejected] = devices.filter((_, at) => answers[at]?.status === 409 && at % 2 === 0);
    const link = { manufacturer: 'maker_a', code: rejected?.pairingCode };
    expect(await statusOf(home.client.call('POST', '/sensors/link', link))).toBe(409);
    const [first] = devices.filter((_, at) => answers[at]?.status === 200);
    await admin.ok('PUT', `/sensors/${first?.sensorId}/customer`, { customerId: null });
    expect(await statusOf(home.client.call('POST', '/sensors/link', link))).toBe(200);
    const [next] = devices.filter((device, at) => answers[at]?.status === 200 && device !== first);
    await home.client.ok('DELETE', `/sensors/${next?.sensorId}`);
    await admin.ok('PUT', `/sensors/${first?.sensorId}/customer`, { customerId: home.customerId });
  });

  test('the quota limits enabled rules with the same scope and situation', async () => {
    const home = await furnish('rules');
    const { client } = home;
    const idle = await concurrently(5, () =>
      client.ok<{ id: number }>('POST', '/rules', ruleOf(home, { isEnabled: false })),
    );
    const put = (at: number, more: object = {}) => client.call('PUT', `/rules/${idle[at % 5]?.id}`, ruleOf(home, more));
    const enabled = await Promise.all(idle.map((_, at) => put(at)));
    expectFull(enabled, quotas.rulesOfOneSituation, 0);
    const [on, off] = [200, 409].map((status) => enabled.findIndex((answer) => answer.status === status)) as [
      number,
      number,
    ];
    expect(await statusOf(client.call('POST', '/rules', ruleOf(home)))).toBe(409);
    expect((await put(on, { title: 'new' })).status).toBe(200);
    expect((await put(on, { situation: 'fall_loop' })).status).toBe(200);
    expect((await put(off)).status).toBe(200);
    // The rule would exceed the quota for its scope again, but it is the first rule for a single sensor.
    expect((await put(on)).status).toBe(409);
    const { sensorId } = await linkSensor(client);
    expect((await put(on, { sensorId })).status).toBe(200);
    await client.ok('DELETE', `/rules/${idle[off]?.id}`);
    expect((await put(on)).status).toBe(200);
    for (const { id } of (await stores.rules.list(home.customerId)).values()) await client.ok('DELETE', `/rules/${id}`);
    const left = await cloud.runtime.table.queryAll({ pk: `C#${home.customerId}`, beginsWith: 'ENABLED#' });
    expect(left).toEqual([]);
  });

  test("the quota limits a webhook's running replays", async () => {
    const { client, customerId, webhook } = await furnish('replays');
    const at = `/webhooks/${webhook.id}/replays`;
    // The replays are not due yet, so no worker processes them.
    const replay = { customerId, webhookId: webhook.id, createDate: time + 3_600_000, state: 'running' };
    const ids = Array.from({ length: 20 }, (_, n) => uuid(n));
    const outcomes = await Promise.all(ids.map((id) => stores.replays.create({ ...replay, id } as never, 1)));
    const [running = ''] = ids.filter((_, n) => outcomes[n] === 'done');
    expect(outcomes.filter((outcome) => outcome === 'limit_reached')).toHaveLength(19);
    const span = { since: 0, until: 1 };
    expectFull([await client.call('POST', at, span)], quotas.replays, 1);
    await client.ok('DELETE', `${at}/${running}`);
    expect(await statusOf(client.call('POST', at, span))).toBe(202);
  });

  test('the quota limits the distinct sensors in a group', async () => {
    const { client } = await furnish('groups');
    const sensors = await concurrently(3, () => linkSensor(client));
    const [a = '', b = '', c = ''] = sensors.map(({ sensorId }) => sensorId);
    const body = (...sensorIds: string[]) => ({ name: 'n', sensorIds });
    expectFull([await client.call('POST', '/sensor-groups', body(a, b, c))], quotas.sensorsInGroup, 2);
    const { id } = await client.ok<{ id: number }>('POST', '/sensor-groups', body(a, b, a));
    expectFull([await client.call('PUT', `/sensor-groups/${id}`, body(a, b, c))], quotas.sensorsInGroup, 2);
    expect(await client.ok('GET', `/sensor-groups/${id}`)).toMatchObject({ sensorIds: [a, b].toSorted() });
  });
});

describe("a sensor's message quota", () => {
  let last = 0;
  const message = () => ({ type: 99, payload: { number: ++last } });
  const batch = (length: number) => Array.from({ length }, message);
  const setUp = async (name: string) => {
    const { client, customerId } = await furnish(name);
    const { sensorId, device } = await linkSensor(client);
    time += 1_000;
    const post = (body: unknown) => device.call('POST', `/devices/${sensorId}/messages`, body);
    const kept = async () => {
      await cloud.idle();
      const list = await stores.events.list(customerId, sensorId, time, { page: 0, perPage: 1 });
      return list.total;
    };
    return { post, kept };
  };

  test('messages over the per-second quota return 429 with Retry-After', async () => {
    const { post, kept } = await setUp('talks');
    expect([await statusOf(post(batch(6))), await statusOf(post(batch(4)))]).toEqual([202, 202]);
    const over = await post(message());
    expect([over.status, over.headers.get('retry-after')]).toEqual([429, '1']);
    // The events for the ten messages, and one about the sensor becoming active.
    expect(await kept()).toBe(11);
    time += 1_000;
    expect(await statusOf(post(batch(10)))).toBe(202);
    expect(await statusOf(post('{'))).toBe(429);
  });

  test('a request with more messages than the quota allows returns 400', async () => {
    const { post, kept } = await setUp('lists');
    expect([await statusOf(post(batch(101))), await statusOf(post(batch(10)))]).toEqual([400, 202]);
    expect(await kept()).toBe(11);
  });

  test('the message quota is exact across 50 concurrent requests', async () => {
    const { post, kept } = await setUp('shouts');
    const answers = await concurrently(50, () => post(message()));
    expect(
      [202, 429].map((status) =>
        count(
          answers.map((answer) => answer.status),
          status,
        ),
      ),
    ).toEqual([10, 40]);
    expect(await kept()).toBe(11);
  });
});

test('logged-in users can read the quotas', async () => {
  const { client } = await furnish('reads');
  expect(await client.ok('GET', '/server/config')).toMatchObject({ limits: { quotas } });
  expect(await admin.as(undefined).ok('GET', '/server/config')).not.toHaveProperty('limits');
  expect(defaultQuotas).toEqual({
    webhooks: 50,
    bots: 100,
    rules: 500,
    rulesOfOneSituation: 50,
    users: 500,
    sensors: 10_000,
    sensorsInGroup: 1_000,
    sensorGroups: 200,
    replays: 1,
    messagesPerSecond: 100,
    smsPerDay: 100,
    smsCodesPerDay: 100,
    smsTestsPerDay: 100,
  });
});
