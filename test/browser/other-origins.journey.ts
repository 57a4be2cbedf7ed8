import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import { type Site, startSite } from './fixtures/site.ts';
import { visit } from './fixtures/visitor.ts';

let site: Site;
let pages: Receiver[];
beforeAll(async () => {
  const serve = () => startReceiver((_, response) => void response.setHeader('Content-Type', 'text/html').end('<p>Hi'));
  pages = await Promise.all([serve(), serve()]);
  const [listed = ''] = pages.map(({ url }) => new URL(url).origin);
  site = await startSite('larch', { environment: { CORS_ORIGINS: listed } });
});
afterAll(() => Promise.all([site.stop(), ...pages.map((page) => page.stop())]));

/** Logs in and reads the logged-in user with the token, like a script on a page at this URL. */
const tryFrom = async ({ url }: Receiver) => {
  await using visitor = await visit(url, { expected: [/\b404\b/, /CORS policy/, /ERR_FAILED/] });
  const { username, password } = site.home;
  const result = await visitor.page.evaluate(
    async ({ base, login }) => {
      try {
        const headers = { 'Content-Type': 'application/json' };
        const session = await fetch(`${base}/users/login`, { method: 'POST', headers, body: JSON.stringify(login) });
        const Authorization = `Bearer ${session.headers.get('Token')}`;
        const me = await fetch(`${base}/users/me`, { headers: { Authorization } });
        const missing = await fetch(`${base}/nothing`, { headers: { Authorization } });
        const { username: name } = (await me.json()) as { username: string };
        return [name, missing.status, Boolean(missing.headers.get('X-Request-Id'))];
      } catch (error) {
        return String(error);
      }
    },
    { base: site.cloud.url, login: { username, password } },
  );
  return result;
};

test('lets only pages from listed origins log in, call the API and read errors', async () => {
  const [listed, other] = pages;
  if (!listed || !other) throw new Error('no pages');
  expect(await tryFrom(listed)).toEqual([site.home.username, 404, true]);
  expect(await tryFrom(other)).toBe('TypeError: Failed to fetch');
});
