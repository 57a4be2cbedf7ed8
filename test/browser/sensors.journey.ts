import { afterAll, beforeAll, expect, test } from 'vitest';
import { furnish, type Site, startSite, waitingDevice } from './fixtures/site.ts';

let site: Site;
let sensorId: string;
beforeAll(async () => {
  site = await startSite('sensors');
  ({ sensorId } = await furnish(site));
});
afterAll(() => site.stop());

test('the overview tells who is on the floor, and leads there', async () => {
  await using visitor = await site.openLoggedIn();
  const { page } = visitor;
  const fall = page.getByRole('region', { name: 'On the floor now' }).getByRole('link', { name: 'Room 12, Süd' });
  await fall.waitFor();
  expect(await page.title()).toBe('(1) Overview · Console');
  await visitor.look('overview');
  await fall.click();
  await page.getByRole('heading', { name: 'Room 12, Süd' }).waitFor();
});

test('nobody on the floor is overlooked while the service has trouble, and what is old says so', async () => {
  await using visitor = await site.openLoggedIn('/account', site.home, { expected: [/500/] });
  const { page } = visitor;
  const broken = { status: 500, contentType: 'application/json', body: '{"message":"broken","statusCode":500}' };
  await page.route('**/status', (route) => route.fulfill(broken));
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByRole('link', { name: 'Room 12, Süd' }).waitFor();
  await page.route('**/rule-hits*', (route) => route.fulfill(broken));
  await page.getByText('Not up to date').first().waitFor();
  expect(await page.getByText('Nobody is known').count()).toBe(0);
});

test('a sensor is linked by its code, and is in the list then', async () => {
  const { pairingCode } = await waitingDevice(site);
  await using visitor = await site.openLoggedIn('/sensors');
  const { page } = visitor;
  await page.getByRole('button', { name: 'Link a sensor' }).click();
  await page.getByRole('textbox', { name: 'Pairing code' }).fill(pairingCode);
  await visitor.look('sensors-link');
  await page.getByRole('dialog').getByRole('button', { name: 'Link a sensor' }).click();
  await page.getByText('The sensor is linked.').waitFor();
  await page.getByRole('row').nth(2).waitFor();
  await visitor.look('sensors');
});

test('the list is searched and sorted by the API, and the address says how', async () => {
  await using visitor = await site.openLoggedIn('/sensors');
  const { page } = visitor;
  await page.getByRole('searchbox').fill('süd');
  await page.waitForURL(/search=s/);
  await page.getByRole('button', { name: 'Name' }).click();
  await page.waitForURL(/sort=desc/);
  await page.getByRole('link', { name: 'Room 12, Süd' }).waitFor();
  await page.getByRole('searchbox').fill('nobody');
  await page.getByText('No sensor is like that.').waitFor();
});

test('the room is drawn to scale, with its regions and where somebody fell', async () => {
  await using visitor = await site.openLoggedIn(`/sensors/${sensorId}`);
  const { page } = visitor;
  const room = page.getByRole('group', { name: 'Room, seen from above' });
  await room.getByRole('img', { name: /^Bed, 110 × 200 cm/ }).waitFor();
  await room
    .getByRole('img', { name: /^Fall, / })
    .first()
    .waitFor();
  await visitor.look('sensor-room');
});

test('a region is drawn by mouse, moved by keys, and saved', async () => {
  await using visitor = await site.openLoggedIn(`/sensors/${sensorId}`);
  const { page } = visitor;
  await page.getByRole('button', { name: 'Change the room' }).click();
  const box = await page.locator('rect.floor').boundingBox();
  if (!box) throw new Error('the room is not drawn');
  const at = (x: number, y: number) => [box.x + box.width * x, box.y + box.height * y] as const;
  await page.mouse.move(...at(0.6, 0.6));
  await page.mouse.down();
  await page.mouse.move(...at(0.8, 0.8));
  await page.mouse.up();
  const drawn = page.getByRole('button', { name: /^Region, / });
  await drawn.focus();
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Shift+ArrowRight');
  await page.getByRole('textbox', { name: 'Name' }).fill('Chair');
  await visitor.look('sensor-room-editing');
  await page.getByRole('button', { name: 'Save the room' }).click();
  await page.getByText('The room is saved.').waitFor();
  const { regions } = await site.home.client.ok<{ regions: { name: string; topLeftX: number }[] }>(
    'GET',
    `/sensors/${sensorId}/room`,
  );
  const chair = regions.find(({ name }) => name === 'Chair');
  expect(chair?.topLeftX).toBeGreaterThan(0);
  expect(regions).toHaveLength(3);
});

test.each(['activity', 'events', 'hits', 'config'])('the part %s of a sensor', async (part) => {
  await using visitor = await site.openLoggedIn(`/sensors/${sensorId}?part=${part}`);
  await visitor.page.getByRole('tabpanel').locator('svg, table, form').first().waitFor();
  await visitor.look(`sensor-${part}`);
});

test('a configuration is made of the contract, and saved', async () => {
  await using visitor = await site.openLoggedIn(`/sensors/${sensorId}?part=config`, site.home, { expected: [/400/] });
  const { page } = visitor;
  const volume = page.getByRole('textbox', { name: 'Volume' });
  await volume.fill('30');
  await page.getByText('beep on a fall; 0 is off · 0 to 100 · default 0').waitFor();
  await page.getByRole('textbox', { name: 'Name' }).fill('x');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => page.getByRole('textbox', { name: 'Name' }).getAttribute('aria-invalid')).toBe('true');
  await page.getByRole('textbox', { name: 'Name' }).fill('Room 12, Süd');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The configuration is saved.').waitFor();
  const config = await site.home.client.ok('GET', `/sensors/${sensorId}/maker_a/config/basic`);
  expect(config).toMatchObject({ volume: 30, name: 'Room 12, Süd' });
});

test('somebody says that a hit was a false alarm', async () => {
  await using visitor = await site.openLoggedIn(`/sensors/${sensorId}?part=hits`);
  const { page } = visitor;
  await page.getByRole('button', { name: 'Say what it was' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('It was').selectOption('FALSE_POSITIVE');
  await dialog.getByLabel('Reason').fill('dog');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('cell').getByText('a false alarm').waitFor();
});
