import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { systemClock } from '#lib/local/clock.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { type Client, clientOf } from '#test/fixtures/client.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';
import { adminOf, createHome } from '#test/fixtures/home.ts';
import { beginOidc, followLogin, type IssuerHere, startIssuer, withCookie } from '#test/fixtures/issuer.ts';

let ahead = 0;
let issuer: IssuerHere;
let cloud: Cloud;
let anybody: Client;
beforeAll(async () => {
  issuer = await startIssuer();
  issuer.people.set('ida', { groups: ['it'] });
  const clock = { now: () => systemClock.now() + ahead, after: systemClock.after };
  const environment = issuer.environment([{ claim: 'groups', value: 'it', isAdmin: true }]);
  cloud = await startTestCloud({ clock, environment });
  anybody = clientOf(cloud.url);
  await createHome(await adminOf(cloud.url), 'maple', []);
});
afterAll(() => Promise.all([cloud.stop(), issuer.stop()]));
beforeEach(() => {
  ahead = 0;
});

/** Logs in. Returns a function that requests an export without a password. */
const logInForExport = async (query: string, change = (url: string) => url) => {
  const { url, cookie } = await beginOidc(anybody, query);
  const { search } = await followLogin(change(url), 'ida');
  const back = { query: search };
  const { headers } = await withCookie(anybody, cookie).call('POST', '/users/login/oidc/answer', back);
  const client = anybody.as(headers.get('token') ?? '');
  return async () => {
    const body = { subject: { kind: 'customer', id: 1 }, reason: 'requested', password: '' };
    const answer = await client.call('POST', '/customers/1/exports', body);
    return [answer.status, answer.headers.get('x-error-code')];
  };
};

test('exports do not require a password within 5 minutes of authentication by the issuer', async () => {
  const send = await logInForExport('?prompt=login');
  ahead = 4 * 60_000;
  expect(await send()).toEqual([202, null]);
  ahead = 6 * 60_000;
  expect(await send()).toEqual([403, 'login_too_old']);
});

test('refuses an export if the issuer does not report auth_time', async () => {
  const tampered = await logInForExport('?prompt=login', (url) => url.replace(/&prompt=login|&max_age=0/g, ''));
  for (const send of [await logInForExport(''), tampered]) expect(await send()).toEqual([403, 'login_too_old']);
});

test('returns 400 for any OpenID Connect prompt except login', async () => {
  expect((await anybody.call('POST', '/users/login/oidc?prompt=none')).status).toBe(400);
});
