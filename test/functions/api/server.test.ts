import jsqr from 'jsqr';
import { PNG } from 'pngjs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { handler } from '#functions/api/server/handler.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { preferredMediaType } from '#shared/api/http/accept.ts';
import type { APIGatewayProxyEvent } from '#shared/api/http/exchange.ts';
import type { HostHealth } from '#shared/domain/service-health.ts';
import type { Runtime } from '#shared/runtime/deps.ts';
import { type Client, clientOf } from '#test/fixtures/client.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createHome } from '#test/fixtures/home.ts';
import { onEachRequest } from '#test/fixtures/table-calls.ts';

let cloud: Cloud;
let anybody: Client;
/** The partitions read. */
const keys = new Set<string>();
const serviceName = 'Haus "Sönne" 1';
beforeAll(async () => {
  cloud = await startTestCloud({
    environment: { SERVICE_NAME: serviceName },
    onClient: (client) =>
      onEachRequest(client, (all) => {
        for (const { pk } of all) keys.add(pk);
        return undefined;
      }),
  });
  anybody = clientOf(cloud.url);
});
afterAll(async () => {
  await cloud.stop();
});

const context = { getRemainingTimeInMillis: () => 10_000 };
const eventOf = (resource: string) =>
  ({ httpMethod: 'GET', resource, headers: {}, multiValueHeaders: {} }) as unknown as APIGatewayProxyEvent;

describe('the QR code', () => {
  const get = (accept?: string) => anybody.call('GET', '/server/qr-code', undefined, accept ? { accept } : {});

  test('the QR code encodes the URL and the service name as padded Base64', async () => {
    const { headers, body } = await get();
    expect(headers.get('content-type')).toBe('image/png');
    const { data, width, height } = PNG.sync.read(Buffer.from(body as Uint8Array));
    const text = jsqr.default(Uint8ClampedArray.from(data), width, height)?.data ?? '';
    const json = Buffer.from(text, 'base64').toString('utf8');
    expect(Buffer.from(json).toString('base64')).toBe(text);
    expect(JSON.parse(json)).toEqual({ url: cloud.url.replace('/api/v1', ''), serviceName });
  });

  test('the QR code is SVG if the client accepts it', async () => {
    const { headers, text } = await get('image/svg+xml');
    expect(headers.get('content-type')).toBe('image/svg+xml');
    expect(text).toMatch(/^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"[^>]*>.*<\/svg>\s*$/s);
  });

  test('the QR code returns 503 with Retry-After while the public URL is unknown', async () => {
    const { settings } = cloud.runtime;
    const unknown = handler.with({ ...cloud.runtime, settings: { ...settings, PUBLIC_URL: '' } });
    const answer = await unknown(eventOf('/api/v1/server/qr-code'), context as never);
    expect(answer).toMatchObject({ statusCode: 503, headers: { 'Retry-After': '60' } });
    expect(JSON.parse(answer.body)).toEqual({ statusCode: 503, message: expect.any(String) });
  });
});

describe('GET /server/config', () => {
  const configOf = async (url: string) => {
    const admin = await adminOf(url);
    return admin.ok<{ url: string; deviceUrl: string }>('GET', '/server/config');
  };

  test('GET /server/config returns one URL if apps and devices share it', async () => {
    const url = cloud.url.replace('/api/v1', '');
    expect(await configOf(cloud.url)).toMatchObject({ url, deviceUrl: url });
  });

  test('GET /server/config returns the device URL only to logged-in callers', async () => {
    const deviceUrl = 'https://devices.example.com';
    const other = await startTestCloud({ environment: { DEVICE_URL: deviceUrl } });
    expect(await configOf(other.url)).toMatchObject({ url: other.url.replace('/api/v1', ''), deviceUrl });
    expect(await clientOf(other.url).ok('GET', '/server/config')).not.toHaveProperty('deviceUrl');
    await other.stop();
  });
});

describe('GET /health', () => {
  const healthy = {
    status: 'OK',
    table: 'OK',
    queues: 'OK',
    disk: null,
    mail: null,
    lastSweepSeconds: expect.toBeOneOf([null, 0]),
    oldestWaitingSeconds: 0,
    canarySeconds: null,
    exceptions: 0,
  };
  const forwarded: Record<string, string>[] = [
    { forwarded: 'for=127.0.0.1' },
    { 'x-forwarded-for': '127.0.0.1' },
    { 'x-real-ip': '127.0.0.1' },
    { via: '1.1 proxy' },
    { 'x-forwarded-proto': 'https' },
    { 'x-forwarded-port': '443' },
    { 'cf-connecting-ip': '192.0.2.1' },
    { 'true-client-ip': '192.0.2.1' },
  ];

  test('GET /health returns details only to callers on the same machine', async () => {
    expect(await anybody.ok('GET', '/health')).toEqual(healthy);
    for (const headers of forwarded) {
      const answer = await anybody.call('GET', '/health', undefined, headers);
      expect([answer.status, answer.body]).toEqual([200, { status: 'OK' }]);
    }
  });

  test('GET /health returns details to system admins through a proxy', async () => {
    const admin = await adminOf(cloud.url);
    const { client } = await createHome(admin, 'poplar', ALL_PERMISSIONS);
    const from = (client: Client) => client.call('GET', '/health', undefined, { via: '1.1 proxy' });
    expect((await from(admin)).body).toEqual(healthy);
    expect((await from(client)).body).toEqual({ status: 'OK' });
    expect((await from(anybody.as('ses_nothing'))).body).toEqual({ status: 'OK' });
  });

  test('GET /health reads a single item from the table', async () => {
    keys.clear();
    await anybody.ok('GET', '/health');
    // Without the variables that scheduled functions read.
    expect([...keys].filter((key) => !key.startsWith('DUE#'))).toEqual(['HEARTBEAT']);
  });

  const host: HostHealth = {
    since: null,
    queues: 'OK',
    disk: 'OK',
    mail: 'OK',
    oldestWaitingSeconds: 0,
    exceptions: 0,
  };
  test.each<[string, object]>([
    ['the queues', { queues: 'FAILING' }],
    ['the disk', { disk: 'FAILING' }],
    ['the free disk space', { disk: 'FULL' }],
    ['the mail server', { mail: 'FAILING' }],
    ['the backlog', { oldestWaitingSeconds: 181 }],
    ['the sweep', { lastSweepSeconds: 181 }],
    ['the table', { table: 'FAILING', lastSweepSeconds: null }],
  ])('GET /health returns 503 with details if the check of %s fails', async (part, failing) => {
    const { table, now } = cloud.runtime;
    const beat = 'lastSweepSeconds' in failing ? { at: now() - 181_000 } : { at: now() };
    const get = async () => (part === 'the table' ? Promise.reject(new Error('the table is unavailable')) : beat);
    const runtime: Runtime = { ...cloud.runtime, hostHealth: async () => ({ ...host, ...failing }) };
    const local = {
      requestContext: { identity: { sourceIp: '127.0.0.1' } },
      multiValueHeaders: { Host: ['localhost'] },
    };
    const event = { ...eventOf('/api/v1/health'), ...local };
    const health = handler.with({ ...runtime, table: { ...table, get } as never, log: () => {} });
    const answer = await health(event as never, context as never);
    expect([answer.statusCode, JSON.parse(answer.body)]).toMatchObject([503, { status: 'FAILING', ...failing }]);
  });
});

test.each([
  [undefined, 'png'],
  ['', 'png'],
  ['*/*', 'png'],
  ['image/*', 'png'],
  ['image/svg+xml', 'svg'],
  ['IMAGE/SVG+XML', 'svg'],
  ['image/svg+xml, */*', 'svg'],
  ['image/svg+xml, image/png', 'png'],
  ['image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5', 'png'],
  ['image/png;q=0.5, image/svg+xml;q=0.9', 'svg'],
  ['image/png;q=0.9, image/svg+xml;q=0.5', 'png'],
  ['image/png;q=0.1, image/*', 'svg'],
  ['image/svg+xml;q=0, */*', 'png'],
  ['image/png; q=0, */*', 'svg'],
  ['image/svg+xml;charset=utf-8;q=0.2, image/png;q=0.1', 'svg'],
  ['text/html', 'png'],
  [';q=,,', 'png'],
])('returns the QR code for Accept: %s as %s', (accept, wanted) => {
  expect(preferredMediaType(accept, ['image/png', 'image/svg+xml'])).toContain(wanted);
});
