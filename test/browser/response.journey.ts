import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAlarm, fallMessage, linkSensor } from '../fixtures/home.ts';
import { note } from './fixtures/measured.ts';
import { type Site, startSite } from './fixtures/site.ts';
import { inLanguage, variants } from './fixtures/variants.ts';

const words = {
  en: { go: "I'm on it", up: 'Got up unaided' },
  de: { go: 'Ich gehe hin', up: 'Selbst aufgestanden' },
} as const;
type Words = (typeof words)['en' | 'de'];
let site: Site;
let rooms = 100;
beforeAll(async () => {
  site = await startSite('response');
  await createAlarm(site.home.client, site.receiver.url);
});
afterAll(() => site.stop());

/** Links a sensor in a room, and returns a function that simulates a fall there. */
const linkRoom = async (name: string) => {
  const { home, cloud } = site;
  const { sensorId, device } = await linkSensor(home.client);
  const basic = `/sensors/${sensorId}/maker_a/config/basic`;
  await home.client.ok('PUT', basic, { ...(await home.client.ok<object>('GET', basic)), name });
  return async () => {
    await device.ok('POST', `/devices/${sensorId}/messages`, fallMessage('calling', Date.now()));
    await cloud.idle();
  };
};

/** Counts the taps and measures the seconds since a fall. */
const stopwatch = (isPhone: boolean) => {
  const start = Date.now();
  let taps = 0;
  return {
    tap: async (target: Locator): Promise<void> => {
      taps++;
      await (isPhone ? target.tap() : target.click());
    },
    read: (what: string) => ({ what, taps, seconds: (Date.now() - start) / 1_000 }),
  };
};

/** Causes a fall, then acknowledges and closes the alarm in as few taps as possible. */
const answer = async (
  page: Page,
  {
    number,
    fall,
    isPhone,
    words: { go, up },
  }: { number: string; fall: () => Promise<void>; isPhone: boolean; words: Words },
) => {
  const isStation = page.url().endsWith('/console');
  const watch = stopwatch(isPhone);
  const rowOf = (kind: string) => page.locator(`.room-call.${kind}, .call-room.${kind}`).filter({ hasText: number });
  await fall();
  await rowOf('open').waitFor();
  const seen = watch.read('room');
  await watch.tap(rowOf('open').getByRole('button', { name: go }));
  await rowOf('mine').waitFor();
  const acknowledged = watch.read('acknowledged');
  if (!isStation) await watch.tap(rowOf('mine').getByRole('link'));
  await watch.tap(rowOf('mine').getByRole('button', { name: up }));
  await rowOf('mine').waitFor({ state: 'detached' });
  return [seen, acknowledged, watch.read('closed')];
};

test.each(variants)(
  "shows a fall's room without a tap, in $locale, $colorScheme, $width pixels wide",
  { timeout: 120_000 },
  async ({ locale, colorScheme, width }) => {
    await inLanguage(site, locale);
    const number = String(++rooms);
    const fall = await linkRoom(`Zimmer ${number}`);
    const isPhone = width < 640;
    const viewport = { width, height: isPhone ? 844 : 900 };
    const options = { locale, colorScheme, viewport, ...(isPhone && { hasTouch: true, isMobile: true }) };
    for (const [where, path, closingTaps] of [
      ['station', '', 2],
      ['handover', '/handover', 3],
    ] as const) {
      await using visitor = await site.openLoggedIn(path, site.home, options);
      const { page } = visitor;
      page.setDefaultTimeout(30_000);
      await page.getByRole('heading', { level: 1 }).waitFor();
      const steps = await answer(page, { number, fall, isPhone, words: words[locale] });
      const found = steps.map(({ what, taps }) => `${what} ${taps}`);
      expect(found).toEqual(['room 0', 'acknowledged 1', `closed ${closingTaps}`]);
      const times = steps.map(({ what, taps, seconds }) => `${what} ${seconds.toFixed(1)} s, ${taps} taps`).join('; ');
      note(`fall on the page ${where}, ${locale}, ${colorScheme}, ${width} px: ${times}`);
    }
  },
);

/** Touches the lower edge of an element for as long as a person does. */
const touch = async (page: Page, target: Locator): Promise<void> => {
  const box = await target.boundingBox();
  if (!box) throw new Error('the element is not visible');
  const devtools = await page.context().newCDPSession(page);
  const point = { x: box.x + box.width / 2, y: box.y + box.height - 5 };
  await devtools.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [point] });
  await page.waitForTimeout(250);
  await devtools.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
};

test('the first tap on a phone acknowledges the alarm, although it also unblocks the sound', async () => {
  await inLanguage(site, 'en');
  const fall = await linkRoom('Room 201');
  // Headless Chromium does not always block the sound, so the page suspends it.
  const before = (page: Page) =>
    page.addInitScript('AudioContext = class extends AudioContext { constructor() { super(); void this.suspend(); } }');
  const options = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, before };
  await using visitor = await site.openLoggedIn('', site.home, options);
  const { page } = visitor;
  await page.getByText('Sound is blocked: tap here').waitFor();
  await fall();
  const card = page.locator('.room-call').filter({ hasText: '201' });
  await touch(page, card.getByRole('button', { name: "I'm on it" }));
  await card.getByText("You're on it").waitFor();
  await page.getByText('Sound is blocked: tap here').waitFor({ state: 'detached' });
});
