import { afterAll, beforeAll, expect, test } from 'vitest';
import { store } from '#shared/store/store.ts';
import { nameBedroom } from '../fixtures/bedroom.ts';
import { createAlarm, fallMessage, hireFor, linkSensor } from '../fixtures/home.ts';
import { type Site, startSite } from './fixtures/site.ts';
import { visit } from './fixtures/visitor.ts';

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const words = {
  'en-GB': { go: "I'm on it", open: 'Nobody is on it', mine: "You're on it", back: "I can't go after all" },
  'de-DE': {
    go: 'Ich gehe hin',
    open: 'Niemand geht hin',
    mine: 'Sie gehen hin',
    back: 'Ich kann doch nicht hingehen',
  },
} as const;

const said: string[] = [];
let site: Site;
beforeAll(async () => {
  site = await startSite('acknowledge', { say: (line) => void said.push(line) });
});
afterAll(() => site.stop());

/** Reports a fall in a room. Returns the acknowledgement links for two colleagues and for a webhook. */
const fallIn = async (room: string, region: string) => {
  const { admin, home, cloud, receiver } = site;
  const { client, customerId } = home;
  const { sensorId, device } = await linkSensor(client);
  await nameBedroom({ admin, client, customerId, sensorId }, { home: 'Maple House', room, region });
  await createAlarm(client, receiver.url);
  const people = await Promise.all(
    ['Nora', 'Jonas'].map(async (firstName) => {
      const name = `${firstName}-${said.length}`.toLowerCase();
      const { id } = await hireFor(admin, customerId, name, { firstName, lastName: '' });
      const address = `${name}@example.com`;
      const channel = { by: 'email', address, provenDate: Date.now() } as const;
      await store(cloud.runtime.table).channels.put({ customerId, userId: id }, channel, null);
      return { id, address };
    }),
  );
  const recipients = people.map(({ id }) => ({ userId: id, by: 'email' }));
  const texts = { name: room, title: 'Fall', message: '{sensor}', situation: 'fall_detected' };
  const { id } = await client.ok<{ id: number }>('POST', '/rules', { ...texts, recipients });
  await device.ok('POST', `/devices/${sensorId}/messages`, fallMessage('calling', Date.now() - 3 * 60_000));
  await cloud.idle();
  await client.ok('DELETE', `/rules/${id}`);
  const linkTo = (address: string): string =>
    /http\S+\/acknowledge\/\S+/.exec(said.findLast((line) => line.includes(` to ${address}:`)) ?? '')?.[0] ?? 'none';
  const { acknowledgeUrl } = JSON.parse(receiver.received.at(-1)?.body ?? '') as { acknowledgeUrl: string };
  return { links: people.map(({ address }) => linkTo(address)), webhookLink: acknowledgeUrl };
};

test.each([
  ['light', 'en-GB', 'Room 106, south wing', 'beside the bed'],
  ['dark', 'en-GB', 'Room 107', 'bathroom door'],
  ['light', 'de-DE', 'Zimmer 12, Süd', 'neben dem Bett'],
  ['dark', 'de-DE', 'Aufenthaltsraum mit Wintergarten', 'Sitzecke'],
] as const)(
  'the acknowledgement page is readable and usable on a phone in %s mode with locale %s',
  async (colorScheme, locale, room, region) => {
    const { links, webhookLink } = await fallIn(room, region);
    const [nora = '', jonas = ''] = links;
    const { go, open, mine, back } = words[locale];
    const suffix = `${locale.slice(0, 2)}-${colorScheme}`;
    await using visitor = await visit(nora, { ...PHONE, colorScheme, locale });
    const { page, checkPage } = visitor;
    await page.getByRole('heading', { name: open }).waitFor();
    await checkPage(`acknowledge-${suffix}`);
    await page.getByRole('button', { name: go }).tap();
    await page.getByRole('heading', { name: mine }).waitFor();
    await checkPage(`acknowledge-mine-${suffix}`);
    await page.goto(jonas);
    await page.getByRole('heading', { name: 'Nora' }).waitFor();
    await checkPage(`acknowledge-theirs-${suffix}`);
    await page.goto(nora);
    await page.getByRole('button', { name: back }).tap();
    await page.getByRole('heading', { name: open }).waitFor();
    await checkPage(`acknowledge-back-${suffix}`);
    await page.goto(webhookLink);
    await page.getByRole('heading', { name: open }).waitFor();
    await checkPage(`acknowledge-webhook-${suffix}`);
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    expect(width).toBe(390);
  },
);

test('the acknowledgement page works without JavaScript', async () => {
  const { links } = await fallIn('Room 1', 'bed');
  await using visitor = await visit(links[0] ?? '', { ...PHONE, javaScriptEnabled: false });
  const { page } = visitor;
  await page.getByRole('button', { name: "I'm on it" }).tap();
  await page.getByText("You're on it").waitFor();
  await page.getByRole('button', { name: "I can't go after all" }).tap();
  await page.getByText('You handed the alarm back.').waitFor();
  await page.getByRole('link', { name: 'Check again' }).tap();
  await page.getByText('Nobody is on it').waitFor();
});
