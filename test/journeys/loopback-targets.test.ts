import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import { createWebhookClient } from '#shared/delivery/webhook-client.ts';
import { type Client, clientOf } from '../fixtures/client.ts';
import { ALL_PERMISSIONS, adminOf, createHome } from '../fixtures/home.ts';
import { startHost } from '../fixtures/host.ts';

const network = { HOST: '0.0.0.0' };
const named = { ALLOWED_TARGET_RANGES: '127.0.0.0/8,::1/128' };
const hook = { name: 'Nurse call', format: 'full', isCustomerHook: true };

const open = async () => {
  const receiver = await startReceiver();
  const dataDir = await mkdtemp(join(tmpdir(), 'sensor-cloud-'));
  onTestFinished(async () => {
    await receiver.stop();
    await rm(dataDir, { recursive: true, force: true });
  });
  const start = (environment: Record<string, string> = {}) => startHost({ DATA_DIR: dataDir, ...environment });
  return { receiver, start };
};
const create = async (client: Client, url: string) => (await client.call('POST', '/webhooks', { ...hook, url })).status;
const loopbackGaps = async (client: Client, customerId: number) => {
  const { gaps } = await client.ok<{ gaps: { kind: string }[] }>('GET', `/customers/${customerId}/watch`);
  return gaps.filter(({ kind }) => kind === 'loopback_target');
};
const ping = async (client: Client, id: string, receiver: Receiver) => {
  await client.ok('POST', `/webhooks/${id}/test`);
  return (await receiver.until(receiver.received.length + 1)).length;
};

test('a host exposed to the network rejects new loopback webhooks', async () => {
  const { receiver, start } = await open();
  const first = await start();
  const home = await createHome(await adminOf(first.url), 'rowan', ALL_PERMISSIONS);
  const existing = await home.client.ok<{ id: string }>('POST', '/webhooks', { ...hook, url: receiver.url });
  expect(first.lines.filter((line) => line.includes('ALLOWED_TARGET_RANGES'))).toEqual([]);
  await first.end('SIGTERM');

  await using host = await start(network);
  const client = clientOf(host.url, home.client.token);
  expect(host.lines.filter((line) => line.includes('ALLOWED_TARGET_RANGES'))).toEqual([
    expect.stringMatching(/^warning: .*: Nurse call \(customer 1\)$/),
  ]);
  expect(await loopbackGaps(client, home.customerId)).toEqual([{ kind: 'loopback_target', webhookId: existing.id }]);
  expect(await ping(client, existing.id, receiver)).toBe(1);
  for (const url of ['http://127.0.0.1:9/', 'http://localhost:9/', 'http://[::1]:9/', 'http://127.1:9/'])
    expect([url, await create(client, url)]).toEqual([url, 400]);
  expect(await create(client, 'http://10.0.0.1/')).toBe(201);
  // The existing webhook may still be changed, but not moved to another program on the machine.
  const at = `/webhooks/${existing.id}`;
  const renamed = { ...hook, name: 'Renamed', url: receiver.url };
  await client.ok('PUT', at, renamed);
  const moved = await client.call('PUT', at, { ...renamed, url: 'http://127.0.0.1:9/' });
  expect([moved.status, moved.text]).toEqual([400, expect.stringContaining('ALLOWED_TARGET_RANGES')]);
  expect(await ping(client, existing.id, receiver)).toBe(2);
});

test('a host on the network allows loopback addresses in ALLOWED_TARGET_RANGES', async () => {
  const { receiver, start } = await open();
  await using host = await start({ ...network, ...named });
  const home = await createHome(await adminOf(host.url), 'rowan', ALL_PERMISSIONS);
  const { id } = await home.client.ok<{ id: string }>('POST', '/webhooks', { ...hook, url: receiver.url });
  expect(await create(home.client, 'http://localhost:9/')).toBe(201);
  expect(await loopbackGaps(home.client, home.customerId)).toEqual([]);
  expect(await ping(home.client, id, receiver)).toBe(1);
});

test('a webhook is not called if its host name later resolves to loopback', async () => {
  const { receiver } = await open();
  const stage = {
    ALLOW_PRIVATE_TARGETS: true,
    ALLOWED_TARGET_RANGES: [],
    DELIVERY_DEADLINE_SECONDS: 5,
    PUBLIC_URL: 'http://192.0.2.1:3000',
    OWN_URLS: [],
    CANARY: false,
  };
  const client = createWebhookClient(stage, { allowLoopback: 'named', resolve: async () => ['127.0.0.1'] });
  const url = receiver.url.replace('127.0.0.1', 'receiver.example.com');
  const post = (isLoopbackDenied: boolean) => client.post({ url, headers: {}, body: '{}', isLoopbackDenied });
  expect(await post(true)).toMatchObject({ status: null, error: 'address_denied' });
  expect(await post(false)).toMatchObject({ status: 200 });
});

test('the demo home on a network host does not create alarms or print a token', async () => {
  await using host = await startHost({ DATA_DIR: ':memory:', ...network }, ['uncounted']);
  expect(host.lines.filter((line) => line.startsWith('demo: '))).toEqual([
    expect.stringMatching(/^demo: could not create the alarms: .*ALLOWED_TARGET_RANGES=127\.0\.0\.1\/32/),
    expect.stringMatching(/^demo: log in at .*no token is printed/),
  ]);
  expect(host.lines.join('\n')).not.toMatch(/TOKEN=|ses_/);
});
