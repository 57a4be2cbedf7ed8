import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { skippingClock } from '#lib/local/clock.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { CANARY, SWEEP } from '#lib/tools/aws/cost-at-rest.ts';
import { CANARY_SECONDS } from '#shared/domain/canary.ts';
import { createLedger } from '../bench/meter.ts';
import { type Client, clientOf } from '../fixtures/client.ts';
import { startTestCloud } from '../fixtures/cloud.ts';
import { adminOf, createHome } from '../fixtures/home.ts';

/** An address outside that counts its calls. */
const startOutside = async () => {
  let calls = 0;
  const server = createServer((_, answer) => {
    calls += 1;
    answer.end();
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
  let outside: Awaited<ReturnType<typeof startOutside>>;
  const health = () => clientOf(cloud.url).ok<{ canarySeconds: number | null }>('GET', '/health');
  const rounds = () => cloud.valuesOf('CanaryTime').length;

  beforeAll(async () => {
    outside = await startOutside();
    cloud = await startTestCloud({
      clock,
      meter: ledger.meter,
      wrap: ledger.wrap,
      environment: { CANARY: 'true', HEARTBEAT_URL: outside.url },
    });
    admin = await adminOf(cloud.url);
  });
  afterAll(async () => {
    await cloud.stop();
    outside.server.close();
  });

  test('falls, comes back by the public address, is told outside, and GET /health says when', async () => {
    expect((await health()).canarySeconds).toBe(null);
    clock.skipTo(clock.now() + 2_000);
    await expect.poll(rounds, { timeout: 10_000 }).toBe(1);
    await expect.poll(outside.calls).toBe(1);
    expect((await health()).canarySeconds).toBeLessThan(5);
    await cloud.idle();
    ledger.clear();
    clock.skipTo(clock.now() + CANARY_SECONDS * 1_000);
    await expect.poll(rounds, { timeout: 10_000 }).toBe(2);
    await cloud.idle();
    expect(cloud.valuesOf('CanaryTime')[0]).toBeLessThan(5_000);
    // A sweep of this host is counted, too.
    const { read, write } = ledger.total();
    expect(read, ledger.text()).toBeLessThanOrEqual(CANARY.read + 3 * SWEEP.read);
    expect(write, ledger.text()).toBeLessThanOrEqual(CANARY.write + 3 * SWEEP.write);
  });

  test('is one customer of its own with one sensor, which no other customer sees', async () => {
    const { client, customerId } = await createHome(admin, 'maple', ['manage_sensors']);
    const [seen] = await client.ok<[{ data: unknown[] }]>('GET', `/sensors?customerId=${customerId}`);
    expect(seen.data).toEqual([]);
    const all = await admin.ok<{ name: string; id: number }[]>('GET', '/customers');
    const own = all.filter(({ name }) => name === 'Canary');
    expect(own).toHaveLength(1);
    const [sensors] = await admin.ok<[{ data: unknown[] }]>('GET', `/sensors?customerId=${own[0]?.id}`);
    expect(sensors.data).toHaveLength(1);
  });

  test('is not counted as a message of a device: it hides no silence of all homes', () => {
    expect(cloud.valuesOf('MessagesAccepted')).toEqual([]);
  });

  test('counts nothing but the fall that it waits for', async () => {
    const before = (await health()).canarySeconds ?? 0;
    clock.skipTo(clock.now() + 60_000);
    await clientOf(cloud.url).ok('POST', '/canary', { event: { uuid: crypto.randomUUID() } });
    expect((await health()).canarySeconds).toBeGreaterThan(before + 59);
  });

  test('no webhook of a user may call its address', async () => {
    const url = `${cloud.url}/canary`;
    const hook = { name: 'loop', url, format: 'full', isCustomerHook: true };
    const { client } = await createHome(admin, 'oak', ['manage_customers', 'manage_bots']);
    expect((await client.call('POST', '/webhooks', hook)).status).toBe(400);
  });
});

test('a canary that does not come back is told by GET /health', async () => {
  const clock = skippingClock(Date.now());
  let isBroken = false;
  const cloud = await startTestCloud({
    clock,
    log: () => {},
    environment: { CANARY: 'true' },
    wrap: (runtime) => ({
      ...runtime,
      failpoint: (name) => {
        if (isBroken && name === 'process.judged') throw new Error('nothing is judged');
      },
    }),
  });
  try {
    clock.skipTo(clock.now() + 2_000);
    await expect.poll(() => cloud.valuesOf('CanaryTime').length, { timeout: 10_000 }).toBe(1);
    await cloud.idle();
    isBroken = true;
    clock.skipTo(clock.now() + 2 * CANARY_SECONDS * 1_000 + 200_000);
    await cloud.sweep();
    const answer = await clientOf(cloud.url).call('GET', '/health');
    expect([answer.status, answer.body]).toMatchObject([503, { status: 'FAILING', queues: 'OK' }]);
  } finally {
    clock.skipTo(clock.now() + 60_000);
    await cloud.stop();
  }
});
