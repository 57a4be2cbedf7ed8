import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Channel, ChannelKind } from '#shared/domain/people/channel.ts';
import type { Runtime } from '#shared/runtime/deps.ts';
import { changes } from '#shared/store/engine/request.ts';
import { store } from '#shared/store/store.ts';
import { items } from '#shared/store/table.ts';
import { linkSensor } from '../fixtures/home.ts';
import { b } from '../fixtures/messages.ts';
import { createPeopleWorld } from '../fixtures/people.ts';
import { createPushBrowser } from '../fixtures/push-browser.ts';
import { startTelegramServer } from '../fixtures/telegram-server.ts';

const PUSH_URL = 'https://push.example.com/1';
const browser = createPushBrowser();
let world: Awaited<ReturnType<typeof createPeopleWorld>>;
let telegram: Awaited<ReturnType<typeof startTelegramServer>>;
/** The push service's messages, in the form used for the other services. */
const pushes: { title: string; text: string; listUrl?: string }[] = [];
/** Throws at the point where a process should die. */
let failpoint: Runtime['failpoint'] = () => {};

const withPushService = (runtime: Runtime): Runtime => ({
  ...runtime,
  failpoint: (name) => failpoint?.(name),
  webhookClient: async () => {
    const client = await runtime.webhookClient();
    const post: typeof client.post = async (request) => {
      if (request.url !== PUSH_URL) return client.post(request);
      pushes.push(browser.read(Buffer.from(request.body)) as (typeof pushes)[number]);
      const timings = { dns: null, connect: null, tls: null, firstByte: null };
      const none = { error: null, responseBody: '', retryAfter: null, acknowledgedBy: null, durationMs: 1 };
      return { ...none, status: 201, timings };
    };
    return { ...client, post };
  },
});

beforeAll(async () => {
  telegram = await startTelegramServer();
  const environment = { PUSH_CONTACT: 'mailto:push@example.org' };
  world = await createPeopleWorld({ telegramUrl: telegram.url, wrap: withPushService, environment });
  telegram.setClock(world.now);
});
afterAll(async () => {
  await world.stop();
  await telegram.stop();
});
beforeEach(() => {
  world.sentMessages.length = 0;
  pushes.length = 0;
  telegram.reset();
  failpoint = () => {};
});

/** The time after which collected notifications have been sent. */
const GATHERED_MS = 22_000;

type Home = Awaited<ReturnType<typeof world.furnish>>;
/** Adds maker B sensors to a home. These sensors report whether they are online. */
const addSensors = async ({ client, customerId }: Home, count: number) => {
  const sensors: { say: (message: unknown) => Promise<unknown> }[] = [];
  for (let at = 1; at <= count; at++) {
    const { sensorId, device } = await linkSensor(client, 'maker_b');
    await world.table.update(items.sensor({ customerId, sensorId }), changes({ set: { name: `Room ${at}` } }));
    sensors.push({ say: (message: unknown) => device.ok('POST', `/devices/${sensorId}/messages`, message) });
  }
  const reportOnline = async (isOnline: boolean, from = 0, to = count) => {
    await Promise.all(sensors.slice(from, to).map(({ say }) => say(b.online(isOnline))));
  };
  await reportOnline(true);
  await world.idle();
  return { reportOnline };
};

/** Creates a home with sensors, and a user who is notified of offline sensors and falls on these channels. */
const createFlood = async (count: number, channels: Partial<Record<ChannelKind, string>>, name = 'Anna') => {
  const home = await world.furnish();
  const user = await home.hire(name, channels);
  const recipients = Object.keys(channels).map((by) => ({ userId: user.id, by }));
  await home.rule(recipients, { situation: 'sensor_inactive', title: 'Silent: {sensor}' });
  await home.rule(recipients, { title: 'FALL: {sensor}' });
  return { ...home, user, recipients, ...(await addSensors(home, count)) };
};
const subscribe = async ({ client, customerId }: Home, userId: number): Promise<void> => {
  await client.ok('GET', '/channels');
  const subscription = { endpoint: PUSH_URL, keys: browser.keys };
  const channel = { by: 'push', address: 'push.example.com', subscription, provenDate: world.now() } as const;
  await store(world.table).channels.put({ customerId, userId }, channel, null);
};
const sentBy = (by: Channel['by']) => world.sentMessages.filter((message) => message.by === by).map(({ text }) => text);
/** Returns the state and the number of attempts for each delivery to people in a home. */
const statesOf = ({ customerId }: Home) =>
  world.table.queryAll<{ state: string; attempts: number }>({
    pk: items.personDelivery.pk({ customerId }),
    beginsWith: 'DELIVERY#',
  });

test('200 sensors going offline cause one message per channel', async () => {
  const channels = { email: 'anna@example.com', sms: '+491701234567', telegram: '-100200' };
  const home = await createFlood(200, channels);
  const { user, reportOnline, fall } = home;
  await subscribe(home, user.id);
  await home.rule([{ userId: user.id, by: 'push' }], { situation: 'sensor_inactive' });
  await home.rule([{ userId: user.id, by: 'push' }], { title: 'FALL: {sensor}' });
  await reportOnline(false);
  await fall();
  const isFall = (text: string) => text.includes('FALL');
  const telegramTexts = () => telegram.accepted.map(({ text }) => text);
  const sent = () => [sentBy('email'), sentBy('sms'), telegramTexts(), pushes.map(({ title }) => title)];
  expect(sent().map((texts) => texts.map(isFall))).toEqual([[true], [true], [true], [true]]);

  await world.pass(GATHERED_MS);
  await world.pass(10_000);
  const [mails, texts, chats, titles] = sent().map((all) => all.filter((text) => !isFall(text)));
  expect([mails, texts, chats, titles].map((all) => all?.length)).toEqual([1, 1, 1, 1]);
  expect([texts?.[0], chats?.[0], titles?.[0]].map((text) => text?.split('\n')[0])).toEqual(
    Array(3).fill('200 sensors offline'),
  );
  const message = chats?.[0] ?? '';
  expect(message.match(/Room \d+/g)).toEqual(Array.from({ length: 20 }, (_, at) => `Room ${at + 1}`));
  expect(message).toContain('and 180 more');
  expect(message).toMatch(/All sensors:\nhttp\S+\/console\/sensors$/);
  expect(pushes.at(-1)).toMatchObject({ url: null, listUrl: expect.stringMatching(/\/console\/sensors$/) });
  for (const text of [mails?.[0], texts?.[0], message]) {
    expect(text).toMatch(/\/console\/sensors$/);
    expect(text).not.toContain('/acknowledge/');
  }

  const states = await statesOf(home);
  expect(states).toHaveLength(804);
  expect(new Set(states.map(({ state, attempts }) => `${state} ${attempts}`))).toEqual(new Set(['delivered 1']));
  expect((await home.hits()).every(({ ruleMessages }) => ruleMessages.every(({ wasSend }) => wasSend))).toBe(true);
});

test('a message about a single sensor has the text of the rule and an acknowledgement link', async () => {
  const { reportOnline } = await createFlood(1, { telegram: '-100201' });
  await reportOnline(false);
  await world.idle();
  expect(telegram.accepted).toEqual([]);
  await world.pass(GATHERED_MS);
  expect(telegram.accepted.map(({ text }) => text)).toEqual([
    expect.stringMatching(/^Silent: Room 1\n[\s\S]+\/acknowledge\//),
  ]);
});

test('a combined message lists recovered and offline sensors, each only once', async () => {
  const home = await createFlood(3, { telegram: '-100202' });
  await home.rule(home.recipients, { situation: 'sensor_active', title: 'Back: {sensor}' });
  await home.reportOnline(false);
  await world.idle();
  await home.reportOnline(true, 2);
  await world.idle();
  await world.pass(GATHERED_MS);
  expect(telegram.accepted).toHaveLength(1);
  expect(telegram.accepted[0]?.text).toMatch(
    /^2 sensors offline, 1 sensor online again\nOffline: Room 1, Room 2\nOnline again: Room 3\n/,
  );
});

test('users who share a Telegram chat get a single message in that chat', async () => {
  const home = await createFlood(2, { telegram: '-100203' });
  const ben = await home.hire('Ben', { telegram: '-100203' });
  await home.rule([{ userId: ben.id, by: 'telegram' }], { situation: 'sensor_inactive' });
  const other = await createFlood(3, { telegram: '-100203' }, 'Carla');
  await Promise.all([home.reportOnline(false), other.reportOnline(false)]);
  await world.idle();
  await world.pass(GATHERED_MS);
  await world.pass(10_000);
  expect(telegram.accepted.map(({ text }) => text.split('\n').slice(0, 2)).sort()).toEqual([
    ['2 sensors offline', 'Offline: Room 1, Room 2'],
    ['3 sensors offline', 'Offline: Room 1, Room 2, Room 3'],
  ]);
  for (const { state } of [...(await statesOf(home)), ...(await statesOf(other))]) expect(state).toBe('delivered');
});

test('a message postponed by Telegram is retried for all deliveries together', async () => {
  const home = await createFlood(4, { telegram: '-100204' });
  for (let at = 0; at < 20; at++) await home.fall();
  await home.reportOnline(false);
  await world.idle();
  await world.pass(GATHERED_MS);
  const offline = () => telegram.accepted.filter(({ text }) => text.startsWith('4 sensors offline')).length;
  expect([telegram.accepted.length, telegram.refused.length, offline()]).toEqual([20, 1, 0]);
  await home.fall();
  await world.pass(25_000);
  // The fall waits too, and no further message was sent in vain.
  expect([telegram.accepted.length, telegram.refused.length]).toEqual([20, 1]);
  await world.pass(60_000);
  await world.pass(10_000);
  expect([telegram.accepted.length, telegram.refused.length, offline()]).toEqual([22, 1, 1]);
  expect(new Set((await statesOf(home)).map(({ state }) => state))).toEqual(new Set(['delivered']));
});

test('a process that dies between gathering and sending does not lose notifications', async () => {
  const home = await createFlood(6, { telegram: '-100205' });
  await home.reportOnline(false);
  await world.idle();
  let claims = 0;
  failpoint = (name) => {
    if (name === 'deliver.claimed' && ++claims === 4) throw new Error('the process died');
  };
  await world.pass(GATHERED_MS);
  for (let step = 0; step < 8; step++) await world.pass(10_000);
  const named = new Set(telegram.accepted.flatMap(({ text }) => text.match(/Room \d+/g) ?? []));
  expect(claims).toBeGreaterThan(6);
  expect([...named].sort()).toEqual(['Room 1', 'Room 2', 'Room 3', 'Room 4', 'Room 5', 'Room 6']);
  expect(new Set((await statesOf(home)).map(({ state }) => state))).toEqual(new Set(['delivered']));
});

test('a Telegram group that became a supergroup stays reachable', async () => {
  const home = await createFlood(1, { telegram: '-100206' });
  const parameters = { migrate_to_chat_id: -1_001_557_912_345 };
  telegram.answerWith(({ chat }) =>
    chat === '-100206' ? { status: 400, body: { ok: false, description: 'Bad Request: upgraded', parameters } } : null,
  );
  await home.fall();
  await home.fall();
  const chats = (all: readonly { chat: string }[]) => all.map(({ chat }) => chat);
  expect([chats(telegram.refused), chats(telegram.accepted)]).toEqual([
    ['-100206'],
    ['-1001557912345', '-1001557912345'],
  ]);
});

test('a permanent refusal from a chat ends the delivery and marks the channel', async () => {
  const home = await createFlood(1, { telegram: '-100207' });
  const { customerId, user, client, at } = home;
  const description = `Forbidden: bot was blocked by the user, ${'x'.repeat(300)}`;
  telegram.answerWith(() => ({ status: 403, body: { ok: false, description } }));
  await home.fall();
  const [delivery] = await home.sent();
  expect(delivery).toMatchObject({ state: 'failed', reason: 'gone', attempts: 1 });
  const detail = await client.ok<{ attemptLog: object[] }>('GET', `${at}/${delivery?.id}`);
  expect(detail.attemptLog).toMatchObject([{ error: 'status_403', responseBody: description.slice(0, 200) }]);
  const channels = () => store(world.table).channels.verifiedOf({ customerId, userId: user.id });
  expect(await channels()).toEqual([{ by: 'telegram', address: '-100207', undeliverableDate: expect.any(Number) }]);
  telegram.answerWith(() => null);
  await home.fall();
  expect((await home.sent())[0]).toMatchObject({ state: 'delivered' });
  expect(await channels()).toEqual([{ by: 'telegram', address: '-100207' }]);
});
