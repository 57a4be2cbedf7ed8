import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startReceiver } from '#lib/home/receiver.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { defaultsOf } from '#shared/domain/config/field.ts';
import { basicFields } from '#shared/domain/makers/maker-a/config.ts';
import { clientOf, logIn, register } from '../fixtures/client.ts';
import { ADMIN_PASSWORD, startTestCloud } from '../fixtures/cloud.ts';
import { ALL_PERMISSIONS, type adminOf, createAlarm, createHome, fallMessage } from '../fixtures/home.ts';

const FREE_TEXT = 'a key from a factory';
let cloud: Cloud;
let admin: Awaited<ReturnType<typeof adminOf>>;
let home: Awaited<ReturnType<typeof createHome>>;
beforeAll(async () => {
  cloud = await startTestCloud({
    first: { adminUsername: 'admin', adminPassword: ADMIN_PASSWORD, provisioningKey: FREE_TEXT },
  });
  admin = await logIn(clientOf(cloud.url), 'admin', ADMIN_PASSWORD);
  home = await createHome(admin, 'maple', ALL_PERMISSIONS);
});
afterAll(() => cloud.stop());

let hardware = 0xa0;
const device = () => register(admin, FREE_TEXT, `0000000000${(++hardware).toString(16).toUpperCase()}`);
const linked = async () => {
  const { sensorId, pairingCode: code, deviceToken } = await device();
  await home.client.ok('POST', '/sensors/link', { manufacturer: 'maker_a', code });
  return { sensorId, device: admin.as(deviceToken) };
};
const fifty = <T>(act: (at: number) => Promise<T>) => Promise.all(Array.from({ length: 50 }, (_, at) => act(at)));

describe('concurrent requests', () => {
  test('50 concurrent registrations create one device with one valid token', async () => {
    const body = { manufacturer: 'maker_a', hardwareId: '0000000000F1', firmwareVersion: 42 };
    const answers = await fifty(() => admin.as(FREE_TEXT).call('POST', '/devices/register', body));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => ![200, 201, 503].includes(status))).toEqual([]);
    const tokens = answers.map(({ body }) => body as { sensorId: string; deviceToken?: string });
    const attempts = await Promise.all(
      tokens.map(({ sensorId, deviceToken }) =>
        deviceToken ? admin.as(deviceToken).call('GET', `/devices/${sensorId}/config`) : { status: 401 },
      ),
    );
    expect(attempts.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test('50 concurrent replacements of a configuration leave one complete version', async () => {
    const { sensorId } = await linked();
    const path = `/sensors/${sensorId}/maker_a/config/basic`;
    const put = (at: number) =>
      home.client.call('PUT', path, { ...defaultsOf(basicFields), name: `Room ${at}`, volume: at });
    const answers = await fifty(put);
    expect(answers.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
    const stored = await home.client.ok<{ name: string; volume: number }>('GET', path);
    expect(stored.name).toBe(`Room ${stored.volume}`);
    expect(answers[stored.volume]?.status).toBe(200);
    expect(await home.client.ok('GET', `/sensors/${sensorId}`)).toMatchObject({ name: stored.name });
  });

  test('50 concurrent moves of a sensor leave it with one customer', async () => {
    const { sensorId } = await linked();
    const other = await createHome(admin, 'rowan', []);
    const customers = [home.customerId, other.customerId];
    const move = (at: number) => admin.call('PUT', `/sensors/${sensorId}/customer`, { customerId: customers[at % 2] });
    const statuses = (await fifty(move)).map(({ status }) => status);
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
    const seen = await Promise.all(
      customers.map((id) => admin.ok<{ data: { id: string }[] }[]>('GET', `/sensors?customerId=${id}&perPage=200`)),
    );
    expect(seen.flatMap(([page]) => page?.data ?? []).filter(({ id }) => id === sensorId)).toHaveLength(1);
  });
});

test('the delivery list is empty for an inverted or future period', async () => {
  const { webhook } = await createAlarm(home.client, 'http://127.0.0.1:9/');
  const at = `/webhooks/${webhook.id}`;
  const soon = Date.now() + 1_000_000;
  for (const query of ['since=1&until=2', 'until=0', 'since=5&until=1', `since=${soon}&until=${soon + 1}`])
    expect(await home.client.ok('GET', `${at}/deliveries?${query}`)).toMatchObject([{ total: 0, data: [] }]);
  const replay = await home.client.call('POST', `${at}/replays`, { since: soon, until: soon + 1 });
  expect(replay.status).toBe(202);
});

test('a rule that names the same webhook twice notifies it only once', async () => {
  const receiver = await startReceiver();
  const { bot, webhook } = await createAlarm(home.client, receiver.url, 'empty_room');
  const recipient = { botId: bot.id, webhookId: webhook.id };
  const texts = { name: 'n', title: 't', message: 'm', situation: 'fall_detected' };
  await home.client.ok('POST', '/rules', { ...texts, recipients: [recipient, recipient, recipient] });
  const sensor = await linked();
  await sensor.device.ok('POST', `/devices/${sensor.sensorId}/messages`, fallMessage('calling', Date.now()));
  await receiver.until(1);
  await cloud.idle();
  const path = `/customers/${home.customerId}/rule-hits?sensorId=${sensor.sensorId}`;
  const [page] = await home.client.ok<{ data: { allSend: boolean; ruleMessages: object[] }[] }[]>('GET', path);
  const hit = page?.data.find(({ allSend }) => allSend);
  expect(hit?.ruleMessages).toHaveLength(1);
  expect(receiver.received).toHaveLength(1);
  await receiver.stop();
});

test('system admins can also search for users without a customer', async () => {
  const user = {
    username: 'nobody.s',
    password: 'a-password-of-no-interest',
    firstName: '',
    lastName: '',
    email: '',
  };
  await admin.ok('POST', '/users', { ...user, firstName: 'A', lastName: 'B', customerId: null });
  const [page] = await admin.ok<{ total: number }[]>('GET', '/users?searchText=nobody.s');
  expect(page?.total).toBe(1);
  const [own] = await home.client.ok<{ total: number }[]>('GET', '/users?searchText=nobody.s');
  expect(own?.total).toBe(0);
});

describe("an event's raw message", () => {
  type Listed = { uuid: string; type: string; raw: unknown };
  const say = async (text: string) => {
    const sensor = await linked();
    const path = `/sensors/${sensor.sensorId}/events`;
    await sensor.device.ok('POST', `/devices/${sensor.sensorId}/messages`, text);
    await cloud.idle();
    const [page] = await home.client.ok<{ data: Listed[] }[]>('GET', path);
    // The message creates two events: one for the message, and one about the sensor becoming active.
    expect(page?.data.map(({ type }) => type).sort()).toEqual(['sensor', 'unknown']);
    const alone = (page?.data ?? []).map(({ uuid }) => home.client.call('GET', `${path}/${uuid}`));
    return { listed: page?.data ?? [], alone: await Promise.all(alone) };
  };

  test('event lists include raw messages of up to 16 KiB', async () => {
    const message = (bytes: number) => `{"type":99,"payload":{"filler":"${'ä'.repeat(20)}${'x'.repeat(bytes - 75)}"}}`;
    const short = message(16 * 1_024);
    const long = message(16 * 1_024 + 1);
    expect([short, long].map((text) => Buffer.byteLength(text))).toEqual([16_384, 16_385]);
    const shown = [await say(short), await say(long), await say(message(200 * 1_024))];
    expect(shown.map(({ listed }) => listed.map(({ raw }) => raw))).toEqual([
      [JSON.parse(short), JSON.parse(short)],
      [null, null],
      [null, null],
    ]);
    const texts = [short, long, message(200 * 1_024)];
    for (const [at, { alone }] of shown.entries())
      for (const { status, body } of alone)
        expect([status, body]).toMatchObject([200, { raw: JSON.parse(texts[at] ?? '') }]);
  });

  test('a raw message keeps every digit of every number', async () => {
    const numbers = '[9007199254740993,12345678901234567890,0.1000000000000000055511151231257827,1.50,1e400,-0,29.0]';
    const text = `{"type":99,"__proto__":{"a":1},"payload":{"numbers":${numbers},"text":"1.50"}}`;
    const { alone } = await say(text);
    for (const answer of alone) expect(answer.text).toContain(`"raw":${text}`);
  });
});

test('sensors are found by a MAC address with colons', async () => {
  const { sensorId } = await linked();
  const [page] = await home.client.ok<{ data: { id: string }[] }[]>('GET', '/sensors?searchText=00:00:00:00:00');
  expect(page?.data.map(({ id }) => id)).toContain(sensorId);
});

test('a Raw webhook in two rules receives the message only once', async () => {
  const receiver = await startReceiver();
  const hook = { format: 'raw' } as const;
  const { bot, webhook } = await createAlarm(home.client, receiver.url, 'fall_confirmed', hook);
  const recipients = [{ botId: bot.id, webhookId: webhook.id }];
  const texts = { name: 'n', title: 't', message: 'm', situation: 'fall_confirmed', recipients };
  await home.client.ok('POST', '/rules', texts);
  const sensor = await linked();
  const path = `/devices/${sensor.sensorId}/messages`;
  await sensor.device.ok('POST', path, fallMessage('fall_confirmed', Date.now()));
  await receiver.until(1);
  await cloud.idle();
  const list = `/customers/${home.customerId}/rule-hits?sensorId=${sensor.sensorId}`;
  const [page] = await home.client.ok<{ data: { allSend: boolean; ruleMessages: { wasSend: boolean }[] }[] }[]>(
    'GET',
    list,
  );
  expect(page?.data.map(({ allSend, ruleMessages }) => [allSend, ruleMessages.length])).toEqual([
    [true, 1],
    [true, 1],
  ]);
  expect(receiver.received).toHaveLength(1);
  await receiver.stop();
});

test('a rejected request with messages explains what is wrong', async () => {
  const { sensorId, device: sender } = await linked();
  const errorsFor = async (body: unknown) =>
    (await sender.call('POST', `/devices/${sensorId}/messages`, body)).body as { errors: { message: string }[] };
  expect((await errorsFor(5)).errors).toEqual([{ path: '', message: 'must be of type object' }]);
  const tooMany = 'has the wrong number of entries or characters; the limit is 100';
  expect((await errorsFor(Array(101).fill({}))).errors).toEqual([{ path: '', message: tooMany }]);
});
