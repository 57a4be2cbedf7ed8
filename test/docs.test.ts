import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Cloud } from '../lib/local/cloud.ts';
import { send } from './contracts/raw.ts';
import { type Client, clientOf } from './fixtures/client.ts';
import { startTestCloud } from './fixtures/cloud.ts';

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

test('the page is made of files of this server alone, and its policy lets in nothing else', async () => {
  const { headers, text } = await anybody.call('GET', '/docs');
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
  const policy = policyOf(headers);
  expect(policy).toMatchObject({ 'default-src': "'none'", 'script-src': "'self'", 'connect-src': "'self'" });
  for (const sources of Object.values(policy)) expect(['self', 'none'].some((one) => sources.includes(one))).toBe(true);
  expect(headers.get('content-security-policy')).not.toMatch(/unsafe|http|\*/);

  const links = [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, link = '']) => link);
  const scripts = [...text.matchAll(/<script\b([^>]*)>([^<]*)/g)];
  expect(scripts.map(([, attributes]) => attributes)).toEqual([' src="docs/swagger-ui.js"']);
  expect(text).not.toMatch(/<style|\sstyle=|\son\w+=/);
  const files = links.filter((link) => !link.startsWith('data:'));
  expect(files.toSorted()).toEqual(['docs/swagger-ui.css', 'docs/swagger-ui.js', 'openapi.json']);
  for (const file of files) {
    const url = new URL(file, `${cloud.url}/docs`);
    expect(url.origin).toBe(new URL(cloud.url).origin);
    const { status, headers } = await fetch(url);
    expect([file, status]).toEqual([file, 200]);
    const type = { css: 'text/css', js: 'text/javascript' }[file.split('.').at(-1) ?? ''] ?? 'application/json';
    expect(headers.get('content-type')).toContain(type);
  }
});

test('the script starts itself on the document of this server, and asks no validator', async () => {
  const { text } = await anybody.call('GET', '/docs/swagger-ui.js');
  const started = text.slice(text.lastIndexOf('SwaggerUIBundle({'));
  const given: unknown[] = [];
  new Function('SwaggerUIBundle', started)((options: unknown) => given.push(options));
  expect(given).toEqual([expect.objectContaining({ url: 'openapi.json', validatorUrl: null })]);
  const [{ requestInterceptor }] = given as [{ requestInterceptor: (request: object) => object }];
  expect(requestInterceptor({ url: '/x' })).toEqual({ url: '/x', credentials: 'omit' });
});

test('the style has its pictures in itself', async () => {
  const { text } = await anybody.call('GET', '/docs/swagger-ui.css');
  const links = [...text.matchAll(/url\(\s*["']?([^"')]{0,20})/g)].map(([, link = '']) => link);
  expect(links.filter((link) => !link.startsWith('data:'))).toEqual([]);
  expect(text).not.toContain('@import');
});

test.each([
  ['gzip', 'gzip'],
  ['br, gzip;q=0.5', 'gzip'],
  ['gzip;q=0', undefined],
  ['gzip; q=0.0, br', undefined],
  ['identity', undefined],
])('Accept-Encoding: %s is answered in %s', async (accepted, encoding) => {
  const headers = { 'accept-encoding': accepted };
  const answer = await send(`${cloud.url}/docs/swagger-ui.css`, { method: 'GET', headers });
  expect(answer.headers.get('content-encoding') ?? undefined).toBe(encoding);
  const isPlain = answer.text.includes('.swagger-ui');
  expect(isPlain).toBe(encoding === undefined);
});
