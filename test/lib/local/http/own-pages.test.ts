import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Cloud } from '#lib/local/cloud.ts';
import { metrics } from '#shared/observability/metrics.ts';
import { type Client, clientOf } from '#test/fixtures/client.ts';
import { startTestCloud, unscheduled } from '#test/fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createHome, fallMessage, linkSensor } from '#test/fixtures/home.ts';

let cloud: Cloud;
let admin: Client;
let nurse: Client;
beforeAll(async () => {
  cloud = await startTestCloud();
  admin = await adminOf(cloud.url);
  nurse = (await createHome(admin, 'rowan', ALL_PERMISSIONS)).client;
});
afterAll(() => cloud.stop());

const getMetrics = (client: Client, headers: Record<string, string> = {}) =>
  clientOf(new URL('/', cloud.url).origin, client.token).call('GET', '/metrics', undefined, headers);
const anybody = () => admin.as(undefined);
const forwarded = { 'x-forwarded-for': '198.51.100.7' };
/** Returns the metric lines. */
const lines = async (): Promise<string[]> =>
  (await getMetrics(anybody())).text.split('\n').filter((line) => line !== '');

test('GET /metrics has every dashboard metric in the Prometheus text format', async () => {
  const { sensorId, device } = await linkSensor(nurse);
  await device.ok('POST', `/devices/${sensorId}/messages`, fallMessage('calling', Date.now()));
  await cloud.idle();
  const { status, headers } = await getMetrics(anybody());
  expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
  const all = await lines();
  const sample = /^[a-zA-Z_:][\w:]*(\{(\w+="[^"]*",?)*\})? (-?[\d.e+-]+|Na[Nn]|\+Inf)$/;
  expect(all.filter((line) => !line.startsWith('# ') && !sample.test(line))).toEqual([]);
  const families = all.flatMap((line) => /^# TYPE (sensor_cloud_\w+) \w+$/.exec(line)?.[1] ?? []);
  const suffix = { Count: '_total', Milliseconds: '_seconds', Seconds: '_seconds' };
  for (const [name, unit] of Object.entries(metrics)) {
    const snake = name.replaceAll(/(?<!^)[A-Z]/g, '_$&').toLowerCase();
    expect(families).toContain(`sensor_cloud_${snake}${suffix[unit]}`);
  }
  expect(all).toContain('sensor_cloud_messages_accepted_total 1');
  expect(all).toContain('sensor_cloud_healthy 1');
  expect(all).toContain('sensor_cloud_queue_messages_visible{queue="events"} 0');
  expect(all.some((line) => line.startsWith('sensor_cloud_calls_seconds_count{door="devices",status="202"} 1'))).toBe(
    true,
  );
  expect(all.some((line) => line.startsWith('process_cpu_seconds_total '))).toBe(true);
});

test("GET /metrics through a proxy requires a system admin's token, which can be read-only", async () => {
  const statusOf = async (client: Client) => (await getMetrics(client, forwarded)).status;
  expect([await statusOf(anybody()), await statusOf(admin.as('ses_x')), await statusOf(nurse)]).toEqual([
    401, 401, 403,
  ]);
  const { token } = await admin.ok<{ token: string }>('POST', '/users/me/access-tokens', { name: 'p', readOnly: true });
  expect([await statusOf(admin), await statusOf(admin.as(token))]).toEqual([200, 200]);
});

/** Returns the status of GET /metrics, and whether GET /health has details, for callers on this machine. */
const openTo = async (url: string, headers: Record<string, string>) => {
  const { port } = new URL(url);
  const get = (path: string) =>
    new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      const started = request({ host: '127.0.0.1', port, path, headers, agent: false }, (response) => {
        response.setEncoding('utf8');
        let text = '';
        response.on('data', (part: string) => {
          text += part;
        });
        response.on('end', () => resolve({ status: response.statusCode, text }));
      });
      started.on('error', reject).end();
    });
  const [own, health] = [await get('/metrics'), await get('/api/v1/health')];
  return [own.status, health.text.includes('exceptions')];
};

test('GET /metrics and health details without a token require a loopback host name', async () => {
  for (const host of ['localhost', 'LOCALHOST:3000', '127.0.0.1:3000', '[::1]:3000'])
    expect([host, ...(await openTo(cloud.url, { host }))]).toEqual([host, 200, true]);
  for (const host of ['attacker.example.com', '127.0.0.1.example.com', 'localhost.example.com:3000', '192.0.2.1'])
    expect([host, ...(await openTo(cloud.url, { host }))]).toEqual([host, 401, false]);
  for (const name of ['X-Forwarded-Proto', 'CF-Connecting-IP', 'X-Forwarded-Port', 'X-Client-IP'])
    expect([name, ...(await openTo(cloud.url, { host: 'localhost', [name]: '1' }))]).toEqual([name, 401, false]);
});

test('GET /metrics and health details require METRICS_TOKEN or a system admin if PUBLIC_URL is set', async () => {
  const token = 'a-token-for-prometheus';
  const hash = createHash('sha256').update(token).digest('hex');
  for (const METRICS_TOKEN of ['', token, `sha256:${hash}`]) {
    const other = await startTestCloud({ environment: { PUBLIC_URL: 'https://cloud.example.org', METRICS_TOKEN } });
    const bearer = (shown: string) => openTo(other.url, { host: 'localhost', authorization: `Bearer ${shown}` });
    expect(await openTo(other.url, { host: 'localhost' })).toEqual([401, false]);
    expect(await bearer('a-token-for-somebody')).toEqual([401, false]);
    expect(await bearer(`sha256:${hash}`)).toEqual([401, false]);
    expect(await bearer(token)).toEqual(METRICS_TOKEN === '' ? [401, false] : [200, true]);
    expect(await bearer((await adminOf(other.url)).token ?? '')).toEqual([200, true]);
    await other.stop();
  }
});

test('the host serves no other page and accepts no other method', async () => {
  const at = clientOf(new URL('/', cloud.url).origin);
  expect([(await at.call('POST', '/metrics', {})).status, (await at.call('GET', '/metrics/x')).status]).toEqual([
    404, 404,
  ]);
});

test('a rate-limited caller does not make the host appear unhealthy', async () => {
  const clock = { ...unscheduled, now: () => 1_790_000_000_000 };
  const limited = await startTestCloud({ clock, environment: { RATE_LIMIT_PER_SECOND: '1' }, differing: ['loopback'] });
  const at = clientOf(limited.url);
  expect([(await at.call('GET', '/health')).status, (await at.call('GET', '/health')).status]).toEqual([200, 429]);
  const { text } = await clientOf(new URL('/', limited.url).origin).call('GET', '/metrics');
  expect(text).toContain('\nsensor_cloud_healthy 1\n');
  await limited.stop();
});
