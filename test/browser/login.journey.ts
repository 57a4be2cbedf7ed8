import { afterAll, beforeAll, expect, test } from 'vitest';
import { ALL_PERMISSIONS, createHome, hireFor } from '../fixtures/home.ts';
import { createRoom, type Site, startSite } from './fixtures/site.ts';
import { logInOn } from './fixtures/visitor.ts';

const mails: string[] = [];
let site: Site;
beforeAll(async () => {
  site = await startSite('login', { say: (mail) => mails.push(mail) });
});
afterAll(() => site.stop());

test('returns to a deep link after the login', async () => {
  await using visitor = await site.open('/sensors?state=inactive');
  const { page } = visitor;
  await visitor.checkPage('login');
  await logInOn(page, site.home);
  await page.getByRole('heading', { name: 'Rooms', level: 1 }).waitFor();
  expect(page.url()).toBe(`${site.address}/sensors?state=inactive`);
});

test('reports a wrong password', async () => {
  await using visitor = await site.open('', { expected: [/401/] });
  const { page } = visitor;
  await page.getByRole('textbox', { name: 'Username' }).fill(site.home.username);
  await page.getByLabel('Password', { exact: false }).first().fill('wrong');
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('alert').waitFor();
  await page.getByRole('button', { name: 'Log in' }).waitFor();
});

test('returns to the same page when the user logs in again after the session has ended', async () => {
  await using visitor = await site.openLoggedIn('/account', site.home, { expected: [/401/] });
  const { page } = visitor;
  await page.getByRole('heading', { name: 'Access tokens' }).waitFor();
  const [session] = (await visitor.context.cookies()).filter(({ name }) => name === 'PSAUTHTOKEN');
  await site.admin.as(session?.value).ok('POST', '/users/logout');
  await page.getByRole('button', { name: 'New access token' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Dashboard');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { name: 'NOT WATCHED' }).waitFor();
  await page.getByText(/^Logged out at /).waitFor();
  await visitor.checkPage('login-again');
  await logInOn(page, site.home);
  await page.getByRole('heading', { name: 'Access tokens' }).waitFor();
});

test('clears the cookies and shows the login page after a logout', async () => {
  // The page's pending requests are answered after the session has ended.
  await using visitor = await site.openLoggedIn('/account', site.home, { expected: [/401/] });
  const { page } = visitor;
  await page.getByRole('button', { name: 'A B' }).click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await page.getByRole('heading', { name: 'Log in' }).waitFor();
  expect((await visitor.context.cookies()).filter(({ name }) => name.startsWith('PS'))).toEqual([]);
});

test("clears the previous user's data when someone else logs in from another tab", async () => {
  await createRoom(site, 'Room of the first');
  const other = await createHome(site.admin, 'other', ALL_PERMISSIONS);
  const me = await other.client.ok<object>('GET', '/users/me');
  await other.client.ok('PUT', '/users/me', { ...me, firstName: 'Other' });
  // Requests for the previous user are refused with 403 in the other user's session.
  await using visitor = await site.openLoggedIn('/sensors', site.home, { expected: [/403/] });
  const { page, context } = visitor;
  await page.clock.install();
  await page.reload();
  await page.getByText('Room of the first').first().waitFor();
  const { username, password } = other;
  await context.request.post(`${site.cloud.url}/users/login`, { data: { username, password } });
  // Requests for data never get a response after the other user has logged in, so only cached data could be shown.
  await page.route(/\/api\/v1\/(?!users|console)/, () => {});
  await page.clock.fastForward(61_000);
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
  await page.getByRole('banner').getByText('Other B').waitFor();
  expect(await page.getByText('Room of the first').count()).toBe(0);
});

test('resets a forgotten password with a code from an email', async () => {
  const { username } = await hireFor(site.admin, site.home.customerId, 'forgetful', { email: 'f@example.com' });
  await using visitor = await site.open();
  const { page } = visitor;
  await page.getByRole('link', { name: 'Forgot your password?' }).click();
  await page.getByRole('textbox', { name: 'Username' }).fill(username);
  await visitor.checkPage('reset');
  await page.getByRole('button', { name: 'Send code' }).click();
  await expect.poll(() => mails.length).toBe(1);
  const code = /^\S{20,}$/m.exec(mails[0] ?? '')?.[0] ?? '';
  await page.getByRole('textbox', { name: 'Code from the email' }).fill(code);
  const password = 'three-new-words';
  await page.locator('input[name=newPassword]').fill(password);
  await page.getByRole('button', { name: 'Set password' }).click();
  await page.getByRole('heading', { name: 'Log in' }).waitFor();
  await logInOn(page, { username, password });
});
