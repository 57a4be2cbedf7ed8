import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { library } from '#functions/api/docs/library.ts';
import { groups } from '#functions/index.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { type Client, clientOf } from '#test/fixtures/client.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';

const [script = '', style = ''] = ['js', 'css'].map(
  (kind) => Object.keys(library).find((name) => name.endsWith(kind)) ?? '',
);
let cloud: Cloud;
let anybody: Client;
beforeAll(async () => {
  cloud = await startTestCloud();
  anybody = clientOf(cloud.url);
});
afterAll(async () => {
  await cloud.stop();
});

const policyOf = (headers: Headers) =>
  Object.fromEntries(
    (headers.get('content-security-policy') ?? '').split('; ').map((rule): [string, string] => {
      const [name = '', ...sources] = rule.split(' ');
      return [name, sources.join(' ')];
    }),
  );

test('the documentation page may load only files from the service', async () => {
  const { headers, text } = await anybody.call('GET', '/docs');
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
  const policy = policyOf(headers);
  expect(policy).toMatchObject({ 'default-src': "'none'", 'script-src': "'self'", 'connect-src': "'self'" });
  for (const sources of Object.values(policy))
    expect(['self', 'none'].some((source) => sources.includes(source))).toBe(true);
  expect(headers.get('content-security-policy')).not.toMatch(/unsafe|http|\*/);

  const links = [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, link = '']) => link);
  const scripts = [...text.matchAll(/<script\b([^>]*)>([^<]*)/g)];
  expect(scripts.map(([, attributes]) => attributes)).toEqual([` src="docs/${script}"`]);
  expect(text).not.toMatch(/<style|\sstyle=|\son\w+=/);
  const files = links.filter((link) => !link.startsWith('data:'));
  expect(files.toSorted()).toEqual([`docs/${style}`, `docs/${script}`, 'openapi.json'].sort());
  for (const file of files) {
    const url = new URL(file, `${cloud.url}/docs`);
    expect(url.origin).toBe(new URL(cloud.url).origin);
    const { status, headers } = await fetch(url);
    expect([file, status]).toEqual([file, 200]);
    const type = { css: 'text/css', js: 'text/javascript' }[file.split('.').at(-1) ?? ''] ?? 'application/json';
    expect(headers.get('content-type')).toContain(type);
  }
});

test('the documentation page loads the OpenAPI document without contacting a validator', async () => {
  const { text } = await anybody.call('GET', `/docs/${script}`);
  const started = text.slice(text.lastIndexOf('const isFound ='));
  const calls: unknown[] = [];
  new Function('SwaggerUIBundle', started)((options: unknown) => calls.push(options));
  expect(calls).toEqual([expect.objectContaining({ url: 'openapi.json', validatorUrl: null })]);
  const [{ requestInterceptor }] = calls as [{ requestInterceptor: (request: object) => object }];
  expect(requestInterceptor({ url: '/x' })).toEqual({ url: '/x', credentials: 'omit' });
});

test('the documentation style sheet embeds all images', async () => {
  const { text } = await anybody.call('GET', `/docs/${style}`);
  const links = [...text.matchAll(/url\(\s*["']?([^"')]{0,20})/g)].map(([, link = '']) => link);
  expect(links.filter((link) => !link.startsWith('data:'))).toEqual([]);
  expect(text).not.toContain('@import');
});

/** Sends a GET request. Returns the response as transferred, without decompressing it. */
const get = async (path: string, headers: Record<string, string> = {}) => {
  const sent = request(cloud.url + path, { headers }).end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: answer.statusCode, headers: answer.headers, bytes: Buffer.concat(await answer.toArray()) };
};

/** The number of operations in the document. */
const operations = groups.flatMap((group) => Object.keys(group.operations)).length;

describe.each([
  ['/docs', 'public, max-age=60', 1_000],
  ['/openapi.json', 'public, max-age=60', 430 * operations],
  [`/docs/${style}`, 'public, max-age=31536000, immutable', 30_000],
  [`/docs/${script}`, 'public, max-age=31536000, immutable', 470_000],
])('%s', (path, cacheControl, maxBytes) => {
  test('a documentation file supports gzip, cache times and conditional requests', async () => {
    const [plain, compressed] = await Promise.all([get(path), get(path, { 'accept-encoding': 'br, gzip' })]);
    expect(compressed.headers).toMatchObject({
      'content-encoding': 'gzip',
      'content-length': String(compressed.bytes.length),
      'cache-control': cacheControl,
      vary: 'Accept-Encoding',
    });
    expect(compressed.bytes.length).toBeLessThan(maxBytes);
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(gunzipSync(compressed.bytes).equals(plain.bytes)).toBe(true);
    const etag = String(compressed.headers.etag);
    const again = await get(path, { 'if-none-match': `"other", ${etag}`, 'accept-encoding': 'gzip' });
    expect([again.status, again.bytes.length, again.headers.etag]).toEqual([304, 0, etag]);
    expect(again.headers).toMatchObject({ 'cache-control': cacheControl, vary: 'Accept-Encoding' });
    expect(await get(path, { 'if-none-match': '"other"' })).toMatchObject({ status: 200 });
  });
});

test('documentation file names contain a content hash', async () => {
  expect(Object.keys(library).toSorted()).toEqual(['page', script, style].toSorted());
  for (const name of [script, style]) {
    const { bytes } = await get(`/docs/${name}`);
    expect(name).toContain(createHash('sha256').update(bytes).digest('hex').slice(0, 16));
  }
  const gone = await get(`/docs/${script.replace(/[0-9a-f]{16}/, '0'.repeat(16))}`);
  expect([gone.status, gone.headers['cache-control']]).toEqual([404, 'no-store']);
});

test.each([
  ['gzip', 'gzip'],
  ['br, gzip;q=0.5', 'gzip'],
  ['gzip;q=0', undefined],
  ['gzip; q=0.0, br', undefined],
  ['identity', undefined],
])('responds to Accept-Encoding: %s with Content-Encoding %s', async (accepted, encoding) => {
  const answer = await get(`/docs/${style}`, { 'accept-encoding': accepted });
  expect(answer.headers['content-encoding']).toBe(encoding);
  expect(answer.bytes.includes('.swagger-ui')).toBe(encoding === undefined);
});
