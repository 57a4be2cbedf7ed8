import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHome, hireFor } from '../fixtures/home.ts';
import { appCode } from '../fixtures/otp.ts';
import { waitForNotice } from './fixtures/fields.ts';
import { type Site, startSite } from './fixtures/site.ts';
import { logInOn, type Visitor } from './fixtures/visitor.ts';

let site: Site;
beforeAll(async () => {
  site = await startSite('factors');
});
afterAll(() => site.stop());

/** Sets up the second factor on the current page. Returns the secret and the recovery codes. */
const setUp = async ({ page, checkPage }: Visitor, name: string) => {
  await page.getByRole('button', { name: 'Set up second factor' }).click();
  await page.getByRole('img', { name: 'QR code' }).waitFor();
  await checkPage(`${name}-picture`);
  const secret = await page.getByRole('region', { name: 'Secret' }).locator('pre').innerText();
  await page.locator('input[name=otp]').fill(await appCode(secret, Date.now()));
  await page.getByRole('button', { name: 'Turn on' }).click();
  const codes = (await page.getByRole('region', { name: 'Recovery codes' }).locator('pre').innerText()).split('\n');
  await checkPage(`${name}-codes`);
  await page.getByRole('button', { name: 'I have saved them' }).click();
  return { secret, codes };
};

test('sets up a second factor, logs in with a recovery code, and removes the second factor', async () => {
  const user = await hireFor(site.admin, site.home.customerId, 'careful');
  await using visitor = await site.openLoggedIn('/account', user, { expected: [/401/] });
  const { page } = visitor;
  const { secret, codes } = await setUp(visitor, 'otp');
  expect(codes).toHaveLength(10);
  await page.getByText('The second factor is on.').waitFor();
  expect(await page.content()).not.toContain(secret);
  await page.getByRole('button', { name: 'A B' }).click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await page.locator('input[name=username]').fill(user.username);
  await page.locator('input[name=password]').fill(user.password);
  await page.getByRole('button', { name: 'Log in' }).click();
  const code = page.locator('input[name=otp]');
  await code.waitFor();
  await visitor.checkPage('login-code');
  await code.fill('000000');
  await page.getByRole('button', { name: 'Log in' }).click();
  await waitForNotice(page, 'The login details are not valid');
  await code.fill(codes[0] ?? '');
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByText('The second factor is on.').waitFor();
  await page.locator('input[name=password]').fill(user.password);
  await page.getByRole('button', { name: 'Remove second factor' }).click();
  await logInOn(page, user);
  await page.getByRole('button', { name: 'Set up second factor' }).waitFor();
});

test('requires a second factor when the customer enforces it, and then returns to the deep link', async () => {
  const home = await createHome(site.admin, 'strict', ['manage_customers', 'manage_users']);
  {
    await using visitor = await site.openLoggedIn('/customers', home);
    await visitor.page.getByLabel('Require a second factor').check();
    await visitor.page.getByRole('button', { name: 'Save' }).click();
    await waitForNotice(visitor.page, 'Saved.');
  }
  const user = { ...(await hireFor(site.admin, home.customerId, 'newcomer')) };
  await using visitor = await site.open('/sensors');
  const { page } = visitor;
  await page.locator('input[name=username]').fill(user.username);
  await page.locator('input[name=password]').fill(user.password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByText('Your account requires a second factor.').waitFor();
  await setUp(visitor, 'otp-first');
  await page.getByRole('heading', { name: 'Rooms', level: 1 }).waitFor();
});

test("lists a user's sessions, and ends one in another browser", async () => {
  const user = await hireFor(site.admin, site.home.customerId, 'everywhere');
  await using visitor = await site.openLoggedIn('/account', user);
  const { page } = visitor;
  const sessions = page.getByRole('table', { name: 'Sessions' });
  await sessions.getByText('This session').waitFor();
  await visitor.checkPage('sessions');
  await sessions.getByRole('button', { name: 'End session' }).click();
  await waitForNotice(page, 'Session ended.');
  expect((await user.client.call('GET', '/users/me')).status).toBe(401);
});

test('lets a manager remove the second factor for a user who lost their phone', async () => {
  const user = await hireFor(site.admin, site.home.customerId, 'loser');
  const { secret } = await user.client.ok<{ secret: string }>('POST', '/users/me/otp');
  await user.client.ok('PUT', '/users/me/otp', { otp: await appCode(secret, Date.now()) });
  await using visitor = await site.openLoggedIn(`/users/${user.id}`);
  await visitor.page.getByRole('button', { name: 'Remove second factor' }).click();
  await waitForNotice(visitor.page, 'Second factor removed');
  expect(await site.admin.ok('GET', `/users/${user.id}`)).toMatchObject({ hasOtp: false });
});
