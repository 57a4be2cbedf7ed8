import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type SkippingClock, skippingClock } from '#lib/local/clock.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import type { DeliveryView } from '#shared/domain/delivery/delivery-view.ts';
import { logTo } from '#shared/observability/log.ts';
import { nextNumber, pathsOf, proveChannel, setChannel } from '../fixtures/channels.ts';
import { type Client, clientOf } from '../fixtures/client.ts';
import { startTestCloud, type TestOptions } from '../fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createHome, fallMessage, linkSensor } from '../fixtures/home.ts';
import { startSmsGateway } from '../fixtures/sms-gateway.ts';

const PUSH = { PUSH_CONTACT: 'https://cloud.example.org' };
const TOKEN = 'a-token-of-the-gateway';
const folders: string[] = [];
let gateway: Awaited<ReturnType<typeof startSmsGateway>>;
beforeAll(async () => {
  gateway = await startSmsGateway();
});
afterAll(async () => {
  await gateway.stop();
  for (const folder of folders) await rm(folder, { recursive: true });
});
beforeEach(() => {
  gateway.received.length = 0;
});

const newFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'sms-'));
  folders.push(folder);
  return folder;
};

const textsOf = () => gateway.received.map(({ body }) => body as { to: string; text: string });
const codeIn = (text: string | undefined): string => /\b\d{6}\b/.exec(text ?? '')?.[0] ?? 'none';

type Start = { clock: SkippingClock; dataDir: string; lines?: string[] } & TestOptions;
const start = ({ lines = [], ...options }: Start): Promise<Cloud> =>
  startTestCloud({ log: logTo((line) => void lines.push(line)), hasOutbox: false, environment: PUSH, ...options });
const withGateway = () => ({ sms: { url: gateway.url, token: TOKEN } });

/** Creates a home with a sensor, and a rule that sends falls to the user's verified channel. */
const createRule = async (cloud: Cloud, by: string, address: string, codeOf: () => Promise<string | undefined>) => {
  const home = await createHome(await adminOf(cloud.url), 'maple', ALL_PERMISSIONS);
  const { client, customerId } = home;
  expect(await setChannel(client, by, { address })).toMatchObject({ status: 200 });
  expect(await proveChannel(client, by, codeIn(await codeOf()))).toMatchObject({ status: 200 });
  const me = await client.ok<{ id: number }>('GET', '/users/me');
  const input = {
    name: 'Falls',
    title: '{situation}: {sensor}',
    message: 'Please check room 7.',
    situation: 'fall_detected',
    recipients: [{ userId: me.id, by }],
  };
  const rule = await client.ok<{ id: number }>('POST', '/rules', input);
  const { sensorId, device } = await linkSensor(client);
  const fall = async (client: Client, { now }: SkippingClock) => {
    await client.ok('POST', `/devices/${sensorId}/messages`, fallMessage('calling', now()));
  };
  return { client, customerId, input, rule, device, fall };
};
type Created = Awaited<ReturnType<typeof createRule>>;

/** Returns the newest delivery with all attempts. */
const newestOf = async ({ client, customerId }: Pick<Created, 'client' | 'customerId'>) => {
  const at = `/customers/${customerId}/deliveries`;
  const [page] = await client.ok<{ data: DeliveryView[] }[]>('GET', at);
  return client.ok<DeliveryView & { attemptLog: object[] }>('GET', `${at}/${page?.data[0]?.id}`);
};

test('the SMS gateway sends codes and alarms and retries failures', async () => {
  const clock = skippingClock(Date.now());
  const lines: string[] = [];
  const cloud = await start({ clock, dataDir: ':memory:', lines, ...withGateway() });
  const number = nextNumber();
  const created = await createRule(cloud, 'sms', number, async () => textsOf().at(-1)?.text);
  expect(await created.client.ok('GET', '/channels')).toMatchObject({ kinds: ['sms', 'push'], outbox: [] });
  gateway.answerWith(401, 503);
  await created.fall(created.device, clock);
  await cloud.idle();
  for (const seconds of [15, 60]) {
    clock.skipTo(clock.now() + seconds * 1_000);
    await cloud.sweep();
    await cloud.idle();
  }
  expect(await newestOf(created)).toMatchObject({
    state: 'delivered',
    attemptLog: [
      { error: 'status_401', outbox: false },
      { error: 'status_503', outbox: false },
      { error: null, outbox: false },
    ],
  });
  expect(textsOf().at(-1)).toEqual({ to: number, text: expect.stringContaining('Please check room 7.') });
  expect(cloud.valuesOf('LettersFailed')).toEqual([1, 1]);
  const failures = lines.filter((line) => line.includes('a notification was not accepted')).join('\n');
  expect(failures).toContain('status_401');
  expect(lines.join('\n')).not.toMatch(new RegExp(`${TOKEN}|${number.slice(1)}`));
  await cloud.stop();
});

test('a delivery ends if the SMS gateway refuses the phone number', async () => {
  const clock = skippingClock(Date.now());
  const cloud = await start({ clock, dataDir: ':memory:', ...withGateway() });
  const created = await createRule(cloud, 'sms', nextNumber(), async () => textsOf().at(-1)?.text);
  gateway.answerWith(422);
  await created.fall(created.device, clock);
  await cloud.idle();
  expect(await newestOf(created)).toMatchObject({ state: 'failed', reason: 'gone', attempts: 1 });
  gateway.answerWith(400);
  const refused = await setChannel(created.client, 'sms', { address: nextNumber() });
  expect([refused.status, pathsOf(refused)]).toEqual([400, ['address']]);
  await cloud.stop();
});

test('SMS rules remain but reach no one if the host restarts without the gateway', async () => {
  const clock = skippingClock(Date.now());
  const dataDir = await newFolder();
  const first = await start({ clock, dataDir, ...withGateway() });
  const created = await createRule(first, 'sms', nextNumber(), async () => textsOf().at(-1)?.text);
  const { rule, input, customerId } = created;
  await first.stop();

  const second = await start({ clock, dataDir });
  const client = clientOf(second.url, created.client.token);
  expect(await client.ok('GET', '/channels')).toMatchObject({ kinds: ['push'], outbox: [] });
  const refused = await client.call('POST', '/rules', input);
  expect([refused.status, pathsOf(refused)]).toEqual([400, ['recipients.0.by']]);
  expect(refused.text).toContain('is a channel this service cannot send through; available: push');
  const onDuty = { ...input, recipients: [{ onDuty: true, by: 'telegram' }] };
  expect((await client.call('PUT', `/rules/${rule.id}`, onDuty)).status).toBe(400);
  expect(await client.ok('PUT', `/rules/${rule.id}`, { ...input, name: 'Renamed' })).toMatchObject({ name: 'Renamed' });
  expect(await client.ok('GET', `/customers/${customerId}/watch`)).toMatchObject({ unheardRules: [{ id: rule.id }] });
  const sent = gateway.received.length;
  await created.fall(clientOf(second.url, created.device.token), clock);
  await second.idle();
  expect(await newestOf({ client, customerId })).toMatchObject({ state: 'failed', reason: 'not_reachable' });
  expect(gateway.received).toHaveLength(sent);
  await second.stop();
});

test('an outbox writes SMS to files without notifying anyone', async () => {
  const clock = skippingClock(Date.now());
  const dataDir = await newFolder();
  const cloud = await start({ clock, dataDir, hasOutbox: true, ...withGateway() });
  const outbox = join(dataDir, 'outbox');
  const newest = async () => {
    const names = await readdir(outbox);
    return readFile(join(outbox, names.toSorted().at(-1) ?? ''), 'utf8');
  };
  const created = await createRule(cloud, 'telegram', '4711', newest);
  expect(await created.client.ok('GET', '/channels')).toMatchObject({
    kinds: ['email', 'sms', 'push', 'telegram'],
    outbox: ['email', 'telegram'],
  });
  clock.skipTo(clock.now() + 1_000);
  await created.fall(created.device, clock);
  await cloud.idle();
  expect(await newest()).toMatch(/^To: 4711\n.*Please check room 7\./s);
  expect(await newestOf(created)).toMatchObject({ state: 'delivered', attemptLog: [{ error: null, outbox: true }] });
  expect(gateway.received).toEqual([]);
  // A file does not notify anyone.
  const of = `/customers/${created.customerId}`;
  const [page] = await created.client.ok<{ data: object[] }[]>('GET', `${of}/rule-hits`);
  expect(page?.data).toMatchObject([{ notifiedDate: null }]);
  clock.skipTo(clock.now() + 125_000);
  await cloud.idle();
  const { gaps } = await created.client.ok<{ gaps: object[] }>('GET', `${of}/watch`);
  expect(gaps).toContainEqual(expect.objectContaining({ kind: 'unnotified', situation: 'fall_detected' }));
  await cloud.stop();
});
