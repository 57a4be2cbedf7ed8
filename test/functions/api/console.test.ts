import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { library } from '#functions/api/console/library.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { type Client, clientOf } from '#test/fixtures/client.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';

const [script = '', style = ''] = ['js', 'css'].map(
  (kind) => Object.keys(library).find((name) => name.startsWith('app.') && name.endsWith(kind)) ?? '',
);
let cloud: Cloud;
let anybody: Client;
beforeAll(async () => {
  cloud = await startTestCloud();
  anybody = clientOf(cloud.url);
});
afterAll(() => cloud.stop());

const linksOf = (page: string): string[] =>
  [...page.matchAll(/(?:src|href)="([^"]*)"/g)]
    .map(([, link = '']) => link)
    // The empty link points to the page itself.
    .filter((link) => link !== '' && !link.startsWith('data:'));

test.each(['', '/', '/sensors', '/sensors/id_123456789', '/a/b/c/d/e/f', '/sensors/'])(
  'the page at /console%s links to files correctly at any path prefix',
  async (path) => {
    const { status, text, headers } = await anybody.call('GET', `/console${path}`);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    for (const prefix of ['', '/stage', '/any/where']) {
      const files = linksOf(text).map(
        (link) => new URL(link, `https://x.example${prefix}/api/v1/console${path}`).pathname,
      );
      const folder = `${prefix}/api/v1/console`;
      const names = [style, script, 'app.webmanifest', 'apple-touch-icon.png'];
      expect(files.toSorted()).toEqual(names.map((name) => `${folder}/${name}`).toSorted());
    }
  },
);

test('the console serves files with a hash in the name as immutable', async () => {
  for (const [name, type] of [
    [script, 'text/javascript'],
    [style, 'text/css'],
  ] as const) {
    const { status, headers } = await anybody.call('GET', `/console/${name}`);
    expect([status, headers.get('content-type')]).toEqual([200, `${type}; charset=utf-8`]);
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  }
  const gone = await anybody.call('GET', `/console/${script.replace(/\.\w+\.js$/, '.00000000.js')}`);
  expect([gone.status, gone.headers.get('cache-control')]).toEqual([404, 'no-store']);
});

test('the console manifest names the start page and icons at any path prefix', async () => {
  const { body, headers } = await anybody.call('GET', '/console/app.webmanifest');
  expect(headers.get('content-type')).toBe('application/manifest+json; charset=utf-8');
  type Icon = { src: string; type: string; sizes: string };
  const { start_url: start, scope, icons } = body as { start_url: string; scope: string; icons: Icon[] };
  const at = 'https://x.example/stage/api/v1/console/app.webmanifest';
  const paths = [start, scope].map((address) => new URL(address, at).pathname);
  expect(paths).toEqual(['/stage/api/v1/console', '/stage/api/v1/console']);
  // iOS does not read the manifest.
  const page = (await anybody.call('GET', '/console')).text;
  const [, touch = ''] = /<link rel="apple-touch-icon" href="console\/([\w.-]+)">/.exec(page) ?? [];
  for (const { src, type, sizes } of [...icons, { src: touch, type: 'image/png', sizes: '180x180' }]) {
    const answer = await fetch(`${cloud.url}/console/${src}`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type]);
    const image = Buffer.from(await answer.arrayBuffer());
    // The width and height of a PNG are at offsets 16 and 20 (https://www.w3.org/TR/png-3/#11IHDR).
    const size = type === 'image/png' ? `${image.readUInt32BE(16)}x${image.readUInt32BE(20)}` : 'any';
    expect(size).toBe(sizes);
  }
});

test('the console serves the service worker with a short cache time', async () => {
  const { status, headers } = await anybody.call('GET', '/console/push-worker.js');
  expect([status, headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8']);
  expect(headers.get('cache-control')).toBe('public, max-age=60');
});

test("the console's Content-Security-Policy allows only the service's scripts and files", async () => {
  const { headers, text } = await anybody.call('GET', '/console');
  const policy = headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  // Trusted Types allow one policy, for the service worker's URL.
  expect(policy).toMatch(/; trusted-types push-worker$/);
  expect(policy).not.toMatch(/unsafe|nonce|http|\*/);
  expect(text).not.toMatch(/<style|\sstyle=|\son\w+=|<script>/);
  expect(headers.get('cache-control')).toBe('public, max-age=60');
});

/** Returns the names of a script and everything it imports statically. */
const loadedBy = (name: string, seen = new Set<string>()): ReadonlySet<string> => {
  if (seen.has(name)) return seen;
  seen.add(name);
  const code = gunzipSync(library[name]?.gzip ?? expect.unreachable(name)).toString();
  for (const [, part = ''] of code.matchAll(/(?:from|import)"\.\/([\w.-]+\.js)"/g)) loadedBy(part, seen);
  return seen;
};

test('the console loads at most 300 KB on the first visit', () => {
  const names = ['page 0', style, ...loadedBy(script)];
  const bytes = names.map((name) => library[name]?.gzip.length ?? Number.NaN);
  expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(300_000);
});

test.each(['/', '/api/v1', '/api/v1/'])(
  '%s redirects browsers to the console and returns 404 to programs',
  async (path) => {
    const { origin } = new URL(cloud.url);
    const ask = (accept: string) => fetch(origin + path, { headers: { accept }, redirect: 'manual' });
    const { status, headers } = await ask('text/html,application/xhtml+xml,*/*;q=0.8');
    expect([status, new URL(headers.get('location') ?? '', origin + path).pathname]).toEqual([302, '/api/v1/console']);
    expect((await ask('application/json')).status).toBe(404);
  },
);
