import { afterAll, beforeAll, expect, test } from 'vitest';
import { fallMessage, linkSensor } from '../fixtures/home.ts';
import { room } from '../fixtures/messages.ts';
import { type Site, startSite } from './fixtures/site.ts';

let site: Site;
let ruleId: number;
let sensor: string;
beforeAll(async () => {
  site = await startSite('rule-regions');
  const { client } = site.home;
  const { sensorId, device } = await linkSensor(client);
  sensor = sensorId;
  await client.ok('PUT', `/sensors/${sensorId}/room`, room);
  const [region] = await client.ok<{ id: string }[]>('GET', `/sensors/${sensorId}/room/regions`);
  const { id: botId } = await client.ok<{ id: number }>('POST', '/bots', { name: 'Nurse call' });
  const hook = { name: 'Nurse call', url: 'http://127.0.0.1:9/', format: 'full', isCustomerHook: false, botId };
  const { id: webhookId } = await client.ok<{ id: string }>('POST', '/webhooks', hook);
  const texts = { name: 'By the bed', title: 'Fall', message: 'in {region}' };
  const where = { situation: 'fall_detected', sensorId, regionId: region?.id };
  const rule = { ...texts, ...where, recipients: [{ botId, webhookId }] };
  ruleId = (await client.ok<{ id: number }>('POST', '/rules', rule)).id;
  const onTable = { fallLocX_cm: 120, fallLocY_cm: 150 };
  await device.ok('POST', `/devices/${sensorId}/messages`, fallMessage('calling', Date.now(), onTable));
  await site.cloud.idle();
});
afterAll(() => site.stop());

test("shows a fall's region on the sensor page", async () => {
  await using visitor = await site.openLoggedIn(`/sensors/${sensor}?part=events`);
  await visitor.page.getByRole('row', { name: /Fall/ }).getByText('Table, 83 % / 47 %').waitFor();
  await visitor.checkPage('events-in-regions');
});

test('refuses to delete a region from a room while a rule needs it, and names the rule', async () => {
  await using visitor = await site.openLoggedIn(`/sensors/${sensor}`, site.home, { expected: [/409/] });
  const { page } = visitor;
  await page.getByRole('button', { name: 'Edit room' }).click();
  await page.getByRole('button', { name: /^Region Table, / }).click();
  await page.getByRole('button', { name: 'Delete region' }).click();
  await page.getByRole('button', { name: 'Save room' }).click();
  await page.getByText(`Rules use regions missing from this room: "By the bed" (${ruleId})`).first().waitFor();
  await visitor.checkPage('room-with-a-rule');
});

test('offers regions in a rule only for situations that have them', async () => {
  await using visitor = await site.openLoggedIn(`/rules/${ruleId}`);
  const { page, checkPage } = visitor;
  const summary = page.getByRole('region', { name: 'What this rule does' });
  const region = page.getByLabel('Region of the room').first();
  await region.waitFor();
  const name = await region.inputValue();
  expect(name).not.toBe('');
  await summary.getByText(name).waitFor();
  await checkPage('rule-of-a-region');
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
