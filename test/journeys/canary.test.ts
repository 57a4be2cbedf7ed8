import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { skippingClock } from '#lib/local/clock.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { consumption } from '#lib/tools/aws/cost/consumption.ts';
import { CANARY_SECONDS } from '#shared/domain/canary.ts';
import { store } from '#shared/store/store.ts';
import { createLedger } from '../bench/meter.ts';
import { type Client, clientOf } from '../fixtures/client.ts';
import { startTestCloud } from '../fixtures/cloud.ts';
import { adminOf, createHome } from '../fixtures/home.ts';

/** Starts a stand-in for an external heartbeat URL that counts requests. */
const startHeartbeat = async () => {
  let calls = 0;
  const server = createServer((_, response) => {
    calls += 1;
    response.end();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/ping`, calls: () => calls, server };
};

describe('the canary', () => {
  const clock = skippingClock(Date.now());
  const ledger = createLedger();
  let cloud: Cloud;
  let admin: Client;
  let heartbeat: Awaited<ReturnType<typeof startHeartbeat>>;
  const health = () => clientOf(cloud.url).ok<{ canarySeconds: number | null }>('GET', '/health');
  const rounds = () => cloud.valuesOf('CanaryTime').length;
  const nextRound = () => clock.skipTo(clock.now() + CANARY_SECONDS * 1_000);
  const logged: string[] = [];
  const mails: string[] = [];

  beforeAll(async () => {
    heartbeat = await startHeartbeat();
    cloud = await startTestCloud({
      clock,
      meter: ledger.meter,
      log: (_, message) => void logged.push(message),
      wrap: (runtime) => ({
        ...ledger.wrap(runtime),
        mail: async (to, subject) => void mails.push(`${to}: ${subject}`),
      }),
      environment: { CANARY: 'true', HEARTBEAT_URL: heartbeat.url, OPERATOR_EMAIL: 'operator@example.org' },
    });
    admin = await adminOf(cloud.url);
  });
  afterAll(async () => {
    await cloud.stop();
    heartbeat.server.close();
  });

  test('the canary gets each test fall back through the public URL', async () => {
    expect((await health()).canarySeconds).toBe(null);
    clock.skipTo(clock.now() + 2_000);
    await expect.poll(rounds).toBe(1);
    await expect.poll(heartbeat.calls).toBe(1);
    expect((await health()).canarySeconds).toBeLessThan(5);
    await cloud.idle();
    ledger.clear();
    nextRound();
    await expect.poll(rounds).toBe(2);
    await cloud.idle();
    expect(cloud.valuesOf('CanaryTime')[0]).toBeLessThan(5_000);
    // This host's sweeps are counted too.
    const { read, write } = ledger.total();
    expect(read, ledger.text()).toBeLessThanOrEqual(consumption.canary.read + 3 * consumption.sweep.read);
    expect(write, ledger.text()).toBeLessThanOrEqual(consumption.canary.write + 3 * consumption.sweep.write);
  });

  test('the canary has a separate customer with one sensor that no other customer sees', async () => {
    const { client, customerId } = await createHome(admin, 'maple', ['manage_sensors']);
    const [seen] = await client.ok<[{ data: unknown[] }]>('GET', `/sensors?customerId=${customerId}`);
    expect(seen.data).toEqual([]);
    const all = await admin.ok<{ name: string; id: number }[]>('GET', '/customers');
    const own = all.filter(({ name }) => name === 'Canary');
    expect(own).toHaveLength(1);
    const [sensors] = await admin.ok<[{ data: unknown[] }]>('GET', `/sensors?customerId=${own[0]?.id}`);
    expect(sensors.data).toHaveLength(1);
  });

  test('canary messages do not count as device messages', () => {
    expect(cloud.valuesOf('MessagesAccepted')).toEqual([]);
  });

  test('the canary does not affect alarm and attempt metrics', () => {
    const names = ['AlarmsToTell', 'TimeToFirstAttempt', 'TimeToReceiver'] as const;
    expect(names.flatMap((name) => cloud.valuesOf(name))).toEqual([]);
    expect(cloud.valuesOf('DeliveriesDelivered').length).toBeGreaterThan(0);
  });

  test('the canary accepts only the fall it is waiting for', async () => {
    const before = (await health()).canarySeconds ?? 0;
    clock.skipTo(clock.now() + 60_000);
    await clientOf(cloud.url).ok('POST', '/canary', { event: { uuid: crypto.randomUUID() } });
    expect((await health()).canarySeconds).toBeGreaterThan(before + 59);
  });

  test('the canary re-enables its webhook after days of failures', async () => {
    const { webhooks, health, canary, held } = store(cloud.runtime.table);
    const { customerId = 0 } = (await canary.setup()) ?? {};
    const [webhook] = await webhooks.list(customerId);
    if (!webhook) throw new Error('the canary has no webhook');
    await health.disable(webhook, clock.now(), 'failing', null);
    const before = rounds();
    nextRound();
    await expect.poll(async () => (await held.ids(webhook, 10)).length).toBeGreaterThan(0);
    clock.skipTo(clock.now() + 31_000);
    await expect.poll(() => logged.includes('the fall of the canary was not delivered in time')).toBe(true);
    await cloud.idle();
    nextRound();
    await expect.poll(rounds).toBe(before + 1);
    expect(await webhooks.get(customerId, webhook.id)).toMatchObject({ isEnabled: true, consecutiveFailures: 0 });
  });

  test('webhooks created by users cannot use the canary URL', async () => {
    const url = `${cloud.url}/canary`;
    const hook = { name: 'loop', url, format: 'full', isCustomerHook: true };
    const { client } = await createHome(admin, 'oak', ['manage_customers', 'manage_bots']);
    expect((await client.call('POST', '/webhooks', hook)).status).toBe(400);
  });

  test('the canary emails the operator once a day', async () => {
    expect(mails).toEqual(['operator@example.org: Daily test email: Sensor Cloud']);
    const before = rounds();
    clock.skipTo(clock.now() + 86_400_000);
    await expect.poll(rounds).toBeGreaterThan(before);
    await expect.poll(() => mails.length).toBe(2);
    // A round due while another is running is skipped.
    await cloud.idle();
    const then = rounds();
    nextRound();
    await expect.poll(rounds).toBeGreaterThan(then);
    await cloud.idle();
    expect(mails).toHaveLength(2);
  });
});

test('GET /health responds with 503 when a canary fall does not return', async () => {
  const clock = skippingClock(Date.now());
  let isBroken = false;
  const cloud = await startTestCloud({
    clock,
    log: () => {},
    environment: { CANARY: 'true' },
    wrap: (runtime) => ({
      ...runtime,
      failpoint: (name) => {
        if (isBroken && name === 'process.judged') throw new Error('nothing is decided');
      },
    }),
  });
  try {
    clock.skipTo(clock.now() + 2_000);
    await expect.poll(() => cloud.valuesOf('CanaryTime').length).toBe(1);
    await cloud.idle();
    isBroken = true;
    clock.skipTo(clock.now() + 2 * CANARY_SECONDS * 1_000 + 200_000);
    await cloud.sweep();
    const response = await clientOf(cloud.url).call('GET', '/health');
    expect([response.status, response.body]).toMatchObject([503, { status: 'FAILING', queues: 'OK' }]);
  } finally {
    clock.skipTo(clock.now() + 60_000);
    await cloud.stop();
  }
});
