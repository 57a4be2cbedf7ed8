import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Site, startSite } from './fixtures/site.ts';

let site: Site;
let ruleId: number;
let webhookIds: string[];
beforeAll(async () => {
  site = await startSite('escalation');
  const { client } = site.home;
  const { id: botId } = await client.ok<{ id: number }>('POST', '/bots', { name: 'Nurse call' });
  const addHook = async (name: string) => {
    const hook = { name, url: 'http://127.0.0.1:9/', format: 'full', isCustomerHook: false, botId };
    return (await client.ok<{ id: string }>('POST', '/webhooks', hook)).id;
  };
  webhookIds = [await addHook('Nurse call'), await addHook('Night shift')];
  const texts = { name: 'Falls', title: 'Fall', message: 'at {sensor}', situation: 'fall_detected' };
  const rule = { ...texts, recipients: [{ botId, webhookId: webhookIds[0] }] };
  ruleId = (await client.ok<{ id: number }>('POST', '/rules', rule)).id;
});
afterAll(() => site.stop());

test('adds an escalation step and repeats to a rule, describes both and saves them', async () => {
  await using visitor = await site.openLoggedIn(`/rules/${ruleId}`);
  const { page, checkPage } = visitor;
  const says = page.getByRole('region', { name: 'What this rule does' });
  await page.getByRole('button', { name: 'Add escalation step' }).click();
  const step = page.getByRole('group', { name: 'Step 1, if nobody acknowledges' });
  await page.getByRole('button', { name: 'Save' }).click();
  await step.getByText('Choose at least one recipient.').waitFor();
  await step.getByLabel('Also notify').first().click();
  await page.getByRole('option', { name: 'Night shift' }).click();
  await page.keyboard.press('Escape');
  await step.getByLabel('Seconds after the alarm').fill('120');
  await page.getByLabel('Repeat interval (seconds)').fill('600');
  await page.getByLabel('Continue until somebody acknowledges, even when the situation is over').click();
  await says.getByText('If nobody has acknowledged after 2 minutes, it also notifies Night shift.').waitFor();
  await says.getByText('Then it notifies everybody again every 10 minutes, at most 20 times.').waitFor();
  await says.getByText('It stops when the situation is over.').waitFor();
  await checkPage('rule-that-escalates');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('link', { name: 'Falls' }).waitFor();
  const kept = { repeatSeconds: 600, untilAcknowledged: false };
  const escalation = [{ afterSeconds: 120, recipients: [{ webhookId: webhookIds[1] }] }];
  expect(await site.home.client.ok('GET', `/rules/${ruleId}`)).toMatchObject({ ...kept, escalation });
});

test('removes an escalation step from a rule', async () => {
  await using visitor = await site.openLoggedIn(`/rules/${ruleId}`);
  const { page } = visitor;
  await page.getByRole('button', { name: 'Remove step' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('link', { name: 'Falls' }).waitFor();
  expect(await site.home.client.ok('GET', `/rules/${ruleId}`)).toMatchObject({ escalation: [], repeatSeconds: 600 });
});

test('sends a test to each rule recipient, and shows the results', async () => {
  await using visitor = await site.openLoggedIn(`/rules/${ruleId}`);
  const { page, checkPage } = visitor;
  const section = page.getByRole('region', { name: 'Test rule' });
  await section.getByRole('button', { name: 'Test rule' }).click();
  // Nothing is listening at this webhook's URL.
  await section
    .getByRole('listitem')
    .filter({ hasText: 'Nurse call' })
    .getByText(/^immediately · Retrying/)
    .waitFor();
  await checkPage('rule-that-is-section');
  expect(await section.getByRole('listitem').count()).toBe(1);
});
