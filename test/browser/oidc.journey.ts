import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createHome } from '../fixtures/home.ts';
import { type IssuerHere, startIssuer } from '../fixtures/issuer.ts';
import { said } from './fixtures/fields.ts';
import { type Site, startSite } from './fixtures/site.ts';

let issuer: IssuerHere;
let site: Site;
beforeAll(async () => {
  issuer = await startIssuer();
  const rules = [
    { claim: 'groups', value: 'nurses', customerId: 1 },
    { claim: 'groups', value: 'leads', customerId: 1, permissions: ['manage_users', 'manage_rules'] },
    { claim: 'groups', value: 'owners', customerId: 1, permissions: ['manage_customers'] },
  ];
  site = await startSite('oidc', { environment: issuer.environment(rules) });
  expect(site.home.customerId).toBe(1);
});
afterAll(() => Promise.all([site.stop(), issuer.stop()]));
beforeEach(() => {
  issuer.people.clear();
});

/** Browsers complain of pages of the issuer that has no icon, and of answers that are no success. */
const expected = [/401/, /404/, /favicon/];
const enter = (page: Page) => page.getByRole('button', { name: 'Log in with Home account' }).click();
const as = (page: Page, name: string) => page.getByRole('button', { name: `I am ${name}` }).click();
const isRefused = async (page: Page) => {
  await page.getByRole('main').getByRole('alert').getByText('The login was refused there').waitFor();
  const cookies = await page.context().cookies();
  expect(cookies.filter(({ name }) => name.startsWith('PSAUTH'))).toEqual([]);
};
test('somebody logs in at the issuer, is where the link leads, logs out there too, and in again only there', async () => {
  issuer.people.set('anna', { groups: ['nurses'] });
  await using visitor = await site.open('/sensors?state=inactive', { expected });
  const { page } = visitor;
  await page.getByRole('button', { name: 'Log in with Home account' }).waitFor();
  await visitor.look('login-oidc');
  await enter(page);
  await as(page, 'anna');
  await page.getByRole('heading', { name: 'Sensors', level: 1 }).waitFor();
  expect(page.url()).toBe(`${site.address}/sensors?state=inactive`);
  const cookies = (await visitor.context.cookies(site.address)).map(({ name }) => name);
  expect(cookies.filter((name) => name.startsWith('PS')).sort()).toEqual(['PSAUTHTOKEN', 'PSCSRF', 'PSUSERID']);
  await page.getByRole('button', { name: 'anna' }).click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await page.getByRole('button', { name: 'Leave' }).click();
  await page.getByRole('heading', { name: 'Log in' }).waitFor();
  expect(page.url()).toContain(`${site.address}`);
  expect((await visitor.context.cookies()).filter(({ name }) => name.startsWith('PS'))).toEqual([]);
  // The session at the issuer is over: it asks who somebody is.
  await enter(page);
  await page.getByRole('button', { name: 'I am anna' }).waitFor();
});

test('a lost right is lost at the next login, and with the last one the login', async () => {
  issuer.people.set('bert', { groups: ['nurses', 'leads'] });
  await using visitor = await site.open('', { expected });
  const { page } = visitor;
  await enter(page);
  await as(page, 'bert');
  await page.getByRole('link', { name: 'Users' }).waitFor();
  issuer.people.set('bert', { groups: ['nurses'] });
  await using other = await site.open('', { expected });
  await enter(other.page);
  await as(other.page, 'bert');
  await other.page.getByRole('banner').waitFor();
  expect(await other.page.getByRole('link', { name: 'Users' }).count()).toBe(0);
  await page.reload();
  await page.getByRole('banner').waitFor();
  expect(await page.getByRole('link', { name: 'Users' }).count()).toBe(0);
  issuer.people.set('bert', { groups: [] });
  await using third = await site.open('', { expected });
  await enter(third.page);
  await as(third.page, 'bert');
  await isRefused(third.page);
  await third.look('login-oidc-refused');
  await page.reload();
  await page.getByRole('heading', { name: 'Log in' }).waitFor();
});

test('who exports data is asked by the issuer again, and goes on with it', async () => {
  issuer.people.set('olga', { groups: ['owners'] });
  await using visitor = await site.open('/personal-data?kind=customer', { expected: [...expected, /403/] });
  const { page, look } = visitor;
  await enter(page);
  await as(page, 'olga');
  await page.getByLabel('Reason').fill('Requested');
  const begin = page.getByRole('button', { name: 'Export', exact: true });
  await begin.click();
  await page.getByRole('alert').getByText('Log in again').waitFor();
  await look('personal-data-login-too-old');
  // The issuer still knows who it is, and asks nevertheless.
  await enter(page);
  await as(page, 'olga');
  await page.waitForURL(/personal-data\?kind=customer$/);
  await page.getByLabel('Reason').fill('Requested');
  await begin.click();
  await said(page, 'Export started.');
});

test('an answer that comes again is refused', async () => {
  issuer.people.set('carl', { groups: ['nurses'] });
  await using visitor = await site.open('', { expected });
  const { page } = visitor;
  const back = page.waitForRequest(/\/console\/login\/oidc\?/);
  await enter(page);
  await as(page, 'carl');
  await page.getByRole('banner').waitFor();
  const address = (await back).url();
  await visitor.context.clearCookies();
  await page.goto(address);
  await isRefused(page);
});

test('an answer is refused in a browser that did not begin the login, and is used up then', async () => {
  issuer.people.set('fritz', { groups: ['nurses'] });
  await using visitor = await site.open('', { expected: [...expected, /ERR_FAILED/] });
  const { page } = visitor;
  await page.route('**/users/login/oidc/answer', (route) => route.abort());
  await enter(page);
  await as(page, 'fritz');
  await page.getByRole('main').getByRole('alert').waitFor();
  const address = page.url();
  await using stranger = await site.open(address.slice(site.address.length), { expected });
  await isRefused(stranger.page);
  await page.unroute('**/users/login/oidc/answer');
  await page.goto(address);
  await isRefused(page);
});

test('an answer to another nonce is refused', async () => {
  issuer.people.set('dora', { groups: ['nurses'] });
  await using visitor = await site.open('', { expected });
  const { page } = visitor;
  await page.route(/\/auth\?/, (route) => {
    const url = route.request().url();
    const redirected = url.replace(/nonce=[^&]+/, 'nonce=of-somebody-else');
    return url === redirected ? route.continue() : route.fulfill({ status: 302, headers: { location: redirected } });
  });
  await enter(page);
  await as(page, 'dora');
  await isRefused(page);
});

test('an answer of a foreign issuer is refused', async () => {
  const foreign = await startIssuer();
  foreign.people.set('emil', { groups: ['nurses', 'leads'] });
  await using visitor = await site.open('', { expected });
  const { page } = visitor;
  await page.route(
    (url) => url.href.startsWith(`${issuer.url}/auth?`),
    (route) => {
      const location = route.request().url().replace(issuer.url, foreign.url);
      return route.fulfill({ status: 302, headers: { location } });
    },
  );
  await enter(page);
  await as(page, 'emil');
  await isRefused(page);
  await foreign.stop();
});

test('a user with a password logs in by it as before', async () => {
  const { username, password } = await createHome(site.admin, 'local', []);
  await using visitor = await site.open('', { expected });
  const { page } = visitor;
  await page.locator('input[name=username]').fill(username);
  await page.locator('input[name=password]').fill(password);
  await page.locator('button[type=submit]').click();
  await page.getByRole('banner').waitFor();
});
