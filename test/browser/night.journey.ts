import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAlarm, fallMessage, hireFor, linkSensor } from '../fixtures/home.ts';
import { a } from '../fixtures/messages.ts';
import { type Site, startSite } from './fixtures/site.ts';

let site: Site;
beforeAll(async () => {
  site = await startSite('night');
  await createAlarm(site.home.client, site.receiver.url);
});
afterAll(() => site.stop());

type Linked = Awaited<ReturnType<typeof linkSensor>>;
/** A sensor that is heard of, in a room with a name. */
const roomOf = async (name: string): Promise<Linked> => {
  const { client } = site.home;
  const sensor = await linkSensor(client);
  const at = `/sensors/${sensor.sensorId}/maker_a/config/basic`;
  await client.ok('PUT', at, { ...(await client.ok<object>('GET', at)), name });
  await say(sensor, a.presence(true));
  return sensor;
};
const say = async ({ device, sensorId }: Linked, message: object): Promise<void> => {
  await device.ok('POST', `/devices/${sensorId}/messages`, message);
  await site.cloud.idle();
};
const nurse = (username: string, firstName: string) =>
  hireFor(site.admin, site.home.customerId, username, { firstName, lastName: 'Meier', permissions: [] });

test('an alarm stays until somebody goes, whom every browser names, and until somebody says what it was', {
  timeout: 90_000,
}, async () => {
  const room = await roomOf('Room 12, Süd');
  const [anna, ben] = [await nurse('anna', 'Anna'), await nurse('ben', 'Ben')];
  await using first = await site.openLoggedIn('', anna);
  await using second = await site.openLoggedIn('', ben);
  const openOf = ({ page }: typeof first) => page.getByRole('region', { name: 'Open alarms' });
  await openOf(first).getByText('No open alarm.').waitFor();
  const start = Date.now();
  await say(room, fallMessage('calling', start));
  // The fall ends by itself, and the alarm does not.
  await say(room, fallMessage('finished', start));
  const card = openOf(first).getByRole('listitem').filter({ hasText: 'Room 12, Süd' });
  await card.getByText(/Nurse call: told at/).waitFor();
  await openOf(second).getByRole('link', { name: 'Room 12, Süd' }).waitFor();
  expect(await first.page.title()).toBe('(1) Overview · Sensor Cloud');
  expect(await first.page.locator('link[rel=icon]').getAttribute('href')).toContain('%3E1%3C%2Ftext');
  await first.look('night-alarm');

  await card.getByRole('button', { name: "I'll go" }).click();
  const taken = (of: typeof first) => of.page.getByRole('region', { name: 'Taken care of' });
  await taken(first).getByText('Anna Meier').waitFor();
  await taken(second).getByText('Anna Meier').waitFor();
  await openOf(second).getByText('No open alarm.').waitFor();
  expect(await first.page.title()).toBe('Overview · Sensor Cloud');
  await first.look('night-taken');
  expect(await taken(second).getByRole('button', { name: 'I do not go' }).count()).toBe(0);

  await taken(first).getByRole('button', { name: 'a false alarm' }).click();
  const shift = second.page.getByRole('region', { name: 'Answered in the last 12 hours' });
  await shift.getByText('It was a false alarm').waitFor();
  await shift.getByText('Anna Meier').waitFor();
  expect(await taken(second).count()).toBe(0);
  await second.look('night-answered');
});
