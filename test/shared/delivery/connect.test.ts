import { createHook } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttp, type RequestListener } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, createServer as createTcp, type Server, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type ClientOptions, createHttpClient } from '#shared/delivery/http-client.ts';

const open = { allowPrivate: true, allowedRanges: [], allowLoopback: true };
const strict = { allowPrivate: false, allowedRanges: [] };
const loopback = { allowPrivate: false, allowedRanges: ['127.0.0.0/8'], allowLoopback: true };
const fixture = (name: string) => readFileSync(new URL(`../../fixtures/${name}`, import.meta.url), 'utf8');
const cert = fixture('self-signed.crt');
const resolveToLoopback = async () => ['127.0.0.1'];
const head = 'HTTP/1.1 200 OK\r\n';
const ms = expect.any(Number);
const failure = (error: string, responseBody = '') => ({ status: null, error, responseBody, retryAfter: null });

const connecting = vi.fn();
createHook({ init: (_, type) => type === 'TCPCONNECTWRAP' && connecting() }).enable();

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
  connecting.mockClear();
});

async function listen(server: Server, host = '127.0.0.1'): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket.on('error', () => {})));
  await once(server.listen(0, host), 'listening');
  stops.push(async () => {
    for (const socket of sockets) socket.destroy();
    if (server.listening) await once(server.close(), 'close');
  });
  return (server.address() as AddressInfo).port;
}

const http = async (listener: RequestListener) => `http://127.0.0.1:${await listen(createHttp(listener))}/`;
const https = (listener: RequestListener, host?: string) =>
  listen(createHttps({ key: fixture('self-signed.key'), cert }, listener), host);
const tcp = async (onSocket: (socket: Socket) => void) => `http://127.0.0.1:${await listen(createTcp(onSocket))}/`;
const onRequest = (act: (socket: Socket) => void) => tcp((socket) => socket.once('data', () => act(socket)));

function drip(socket: Socket, drop: string, first = ''): void {
  socket.write(first);
  const timer = setInterval(() => socket.write(drop), 5);
  socket.on('close', () => clearInterval(timer)).resume();
}

function client(options: Partial<ClientOptions> = {}) {
  const { post, close } = createHttpClient({ policy: open, deadlineMs: 15_000, ...options });
  stops.push(close);
  return (url: string, headers: Record<string, string> = { 'X-Test': 'yes' }) =>
    post({ url, headers, body: '{"a":"ü"}' });
}

describe('responses', () => {
  it('a request sends exactly the given bytes and returns status, text and Retry-After', async () => {
    const seen: unknown[] = [];
    const url = await http(async (request, response) => {
      const { 'x-test': test, 'content-length': length, 'accept-encoding': encoding } = request.headers;
      const body = Buffer.concat(await request.toArray()).toString();
      seen.push(request.method, request.url, test, length, encoding, body);
      response.setHeader('Retry-After', '120').end('thänks');
    });
    const timings = { dns: null, connect: 0, tls: null, firstByte: 0 };
    const ok = { status: 200, error: null, responseBody: 'thänks', retryAfter: '120', durationMs: 0, timings };
    expect(await client({ now: () => 42 })(`${url}hook?q=1`)).toEqual({ ...ok, acknowledgedBy: null });
    expect(seen).toEqual(['POST', '/hook?q=1', 'yes', '10', 'identity', '{"a":"ü"}']);
    expect(connecting).toHaveBeenCalledTimes(1);
  });

  it.each([204, 301, 302, 307, 308, 400, 410, 429, 500, 503])(
    'a %i response is returned without following the redirect',
    async (status) => {
      const seen = vi.fn<RequestListener>((_, response) => response.writeHead(status, { Location: '/other' }).end());
      const url = await http(seen);
      expect(await client()(url)).toMatchObject({ status, error: null, responseBody: '', retryAfter: null });
      expect(seen).toHaveBeenCalledOnce();
    },
  );

  it('the first 4 KiB of a response are kept without decompressing or splitting a character', async () => {
    const url = await http((_, response) => response.setHeader('Content-Encoding', 'gzip').end('€'.repeat(5_000)));
    expect(await client()(url)).toMatchObject({ status: 200, error: null, responseBody: '€'.repeat(1_365) });
  });
});

describe('status line precedence', () => {
  it.each<[string, string, (socket: Socket) => void]>([
    ['drips until the deadline', 'Content-Length: 9999', (socket) => drip(socket, '.')],
    ['is cut short', 'Content-Length: 9999', (socket) => socket.end('..')],
    ['is malformed', 'Transfer-Encoding: chunked', (socket) => socket.write('2\r\n..\r\nzz\r\n')],
  ])('the status line decides the result if the body %s', async (_, header, send) => {
    const url = await onRequest((socket) => {
      socket.write(`${head}${header}\r\n\r\n`);
      send(socket);
    });
    const responseBody = expect.stringMatching(/^\.+$/);
    expect(await client({ deadlineMs: 500 })(url)).toMatchObject({ status: 200, error: null, responseBody });
  });

  it('the status line decides the result even if the body never ends', async () => {
    const sockets: Socket[] = [];
    const collect = (message: unknown) => sockets.push((message as { socket: Socket }).socket);
    subscribe('net.client.socket', collect);
    stops.push(() => unsubscribe('net.client.socket', collect));
    const endless = function* () {
      while (true) yield 'a'.repeat(65_536);
    };
    const url = await http((_, response) => pipeline(endless, response, () => {}));
    expect(await client()(url)).toMatchObject({ status: 200, error: null, responseBody: 'a'.repeat(4_096) });
    expect(sockets.map((socket) => socket.destroyed)).toEqual([true]);
    // One more 64 KiB chunk may already have been in transit.
    expect(sockets[0]?.bytesRead).toBeLessThan(3 * 65_536);
  });
});

describe('deadline', () => {
  const soon = { deadlineMs: 60 };

  it.each([
    ['the resolver', () => client({ ...soon, resolve: () => new Promise(() => {}) })('http://receiver.test/')],
    ['TLS', async () => client(soon)((await tcp(() => {})).replace('http', 'https'))],
    ['a status line that never comes', async () => client(soon)(await http(() => {}))],
    [
      'endless 1xx responses',
      async () => client(soon)(await tcp((socket) => drip(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n'))),
    ],
  ])('the deadline applies to %s', async (_, post) => {
    expect(await post()).toMatchObject({ ...failure('timeout'), timings: { tls: null, firstByte: null } });
  });

  it('the deadline includes waiting for a free connection', async () => {
    const closed = Promise.withResolvers<void>();
    const url = await http((request) => request.socket.on('close', closed.resolve));
    const post = client({ ...soon, agentOptions: { maxSockets: 1 } });
    expect(await Promise.all([post(url), post(url)])).toMatchObject([failure('timeout'), failure('timeout')]);
    await closed.promise;
  });
});

describe('failed requests', () => {
  const upgrade = 'HTTP/1.1 101 S\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n';
  const banner = '220 mail.example.com ESMTP\r\n';
  const notTls = 'ERR_SSL_WRONG_VERSION_NUMBER';

  it.each<[string, string, string, (socket: Socket) => void]>([
    ['a reset', 'connection_reset', '', (socket) => socket.resetAndDestroy()],
    ['the end of the connection', 'connection_reset', '', (socket) => socket.end()],
    ['a protocol switch', 'protocol_error', upgrade, (socket) => socket.write(upgrade)],
    ['a response that is not HTTP', 'protocol_error', banner, (socket) => socket.write(banner)],
    [
      'plain text on a TLS connection',
      'tls_failed',
      notTls,
      (socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'),
    ],
  ])('%s instead of a status line ends as %s', async (_, error, text, act) => {
    const url = await onRequest(act);
    const target = error === 'tls_failed' ? url.replace('http', 'https') : url;
    expect(await client()(target)).toMatchObject(failure(error, text));
  });

  it.each<[string, string, string, () => Promise<string[]>]>([
    ['a resolver that rejects', 'dns_failed', 'https://receiver.test/', () => Promise.reject(new Error('ENOTFOUND'))],
    ['a resolver that finds nothing', 'dns_failed', 'https://receiver.test/', async () => []],
    ['an invalid URL', 'url_denied', 'nonsense', resolveToLoopback],
    ['a URL with credentials', 'url_denied', 'https://u:p@receiver.test/', resolveToLoopback],
    ['an address denied by number', 'address_denied', 'https://2130706433:PORT/', resolveToLoopback],
    ['a name that resolves to a denied address', 'address_denied', 'https://receiver.test:PORT/', resolveToLoopback],
    [
      'one denied address among several',
      'address_denied',
      'https://receiver.test:PORT/',
      async () => ['8.8.8.8', '127.0.0.1'],
    ],
  ])('%s ends as %s without a connection', async (_, error, url, resolve) => {
    const port = await https((_, response) => response.end());
    const attempt = await client({ policy: strict, resolve })(url.replace('PORT', String(port)));
    expect(attempt).toMatchObject({ ...failure(error), timings: { connect: null } });
    expect(connecting).toHaveBeenCalledTimes(0);
  });

  it.each(['127.0.0.9', 'receiver.test'])('a closed port on %s ends as connect_refused', async (host) => {
    const url = await http((_, response) => response.end());
    const post = client({ resolve: async () => ['127.0.0.9'] });
    expect(await post(url.replace('127.0.0.1', host))).toMatchObject(failure('connect_refused'));
  });

  it('invalid headers end as protocol_error and do not throw', async () => {
    expect(await client()('http://[::1]/', { A: 'a\r\nb' })).toMatchObject(failure('protocol_error'));
  });
});

describe('TLS', () => {
  const plain = { policy: loopback, resolve: resolveToLoopback };
  const trusting = { ...plain, agentOptions: { ca: cert } };
  const trustingAll = { ...plain, agentOptions: { rejectUnauthorized: false, timeout: 9 } };
  const selfSigned = 'DEPTH_ZERO_SELF_SIGNED_CERT';
  const otherName = 'ERR_TLS_CERT_ALTNAME_INVALID';

  it.each(['receiver.test', 'receiver.test.', '127.0.0.1'])(
    'TLS works with the right certificate for %s',
    async (host) => {
      const port = await https((_, response) => response.end());
      const timings = { connect: ms, tls: ms, firstByte: ms };
      expect(await client(trusting)(`https://${host}:${port}/`)).toMatchObject({ status: 200, error: null, timings });
    },
  );

  it.each([
    ['the certificate is self-signed', plain, 'receiver.test', selfSigned],
    ['an option trusts every certificate', trustingAll, 'receiver.test', selfSigned],
    ['the certificate is for another name', trusting, 'another.test', otherName],
    ['the certificate is for another address', trusting, '127.0.0.2', otherName],
  ])('TLS fails with the OpenSSL code, regardless of the environment, if %s', async (_, options, host, code) => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    stops.push(() => vi.unstubAllEnvs());
    const seen = vi.fn();
    const port = await https(seen, '127.0.0.2');
    const clientOptions = { ...options, resolve: async () => ['127.0.0.2'] };
    expect(await client(clientOptions)(`https://${host}:${port}/`)).toMatchObject(failure('tls_failed', code));
    expect(seen).not.toHaveBeenCalled();
  });
});

describe('connection pool', () => {
  it('a connection stays open for the next ten requests, until the client is closed', async () => {
    const closed = Promise.withResolvers<void>();
    const url = await http((request, response) => response.end() && request.socket.once('close', closed.resolve));
    const { post, close } = createHttpClient({ deadlineMs: 15_000, policy: open, resolve: resolveToLoopback });
    const request = { url: url.replace('127.0.0.1', 'receiver.test'), headers: {}, body: '' };
    const ten = () => Promise.all(Array.from({ length: 10 }, () => post(request)));
    const tenAttempts = (timings: object) => Array(10).fill({ status: 200, timings });
    expect(await ten()).toMatchObject(tenAttempts({ dns: ms, connect: ms }));
    expect(await ten()).toMatchObject(tenAttempts({ dns: null, connect: null, firstByte: ms }));
    expect(connecting).toHaveBeenCalledTimes(10);
    close();
    await closed.promise;
  });

  it('a connection that broke while idle is replaced immediately', async () => {
    const used = new Set<Socket>();
    const url = await http(({ socket }, response) => {
      if (used.has(socket)) socket.resetAndDestroy();
      else response.end();
      used.add(socket);
    });
    const post = client();
    expect([await post(url), await post(url)]).toMatchObject([{ status: 200 }, { status: 200, error: null }]);
    expect(connecting).toHaveBeenCalledTimes(2);
  });

  it('a connection that broke silently while idle is replaced after a timeout', async () => {
    const used = new Set<Socket>();
    const waiting: (() => unknown)[] = [];
    const url = await http(({ socket }, response) => {
      if (used.has(socket)) return;
      used.add(socket);
      if (waiting.push(() => response.end()) >= 3) for (const answer of waiting) answer();
    });
    const post = client({ deadlineMs: 500 });
    expect(await Promise.all([post(url), post(url), post(url)])).toMatchObject(Array(3).fill({ status: 200 }));
    expect(await post(url)).toMatchObject(failure('timeout'));
    expect(await post(url)).toMatchObject({ status: 200, error: null });
    expect(connecting).toHaveBeenCalledTimes(4);
  });

  it('connections stay open for 50 origins, and the least recently used one is closed first', async () => {
    const ended: string[] = [];
    const enough = Promise.withResolvers<void>();
    const url = await http(({ socket, headers }, response) => {
      socket.once('close', () => ended.push(String(headers.host).split(':')[0] ?? '') === 10 && enough.resolve());
      response.end();
    });
    const post = client({ resolve: resolveToLoopback });
    for (let n = 0; n < 60; n += 1) await post(url.replace('127.0.0.1', `r${n}.test`));
    await enough.promise;
    expect(ended.sort()).toEqual(Array.from({ length: 10 }, (_, n) => `r${n}.test`));
  });
});
