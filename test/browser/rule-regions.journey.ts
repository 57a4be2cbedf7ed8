import { afterAll, beforeAll, expect, test } from 'vitest';
import { linkSensor } from '../fixtures/home.ts';
import { room } from '../fixtures/messages.ts';
import { type Site, startSite } from './fixtures/site.ts';

let site: Site;
let ruleId: number;
beforeAll(async () => {
  site = await startSite('rule-regions');
  const { client } = site.home;
  const { sensorId } = await linkSensor(client);
  await client.ok('PUT', `/sensors/${sensorId}/room`, room);
  const [region] = await client.ok<{ id: string }[]>('GET', `/sensors/${sensorId}/room/regions`);
  const { id: botId } = await client.ok<{ id: number }>('POST', '/bots', { name: 'Nurse call' });
  const hook = { name: 'Nurse call', url: 'http://127.0.0.1:9/', format: 'full', isCustomerHook: false, botId };
  const { id: webhookId } = await client.ok<{ id: string }>('POST', '/webhooks', hook);
  const texts = { name: 'By the bed', title: 'Fall', message: 'in {region}' };
  const where = { situation: 'fall_detected', sensorId, regionId: region?.id };
  const rule = { ...texts, ...where, recipients: [{ botId, webhookId }] };
  ruleId = (await client.ok<{ id: number }>('POST', '/rules', rule)).id;
});
afterAll(() => site.stop());

test('a rule of falls says its region, and one of the whole room offers none', async () => {
  await using visitor = await site.openLoggedIn(`/rules/${ruleId}`);
  const { page, look } = visitor;
  const says = page.getByRole('region', { name: 'What the rule says' });
  const region = page.getByLabel('Region of its room').first();
  await region.waitFor();
  const name = await region.inputValue();
  expect(name).not.toBe('');
  await says.getByText(name).waitFor();
  await look('rule-of-a-region');
  await page.getByLabel('Situation').first().click();
  await page.getByRole('option', { name: 'Room empty' }).click();
  await region.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('link', { name: 'By the bed' }).waitFor();
  expect(await site.home.client.ok('GET', `/rules/${ruleId}`)).toMatchObject({
    situation: 'empty_room',
    regionId: null,
  });
});
