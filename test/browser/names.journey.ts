import { afterAll, beforeAll, expect, test } from 'vitest';
import { ADMIN_PASSWORD } from '../fixtures/cloud.ts';
import { ALL_PERMISSIONS, createAlarm, hireFor, linkSensor } from '../fixtures/home.ts';
import { type Site, startSite } from './fixtures/site.ts';

/** Names with markup, and names in other scripts, one of them right-to-left. */
const names = ['<img src=x onerror=alert(1)><b>bold</b>', 'חדר 12', 'Ærø 部屋 🛏️', '{sensor}</script><script>alert(2)'];

let site: Site;
let ids: { ruleId: number; webhookId: string; groupId: number };
beforeAll(async () => {
  site = await startSite('names');
  const { client, customerId } = site.home;
  const { rule, webhook } = await createAlarm(client, site.receiver.url);
  const sensor = await linkSensor(client);
  let groupId = 0;
  for (const name of names) {
    const group = await client.ok<{ id: number }>('POST', '/sensor-groups', { name, sensorIds: [sensor.sensorId] });
    groupId = group.id;
    await client.ok('POST', '/bots', { name });
    await client.ok('PUT', `/webhooks/${webhook.id}`, { ...(await client.ok('GET', `/webhooks/${webhook.id}`)), name });
    const before = await client.ok('GET', `/rules/${rule.id}`);
    await client.ok('PUT', `/rules/${rule.id}`, { ...before, name, sensorGroupId: groupId });
  }
  await client.ok('PUT', `/customers/${customerId}`, { name: names[0], location: names[1], email: '' });
  ids = { ruleId: rule.id, webhookId: webhook.id, groupId };
});
afterAll(() => site.stop());

test('shows names in any script verbatim, without interpreting markup', { timeout: 90_000 }, async () => {
  // The pages are opened faster than a person would open them, so the console runs into rate limits and retries.
  await using visitor = await site.openLoggedIn('/groups', site.home, { expected: [/429/] });
  const { page, checkPage } = visitor;
  for (const name of names) await page.getByRole('link', { name, exact: true }).waitFor();
  await checkPage('groups');
  const { ruleId, webhookId, groupId } = ids;
  const last = names.at(-1) ?? '';
  for (const path of [`/groups/${groupId}`, '/bots', '/rules', `/rules/${ruleId}`, `/webhooks/${webhookId}`]) {
    await page.goto(site.address + path);
    await page.getByText(last, { exact: true }).first().waitFor();
    expect(await page.locator('main img, main b, main script').count()).toBe(0);
  }
  await page.goto(`${site.address}/rules/${ruleId}`);
  await page.getByRole('region', { name: 'What this rule does' }).getByText(`in the group ${last}`).waitFor();
  await checkPage('rule');
});

test("shows a customer's name verbatim to a system admin who erases it", async () => {
  const path = `/personal-data?customer=${site.home.customerId}&kind=customer`;
  await using visitor = await site.openLoggedIn(path, { username: 'admin', password: ADMIN_PASSWORD });
  const { page } = visitor;
  await page
    .getByRole('textbox', { name: 'Customer' })
    .and(page.locator(`[value="${names[0]}"]`))
    .waitFor();
  await page.getByRole('radiogroup').getByText('Erase', { exact: true }).click();
  await page.getByLabel('Reason').fill(names.at(-1) ?? '');
  await page.getByRole('button', { name: 'Erase', exact: true }).click();
  const question = page.getByRole('dialog', { name: `Erase “${names[0]}” permanently?` });
  await question.waitFor();
  expect(await question.locator('img, b').count()).toBe(0);
  await question.getByRole('button', { name: 'Cancel' }).click();
});

test('pages are read-only without the right permissions, and name the missing ones', {
  timeout: 90_000,
}, async () => {
  const reader = await hireFor(site.admin, site.home.customerId, 'reader');
  await using visitor = await site.openLoggedIn('/rules', reader);
  const { page, checkPage } = visitor;
  await page.getByRole('link', { name: names.at(-1) ?? '', exact: true }).click();
  await page.getByText('Permission required: “Manage rules”.').waitFor();
  expect(await page.getByRole('button', { name: /Save|Delete/ }).count()).toBe(0);
  await checkPage('rule-reader');
  const entries = await page.getByRole('navigation').getByRole('link').allTextContents();
  expect(entries).toEqual([
    'Station',
    'Alarms',
    'Handover',
    'Rooms',
    'Floor plan',
    'Groups',
    'Reports',
    'Roster',
    'Rules',
  ]);
  const needed = {
    '/webhooks': '“Manage the customer” or “Manage bots”',
    '/bots': '“Manage bots”',
    '/users': '“Manage users”',
    '/customers': '“Manage the customer”',
    '/personal-data': '“Manage the customer”',
    '/deliveries': '“Manage the customer”, “Manage bots”, or “Manage rules”',
  };
  for (const [path, names] of Object.entries(needed)) {
    await page.goto(site.address + path);
    await page.getByText(`Permission required: ${names}. A system admin`).waitFor();
  }
  await checkPage('refused');
  await page.goto(`${site.address}/firmwares`);
  await page.getByText('Only system admins can do this.').waitFor();
  await page.goto(`${site.address}/nowhere`);
  await page.getByText('This page does not exist.').waitFor();
  await page.goto(`${site.address}/groups`);
  await page.getByRole('table').waitFor();
  expect(await page.getByRole('link', { name: 'New group' }).count()).toBe(0);
});

test('shows rules, webhooks and deliveries in German to a German user', {
  timeout: 90_000,
}, async () => {
  const { admin, home } = site;
  const german = { locale: 'de', permissions: ALL_PERMISSIONS };
  const user = await hireFor(admin, home.customerId, 'nachtwache', german);
  const { ruleId, webhookId } = ids;
  await using visitor = await site.openLoggedIn(`/rules/${ruleId}`, user);
  const { page, checkPage } = visitor;
  await page.getByRole('switch', { name: 'Nur zu bestimmten Zeiten' }).check();
  await page
    .getByRole('region', { name: 'Was diese Regel bewirkt' })
    .getByText('„Sturz erkannt“ bei einem Sensor der Gruppe')
    .waitFor();
  await page.getByText('jeden Tag von 21:00 bis 06:00 (Europe/Berlin)').waitFor();
  await checkPage('german-rule');
  await page.goto(`${site.address}/webhooks/${webhookId}`);
  await page.getByText('Geschlossen: Alle Zustellungen werden sofort gesendet.').waitFor();
  await checkPage('german-webhook');
  await page.getByRole('link', { name: 'Zustellungen anzeigen' }).click();
  await page.getByText('Keine Zustellungen in den letzten 24 Stunden').waitFor();
});

test('fits every page on a phone screen', { timeout: 90_000 }, async () => {
  const { ruleId, webhookId, groupId } = ids;
  await using visitor = await site.openLoggedIn('/rules', site.home, { viewport: { width: 390, height: 844 } });
  const { page, checkPage } = visitor;
  const paths = {
    groups: '/groups',
    group: `/groups/${groupId}`,
    rules: '/rules',
    rule: `/rules/${ruleId}`,
    bots: '/bots',
    webhooks: '/webhooks',
    webhook: `/webhooks/${webhookId}`,
    'new-webhook': '/webhooks/new',
    deliveries: `/deliveries/${webhookId}`,
    users: '/users',
    'new-user': '/users/new',
    'personal-data': '/personal-data',
  };
  for (const [name, path] of Object.entries(paths)) {
    await page.goto(site.address + path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForLoadState('networkidle');
    expect([name, await page.evaluate<number>('document.documentElement.scrollWidth')]).toEqual([name, 390]);
    await checkPage(`phone-${name}`);
  }
});
