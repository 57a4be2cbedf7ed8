import type { Page as Tab } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DeliveryView } from '#shared/domain/delivery/delivery-view.ts';
import { store } from '#shared/store/store.ts';
import { ADMIN_PASSWORD } from '../fixtures/cloud.ts';
import { fallMessage, hireFor } from '../fixtures/home.ts';
import { createRoom, type Site, startSite } from './fixtures/site.ts';
import { variants } from './fixtures/variants.ts';

// Imported through a path the compiler cannot resolve, because the console has other compiler settings.
const routes = new URL('../../lib/console/routes.tsx', import.meta.url).pathname;
const { pages } = (await import(routes)) as { pages: readonly { path: string }[] };

let site: Site;
const ids: Record<string, string> = {};

beforeAll(async () => {
  site = await startSite('linden');
  const { client, customerId, userId } = site.home;
  const { sensorId, device } = await createRoom(site, 'Room 12');
  await site.receiver.until(1);
  await site.cloud.idle();
  const first = async (path: string) => (await client.ok<{ data: { id: string }[] }[]>('GET', path))[0]?.data[0]?.id;
  const webhookId = await first('/webhooks');
  const group = await client.ok<{ id: string }>('POST', '/sensor-groups', { name: 'Ward', sensorIds: [sensorId] });
  const span = { since: 0, until: Date.now(), states: ['delivered'], ratePerSecond: 100 };
  const replay = await client.ok<{ id: string }>('POST', `/webhooks/${webhookId}/replays`, span);
  const deliveryId = await first(`/webhooks/${webhookId}/deliveries`);
  const ruleId = await first('/rules');
  const texts = { name: 'People', title: '{sensor}', message: '{time}', situation: 'fall_detected' };
  await client.ok('POST', '/rules', { ...texts, recipients: [{ onDuty: true, by: 'email' }] });
  const address = `${userId}@example.com`;
  const channels = store(site.cloud.runtime.table).channels;
  await channels.put({ customerId, userId }, { by: 'email', address, provenDate: Date.now() }, null);
  await client.ok('PUT', '/users/me/duty', { until: Date.now() + 3_600_000 });
  await device.ok('POST', `/devices/${sensorId}/messages`, fallMessage('calling', Date.now()));
  await site.cloud.idle();
  const [sent] = await client.ok<{ data: DeliveryView[] }[]>('GET', `/customers/${customerId}/deliveries`);
  const personDeliveryId = sent?.data.find((delivery) => delivery.webhookId === null)?.id;
  const { id: leaver } = await hireFor(site.admin, customerId, 'leaver');
  for (const [what, id] of Object.entries({ erasures: leaver, exports: userId })) {
    const body = { subject: { kind: 'user', id }, reason: 'Requested', password: ADMIN_PASSWORD };
    await site.admin.ok('POST', `/customers/${customerId}/${what}`, body);
  }
  const known = {
    sensorId,
    webhookId,
    deliveryId,
    personDeliveryId,
    ruleId,
    customerId,
    userId,
    groupId: group.id,
    replayId: replay.id,
  };
  for (const [name, id] of Object.entries(known)) ids[name] = String(id ?? expect.unreachable(name));
}, 60_000);
afterAll(() => site.stop());

const parts = ['room', 'activity', 'events', 'hits', 'config'].map((part) => `/sensors/:sensorId?part=${part}`);
const forms = ['/groups/new', '/rules/new', '/users/new', '/customers/new'];
/** The paths to all console pages, all parts of a sensor page, and all forms for new objects. */
const paths = [...pages.map(({ path }) => path), ...parts, ...forms];
/** The pages are opened faster than a person would open them, so the console runs into rate limits and retries. */
const expected = [/429/];
const admin = { username: 'admin', password: ADMIN_PASSWORD };

/** Opens a page, and waits until it has loaded. */
const open = async (tab: Tab, path: string) => {
  await tab.goto(site.address + path.replace(/:(\w+)/g, (_, name: string) => ids[name] ?? expect.unreachable(name)));
  await tab.getByRole('heading', { level: 1 }).waitFor();
  await tab
    .getByLabel(/^(Loading|Wird geladen)$/)
    .first()
    .waitFor({ state: 'detached' });
  expect(await tab.getByText(/This page does not exist|Diese Seite gibt es nicht/).count()).toBe(0);
};
/** A page's text without scripts and styles. */
const TEXT = `(() => {
  const page = document.body.cloneNode(true);
  for (const code of page.querySelectorAll('pre, code, script, style')) code.remove();
  return page.textContent;
})()`;
/** The heights of all visible navigation entries, each of which must fit on one line. */
const HEIGHTS = `(() => {
  const shown = [...document.querySelectorAll('.nav-group a, .phone-tabs a')].filter((entry) => entry.offsetHeight > 0);
  return [...new Set(shown.map((entry) => entry.offsetHeight))];
})()`;
const nameOf = (path: string) => path.replaceAll(/\W+/g, '-').replace(/^-|-$/g, '') || 'overview';

describe.each(variants)('every page in $locale, $colorScheme, $width pixels wide', ({ locale, colorScheme, width }) => {
  test('every page is accessible and does not scroll horizontally', { timeout: 180_000 }, async () => {
    await site.admin.ok('PUT', '/users/me', { ...(await site.admin.ok<object>('GET', '/users/me')), locale });
    const viewport = { width, height: 900 };
    await using visitor = await site.openLoggedIn('', admin, { colorScheme, viewport, locale, expected });
    for (const path of paths) {
      await open(visitor.page, path);
      await visitor.checkPage(`${locale}-${colorScheme}-${width}-${nameOf(path)}`);
      const overflow = await visitor.page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      expect([path, overflow]).toEqual([path, Math.min(overflow, 0)]);
      expect([path, await visitor.page.evaluate<string>(TEXT)]).toEqual([path, expect.not.stringContaining('`')]);
      expect([path, (await visitor.page.evaluate<number[]>(HEIGHTS)).length]).toEqual([path, 1]);
    }
  });
});

/** All focusable elements on a page. In each group of radio buttons or tabs, only one is focusable. */
const FOCUSABLE = `[...document.querySelectorAll('a[href], button, input, textarea, select, [tabindex="0"]')]
  .filter((one) => one.tabIndex >= 0 && !one.disabled && one.checkVisibility({ visibilityProperty: true }))
  .filter((one) => one.type !== 'radio')`;

const MAX_STEPS = 150;

test('every control on each page can be reached with the keyboard', {
  timeout: 180_000,
}, async () => {
  await using visitor = await site.openLoggedIn('', admin, { locale: 'en', expected });
  const tab = visitor.page;
  for (const path of paths) {
    await open(tab, path);
    await tab.evaluate('globalThis.reached = new Set()');
    const left = () => tab.evaluate<number>(`${FOCUSABLE}.filter((one) => !globalThis.reached.has(one)).length`);
    // A date field has several tab stops.
    for (let at = 0; at < MAX_STEPS && (await left()) > 0; at++) {
      await tab.keyboard.press('Tab');
      await tab.evaluate('globalThis.reached.add(document.activeElement)');
    }
    const missed = await tab.evaluate<string[]>(
      `${FOCUSABLE}.filter((one) => !globalThis.reached.has(one)).map((one) => one.outerHTML.slice(0, 200))`,
    );
    expect([path, missed]).toEqual([path, []]);
  }
});
