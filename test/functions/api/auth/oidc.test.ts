import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '#lib/local/clock.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { type Answer, type Client, clientOf } from '#test/fixtures/client.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';
import { adminOf, createHome, hireFor } from '#test/fixtures/home.ts';
import { beginOidc, followLogin, type IssuerHere, startIssuer, withCookie } from '#test/fixtures/issuer.ts';

const rules = [
  { claim: 'groups', value: 'maple', customerId: 1 },
  { claim: 'groups', value: 'maple-leads', customerId: 1, permissions: ['manage_users', 'manage_rules'] },
  { claim: 'groups', value: 'elm', customerId: 2, permissions: ['manage_rules'] },
  { claim: 'groups', value: 'nowhere', customerId: 987_654_321 },
  { claim: 'groups', value: 'it', isAdmin: true },
];

let ahead = 0;
let issuer: IssuerHere;
let cloud: Cloud;
let anybody: Client;
let admin: Client;
beforeAll(async () => {
  issuer = await startIssuer();
  const clock = { now: () => systemClock.now() + ahead, after: systemClock.after };
  cloud = await startTestCloud({ clock, environment: issuer.environment(rules) });
  anybody = clientOf(cloud.url);
  admin = await adminOf(cloud.url);
  for (const name of ['maple', 'elm']) await createHome(admin, name, []);
});
afterAll(() => Promise.all([cloud.stop(), issuer.stop()]));
beforeEach(() => {
  ahead = 0;
});

/** Begins a login and visits the issuer. Returns the browser and the redirect URL. */
const visitIssuer = async (name: string, change = (url: string) => url) => {
  const { url, cookie } = await beginOidc(anybody);
  return { browser: withCookie(anybody, cookie), back: await followLogin(change(url), name) };
};
const finish = (browser: Client, { search }: URL): Promise<Answer> =>
  browser.call('POST', '/users/login/oidc/answer', { query: search });
const login = async (name: string, groups: readonly string[], more: object = {}): Promise<Answer> => {
  issuer.people.set(name, { groups, ...more });
  const { browser, back } = await visitIssuer(name);
  return finish(browser, back);
};
const clientIn = ({ headers }: Answer): Client => anybody.as(headers.get('token') ?? '');
const statusOf = async (client: Client) => (await client.call('GET', '/users/me')).status;

describe('OpenID Connect login', () => {
  test('creates a user with the claimed permissions on the first login', async () => {
    expect(await anybody.ok('GET', '/users/login/oidc')).toEqual({ name: 'Home account' });
    const first = await login('anna', ['maple', 'maple-leads']);
    expect(first.status, first.text).toBe(200);
    expect(first.body).toMatchObject({
      username: 'anna',
      customerId: 1,
      isAdmin: false,
      canLogin: true,
      hasOtp: false,
      permissions: ['manage_users', 'manage_rules'],
    });
    const cookies = first.headers.getSetCookie().map((line) => line.split('=')[0]);
    expect(cookies.toSorted()).toEqual(['PSAUTHTOKEN', 'PSCSRF', 'PSOIDC', 'PSUSERID']);
    expect(await clientIn(first).ok('GET', '/users/me')).toEqual(first.body);
    const again = await login('anna', ['maple', 'maple-leads']);
    expect(again.body).toEqual(first.body);
  });

  test("removes permissions missing from the claims in all of the user's sessions", async () => {
    const before = clientIn(await login('bert', ['maple', 'maple-leads']));
    await before.ok('GET', '/users');
    const after = await login('bert', ['maple']);
    expect(after.body).toMatchObject({ permissions: [] });
    for (const client of [before, clientIn(after)]) expect((await client.call('GET', '/users')).status).toBe(403);
  });

  test("ends a user's sessions and access tokens when the claims no longer grant anything", async () => {
    const before = clientIn(await login('carl', ['maple']));
    const { token } = await before.ok<{ token: string }>('POST', '/users/me/access-tokens', { name: 'n' });
    const lost = await login('carl', ['elsewhere']);
    expect([lost.status, lost.headers.getSetCookie()]).toEqual([401, []]);
    expect([await statusOf(before), await statusOf(anybody.as(token))]).toEqual([401, 401]);
    expect((await login('carl', ['maple'])).status).toBe(200);
  });

  test('refuses an OpenID Connect user whom the service has locked out, regardless of the claims', async () => {
    const { id } = (await login('dora', ['maple'])).body as { id: number };
    await admin.ok('PUT', `/users/${id}/access`, { canLogin: false, permissions: [] });
    for (const groups of [['maple'], ['elsewhere'], ['maple', 'maple-leads']])
      expect((await login('dora', groups)).status).toBe(401);
  });

  test('creates a separate user when a person moves to another customer', async () => {
    const inMaple = await login('emil', ['maple']);
    const inElm = await login('emil', ['elm']);
    expect(inElm.body).toMatchObject({ customerId: 2, permissions: ['manage_rules'] });
    expect([await statusOf(clientIn(inMaple)), await statusOf(clientIn(inElm))]).toEqual([401, 200]);
    const back = await login('emil', ['maple']);
    expect((back.body as { id: number }).id).toBe((inMaple.body as { id: number }).id);
    expect(await statusOf(clientIn(inElm))).toBe(401);
  });

  test('refuses claims that name two customers, no customer, or an unknown customer', async () => {
    for (const groups of [['maple', 'elm'], [], ['nowhere']])
      expect([groups, (await login('fritz', groups)).status]).toEqual([groups, 401]);
    expect((await login('fritz', ['it'])).body).toMatchObject({ customerId: null, isAdmin: true });
  });

  test('OpenID Connect logins never identify a user by username or email address', async () => {
    const local = await hireFor(admin, 1, 'greta', { email: 'greta@example.com', permissions: ['manage_rules'] });
    const claims = { email: 'greta@example.com', email_verified: true };
    const { id, username, permissions } = (await login('greta', ['maple'], claims)).body as Record<string, unknown>;
    expect(id).not.toBe(local.id);
    expect([username, permissions]).toEqual([expect.stringMatching(/^greta\..{12}$/), []]);
  });

  test('stores an email address only if the issuer has verified it', async () => {
    const email = 'hans@example.com';
    expect((await login('hans', ['maple'], { email })).body).toMatchObject({ email: '' });
    expect((await login('ida', ['maple'], { email, email_verified: true })).body).toMatchObject({ email });
  });

  test("creates only one user for a person's three concurrent logins", async () => {
    const logins = await Promise.all([1, 2, 3].map(() => login('jana', ['maple'])));
    expect(new Set(logins.map(({ body }) => (body as { id: number }).id)).size).toBe(1);
  });

  test('a user created by the issuer has neither password nor second factor', async () => {
    const claims = { email: 'karl@example.com', email_verified: true };
    const answer = await login('karl', ['maple'], claims);
    const { id } = answer.body as { id: number };
    // The second factor is the issuer's concern.
    expect((await clientIn(answer).call('POST', '/users/me/otp')).status).toBe(409);
    const newPassword = 'a-long-new-password';
    expect((await admin.call('PUT', `/users/${id}/password`, { newPassword })).status).toBe(409);
    for (const password of ['', newPassword, 'karl'])
      expect((await anybody.call('POST', '/users/login', { username: 'karl', password })).status).toBe(401);
  });

  test('users created by an issuer cannot change their own email address', async () => {
    const client = clientIn(await login('kim', ['maple']));
    const me = await client.ok('GET', '/users/me');
    const moved = { ...me, email: 'kim@example.org', currentPassword: 'any-password-at-all' };
    expect((await client.call('PUT', '/users/me', moved)).status).toBe(403);
    expect((await client.call('PUT', '/users/me', { ...me, firstName: 'Kim' })).status).toBe(200);
  });

  test('creates a new user if the service deleted the old one', async () => {
    const { id } = (await login('lea', ['maple'])).body as { id: number };
    await admin.ok('DELETE', `/users/${id}`);
    const again = (await login('lea', ['maple'])).body as { id: number; username: string };
    expect([again.id > id, again.username]).toEqual([true, 'lea']);
  });

  test('OpenID Connect logins do not ask for a second factor, even if the customer requires one', async () => {
    const customer = { name: 'maple', location: '', email: '' };
    await admin.ok('PUT', '/customers/1', { ...customer, requireOtp: true });
    expect((await login('mona', ['maple'])).body).not.toHaveProperty('mustSetOtp');
    await admin.ok('PUT', '/customers/1', { ...customer, requireOtp: false });
  });

  test("logout returns the issuer's logout URL", async () => {
    const client = clientIn(await login('nora', ['maple']));
    const { url = '' } = await client.ok<{ url?: string }>('POST', '/users/logout');
    expect(url).toMatch(new RegExp(`^${issuer.url}/session/end\\?.*id_token_hint=`));
    expect(await statusOf(client)).toBe(401);
    // A login with a password has no session with the issuer.
    expect(await (await adminOf(cloud.url)).ok('POST', '/users/logout')).toEqual({ status: 'OK' });
  });
});

describe('OpenID Connect login with an invalid response', () => {
  const refused = async (sent: Promise<Answer>) => {
    const { status, headers } = await sent;
    expect([status, headers.get('token'), headers.getSetCookie()]).toEqual([401, null, []]);
  };
  beforeAll(() => {
    issuer.people.set('otto', { groups: ['maple'] });
  });

  test('a login fails if the same response is used twice, even concurrently', async () => {
    const { browser, back } = await visitIssuer('otto');
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => finish(browser, back)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    await refused(finish(browser, back));
  });

  test('a login fails if it is continued in another browser', async () => {
    const { back } = await visitIssuer('otto');
    await refused(finish(anybody, back));
    const { cookie } = await beginOidc(anybody);
    const other = await visitIssuer('otto');
    await refused(finish(withCookie(anybody, cookie), other.back));
  });

  test('a login expires ten minutes after it started', async () => {
    const { browser, back } = await visitIssuer('otto');
    ahead = 600_001;
    await refused(finish(browser, back));
  });

  test('a login fails if the response contains a different nonce', async () => {
    const { browser, back } = await visitIssuer('otto', (url) => url.replace(/nonce=[^&]+/, 'nonce=of-somebody-else'));
    await refused(finish(browser, back));
  });

  test('a login fails if the response belongs to a different code challenge', async () => {
    const challenge = `code_challenge=${'A'.repeat(43)}`;
    const { browser, back } = await visitIssuer('otto', (url) => url.replace(/code_challenge=[^&]+/, challenge));
    await refused(finish(browser, back));
  });

  test('a login fails if the response is from another issuer', async () => {
    const { browser, back } = await visitIssuer('otto');
    back.searchParams.set('iss', 'https://login.example.org');
    await refused(finish(browser, back));
    const other = await startIssuer();
    other.people.set('otto', { groups: ['it'] });
    const there = await visitIssuer('otto', (url) => url.replace(issuer.url, other.url));
    await refused(finish(there.browser, there.back));
    await other.stop();
  });

  test('a login fails if the response is an error, incomplete or malformed', async () => {
    const { url, cookie } = await beginOidc(anybody);
    const state = new URL(url).searchParams.get('state');
    const browser = withCookie(anybody, cookie);
    const send = (query: string) => refused(browser.call('POST', '/users/login/oidc/answer', { query }));
    for (const query of ['', '?', 'code=a', 'state=&code=a', '\u0000', '#', 'state=a&state=b&code=c'])
      await send(query);
    await send(`?error=access_denied&state=${state}`);
  });
});
