import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Cloud } from '#lib/local/cloud.ts';
import { clientOf, logIn } from '#test/fixtures/client.ts';
import { ADMIN_PASSWORD, startTestCloud } from '#test/fixtures/cloud.ts';
import { createHome } from '#test/fixtures/home.ts';

const LISTED = 'https://app.example.org';
const page = { origin: LISTED };
const stranger = { origin: 'https://app.example.org.evil.example' };
const preflight = { 'access-control-request-method': 'PUT', 'access-control-request-headers': 'authorization' };

let cloud: Cloud;
let counted: Cloud;
beforeAll(async () => {
  const environment = { CORS_ORIGINS: `https://other.example,${LISTED}` };
  cloud = await startTestCloud({ environment });
  counted = await startTestCloud({
    environment: { ...environment, RATE_LIMIT_PER_SECOND: '3' },
    differing: ['loopback'],
  });
});
afterAll(() => Promise.all([cloud.stop(), counted.stop()]));

/** Returns the names of the CORS headers among the given headers. */
const corsOf = (headers: Headers) => [...headers.keys()].filter((name) => name.startsWith('access-control-'));
const anybody = () => clientOf(cloud.url);

describe('CORS for listed origins', () => {
  const large = JSON.stringify({ username: 'x'.repeat(300_000), password: '' });
  test.each<[number, string, string, (string | undefined)?, Record<string, string>?]>([
    [200, 'GET', '/server/config'],
    [401, 'GET', '/users/me'],
    [401, 'GET', '/users/me', undefined, { authorization: 'Bearer wrong' }],
    [401, 'POST', '/devices/id_00000000000000000000000/messages', '{}'],
    [404, 'GET', '/nothing'],
    [405, 'DELETE', '/server/config'],
    [400, 'POST', '/users/login', '{'],
    [413, 'POST', '/users/login', large],
    [417, 'GET', '/health', undefined, { expect: 'a-miracle' }],
  ])('CORS exposes the status %i of %s %s', async (status, method, path, body, more = {}) => {
    const { headers, ...answer } = await anybody().call(method, path, body, { ...page, ...more });
    expect([answer.status, headers.get('access-control-allow-origin')]).toEqual([status, LISTED]);
    expect(headers.get('vary')?.split(', ')).toContain('Origin');
    expect(headers.get('access-control-allow-credentials')).toBeNull();
    const exposed = headers.get('access-control-expose-headers')?.toLowerCase().split(', ');
    const sent = [...headers.keys()].filter((name) => name.startsWith('x-'));
    expect(exposed).toEqual(expect.arrayContaining([...sent, 'token', 'retry-after', 'etag', 'link']));
  });

  test('CORS exposes the 403 for a missing permission and the X-Total-Is header of a list', async () => {
    const admin = await logIn(anybody(), 'admin', ADMIN_PASSWORD);
    const { token } = await admin.ok<{ token: string }>('POST', '/users/me/access-tokens', {
      name: 'reader',
      permissions: null,
      readOnly: true,
      expires: null,
    });
    const refused = await anybody().as(token).call('POST', '/customers', {}, page);
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([403, LISTED]);
    const { customerId } = await createHome(admin, 'elm', []);
    const { headers } = await admin.call('GET', `/customers/${customerId}/deliveries`, undefined, page);
    expect(headers.get('access-control-expose-headers')).toContain('X-Total-Is');
  });

  test('CORS exposes the 429 for a rate limit and the token in a login response', async () => {
    const login = { username: 'admin', password: ADMIN_PASSWORD };
    const { headers } = await anybody().call('POST', '/users/login', login, page);
    expect([headers.get('access-control-allow-origin'), headers.has('token')]).toEqual([LISTED, true]);
    const calls = Array.from({ length: 8 }, () => clientOf(counted.url).call('GET', '/users/me', undefined, page));
    const limited = (await Promise.all(calls)).find(({ status }) => status === 429);
    expect(limited?.headers.get('access-control-allow-origin')).toBe(LISTED);
    expect(limited?.headers.get('access-control-expose-headers')).toContain('Retry-After');
  });

  test('CORS exposes the 503 while a host is starting', async () => {
    const early: Promise<Response>[] = [];
    const starting = await startTestCloud({
      environment: { CORS_ORIGINS: LISTED },
      wrap: (runtime) => {
        early.push(fetch(`${runtime.settings.PUBLIC_URL}/api/v1/health`, { headers: page }));
        return runtime;
      },
    });
    const [answer] = await Promise.all(early);
    expect([answer?.status, answer?.headers.get('access-control-allow-origin')]).toEqual([503, LISTED]);
    await starting.stop();
  });
});

describe('preflights', () => {
  test.each([
    ['a path that needs a token', '/users/me', 'GET, PUT, DELETE'],
    ['a path that does not exist, so that the page sees the 404', '/nothing', 'GET, POST, PUT, DELETE'],
  ])('a preflight does not need a token for %s', async (_, path, methods) => {
    const { status, headers } = await anybody().call('OPTIONS', path, undefined, { ...page, ...preflight });
    const names = ['origin', 'methods', 'headers', 'credentials'];
    const allowed = names.map((name) => headers.get(`access-control-allow-${name}`));
    expect(status).toBe(204);
    expect(allowed).toEqual([LISTED, methods, 'Authorization, Content-Type, If-None-Match', null]);
    expect(headers.get('vary')).toBe('Origin');
  });

  test('a preflight does not count toward the rate limit', async () => {
    const limitsAt = async (origin: string) => {
      const { headers } = await clientOf(counted.url).call('OPTIONS', '/users/me', undefined, { origin, ...preflight });
      return headers.get('x-ratelimit-limit');
    };
    expect(await limitsAt(LISTED)).toBe('1000000');
    expect(await limitsAt(stranger.origin)).toBe('3');
  });
});

describe('CORS headers', () => {
  test.each([
    ['an origin that is not listed', stranger],
    ['an opaque origin', { origin: 'null' }],
    ['a caller without an origin', {}],
  ])('CORS headers do not appear for %s', async (_, headers) => {
    const [answer, asked] = await Promise.all([
      anybody().call('GET', '/server/config', undefined, headers),
      anybody().call('OPTIONS', '/server/config', undefined, { ...preflight, ...headers }),
    ]);
    expect([corsOf(answer.headers), corsOf(asked.headers)]).toEqual([[], []]);
    // A cache must not return this response to pages from listed origins.
    expect(answer.headers.get('vary')).toContain('Origin');
  });

  test('CORS headers never appear if no origin is listed', async () => {
    const plain = await startTestCloud();
    const { headers } = await clientOf(plain.url).call('GET', '/server/config', undefined, page);
    const asked = await clientOf(plain.url).call('OPTIONS', '/server/config', undefined, { ...page, ...preflight });
    await plain.stop();
    expect([corsOf(headers), headers.get('vary'), corsOf(asked.headers)]).toEqual([[], null, []]);
  });

  test('CORS headers never appear in a response to invalid HTTP', async () => {
    const socket = connect(Number(new URL(cloud.url).port), '127.0.0.1');
    socket.write(`GET / HTTP/9.9\r\nOrigin: ${LISTED}\r\n\r\n`);
    const [head] = await once(socket, 'data');
    socket.destroy();
    expect(String(head)).not.toMatch(/access-control/i);
  });
});
