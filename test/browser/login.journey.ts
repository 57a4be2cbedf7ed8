import { afterAll, beforeAll, expect, test } from 'vitest';
import { ALL_PERMISSIONS, createHome, hireFor } from '../fixtures/home.ts';
import { furnish, type Site, startSite } from './fixtures/site.ts';
import { logInOn } from './fixtures/visitor.ts';

const mails: string[] = [];
let site: Site;
beforeAll(async () => {
  site = await startSite('login', { say: (mail) => mails.push(mail) });
});
afterAll(() => site.stop());

test('whoever opens a deep link logs in there, and is where the link leads', async () => {
  await using visitor = await site.open('/sensors?state=inactive');
  const { page } = visitor;
  await visitor.look('login');
  await logInOn(page, site.home);
  await page.getByRole('heading', { name: 'Sensors', level: 1 }).waitFor();
  expect(page.url()).toBe(`${site.address}/sensors?state=inactive`);
});

test('a wrong password is told, and changes nothing', async () => {
  await using visitor = await site.open('', { expected: [/401/] });
  const { page } = visitor;
  await page.getByRole('textbox', { name: 'Username' }).fill(site.home.username);
  await page.getByLabel('Password', { exact: false }).first().fill('wrong');
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('alert').waitFor();
  await page.getByRole('button', { name: 'Log in' }).waitFor();
});

test('a session that ends leads to the login, and back to the same place', async () => {
  await using visitor = await site.openLoggedIn('/account', site.home, { expected: [/401/] });
  const { page } = visitor;
  await page.getByRole('heading', { name: 'Access tokens' }).waitFor();
  const [session] = (await visitor.context.cookies()).filter(({ name }) => name === 'PSAUTHTOKEN');
  await site.admin.as(session?.value).ok('POST', '/users/logout');
  await page.getByRole('button', { name: 'New access token' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Dashboard');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByText('Your session has ended').waitFor();
  await visitor.look('login-again');
  await logInOn(page, site.home);
  await page.getByRole('heading', { name: 'Access tokens' }).waitFor();
});

test('whoever logs out sees the login, and the next one nothing of what was there', async () => {
  // What the page asked for a moment before is answered after the session has ended.
  await using visitor = await site.openLoggedIn('/account', site.home, { expected: [/401/] });
  const { page } = visitor;
  await page.getByRole('button', { name: site.home.username }).click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await page.getByRole('heading', { name: 'Log in' }).waitFor();
  expect((await visitor.context.cookies()).filter(({ name }) => name.startsWith('PS'))).toEqual([]);
});

test('where somebody else logged in meanwhile, by another tab, nothing stays of the one before', async () => {
  await furnish(site, 'Room of the first');
  const other = await createHome(site.admin, 'other', ALL_PERMISSIONS);
  // What the page asks for the one before is refused to the other one.
  await using visitor = await site.openLoggedIn('/sensors', site.home, { expected: [/403/] });
  const { page, context } = visitor;
  await page.clock.install();
  await page.reload();
  await page.getByText('Room of the first').first().waitFor();
  const { username, password } = other;
  await context.request.post(`${site.cloud.url}/users/login`, { data: { username, password } });
  // What the other one may see instead is never answered: only what was kept could be shown.
  await page.route(/\/api\/v1\/(?!users|console)/, () => {});
  await page.clock.fastForward(61_000);
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
  await page.getByRole('banner').getByText(username).waitFor();
  expect(await page.getByText('Room of the first').count()).toBe(0);
});

test('who forgot the password sets another by the code of a mail', async () => {
  const { username } = await hireFor(site.admin, site.home.customerId, 'forgetful', { email: 'f@example.com' });
  await using visitor = await site.open();
  const { page } = visitor;
  await page.getByRole('link', { name: 'Forgot your password?' }).click();
  await page.getByRole('textbox', { name: 'Username' }).fill(username);
  await visitor.look('reset');
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
