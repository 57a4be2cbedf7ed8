import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createHome } from '../fixtures/home.ts';
import { type IssuerHere, startIssuer } from '../fixtures/issuer.ts';
import { waitForNotice } from './fixtures/fields.ts';
import { type Site, startSite } from './fixtures/site.ts';

let issuer: IssuerHere;
let site: Site;
beforeAll(async () => {
  issuer = await startIssuer();
  const rules = [
    { claim: 'groups', value: 'nurses', customerId: 1 },
    { claim: 'groups', value: 'leads', customerId: 1, permissions: ['manage_users', 'manage_rules'] },
    {
      claim: 'groups',
      value: 'owners',
      customerId: 1,
      permissions: ['manage_customers', 'manage_users', 'manage_bots', 'manage_rules'],
    },
  ];
  site = await startSite('oidc', { environment: issuer.environment(rules) });
  expect(site.home.customerId).toBe(1);
});
afterAll(() => Promise.all([site.stop(), issuer.stop()]));
beforeEach(() => {
  issuer.people.clear();
});

/** The browser logs errors for the issuer's missing icon and for error responses. */
const expected = [/401/, /404/, /favicon/];
const enter = (page: Page) => page.getByRole('button', { name: 'Log in with Home account' }).click();
const as = (page: Page, name: string) => page.getByRole('button', { name: `I am ${name}` }).click();
const expectRefused = async (page: Page) => {
  await page.getByRole('main').getByRole('alert').getByText('The identity provider refused the login').waitFor();
  const cookies = await page.context().cookies();
  expect(cookies.filter(({ name }) => name.startsWith('PSAUTH'))).toEqual([]);
};
test('logs in and out through the issuer, and returns to a deep link', async () => {
  issuer.people.set('anna', { groups: ['nurses'] });
  await using visitor = await site.open('/sensors?state=inactive', { expected });
  const { page } = visitor;
  await page.getByRole('button', { name: 'Log in with Home account' }).waitFor();
  await visitor.checkPage('login-oidc');
  await enter(page);
  await as(page, 'anna');
  await page.getByRole('heading', { name: 'Rooms', level: 1 }).waitFor();
  expect(page.url()).toBe(`${site.address}/sensors?state=inactive`);
  const cookies = (await visitor.context.cookies(site.address)).map(({ name }) => name);
  expect(cookies.filter((name) => name.startsWith('PS')).sort()).toEqual(['PSAUTHTOKEN', 'PSCSRF', 'PSUSERID']);
  await page.getByRole('button', { name: 'anna' }).click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await page.getByRole('button', { name: 'Leave' }).click();
  await page.getByRole('heading', { name: 'Log in' }).waitFor();
  expect(page.url()).toContain(`${site.address}`);
  expect((await visitor.context.cookies()).filter(({ name }) => name.startsWith('PS'))).toEqual([]);
  // The issuer session has ended, so the issuer asks for a login.
  await enter(page);
  await page.getByRole('button', { name: 'I am anna' }).waitFor();
});

test('removes lost permissions at the next login, and refuses the login when none are left', async () => {
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
  await expectRefused(third.page);
  await third.checkPage('login-oidc-refused');
  await page.reload();
  await page.getByRole('heading', { name: 'Log in' }).waitFor();
});

test('requires another login through the issuer before an export', async () => {
  issuer.people.set('olga', { groups: ['owners'] });
  await using visitor = await site.open('/personal-data?kind=customer', { expected: [...expected, /403/] });
  const { page, checkPage } = visitor;
  await enter(page);
  await as(page, 'olga');
  await page.getByLabel('Reason').fill('Requested');
  const begin = page.getByRole('button', { name: 'Export', exact: true });
  await begin.click();
  await page.getByRole('alert').getByText('Log in again').waitFor();
  await checkPage('personal-data-login-too-old');
  // The issuer still has a session, but asks again.
  await enter(page);
  await as(page, 'olga');
  await page.waitForURL(/personal-data\?kind=customer$/);
  await page.getByLabel('Reason').fill('Requested');
  await begin.click();
  await waitForNotice(page, 'Export started.');
});

test('refuses a reused response from the issuer', async () => {
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
  await expectRefused(page);
});

test('refuses and invalidates a response in a browser that did not start the login', async () => {
  issuer.people.set('fritz', { groups: ['nurses'] });
  await using visitor = await site.open('', { expected: [...expected, /ERR_FAILED/] });
  const { page } = visitor;
  await page.route('**/users/login/oidc/answer', (route) => route.abort());
  await enter(page);
  await as(page, 'fritz');
  await page.getByRole('main').getByRole('alert').waitFor();
  const address = page.url();
  await using stranger = await site.open(address.slice(site.address.length), { expected });
  await expectRefused(stranger.page);
  await page.unroute('**/users/login/oidc/answer');
  await page.goto(address);
  await expectRefused(page);
});

test('refuses a response with a different nonce', async () => {
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
  await expectRefused(page);
});

test('refuses a response from a different issuer', async () => {
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
  await expectRefused(page);
  await foreign.stop();
});

test('still lets a user log in with a password', async () => {
  const { username, password } = await createHome(site.admin, 'local', []);
  await using visitor = await site.open('', { expected });
  const { page } = visitor;
  await page.locator('input[name=username]').fill(username);
  await page.locator('input[name=password]').fill(password);
  await page.locator('button[type=submit]').click();
  await page.getByRole('banner').waitFor();
});
