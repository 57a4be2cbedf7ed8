import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAlarm, fallMessage, linkSensor } from '../fixtures/home.ts';
import { createPushBrowser } from '../fixtures/push-browser.ts';
import { waitForNotice } from './fixtures/fields.ts';
import { type Site, startSite } from './fixtures/site.ts';

const sent: string[] = [];
let site: Site;
beforeAll(async () => {
  const environment = { PUSH_CONTACT: 'mailto:push@example.org' };
  site = await startSite('channels', { environment, say: (line) => void sent.push(line) });
});
afterAll(() => site.stop());

const codeFor = (address: string): string =>
  /\b\d{6}\b/.exec(sent.findLast((line) => line.includes(` to ${address}:`)) ?? '')?.[0] ?? 'none was sent';
const channel = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

describe.each([1_280, 390])('channels, %d pixels wide', (width) => {
  const options = { viewport: { width, height: 844 } };

  test('adds a phone number, confirms it with the code, and deletes it', async () => {
    await using visitor = await site.openLoggedIn('', site.home, { ...options, expected: [/400/] });
    const { page } = visitor;
    await page.getByRole('banner').getByRole('button', { name: 'A B' }).click();
    await page.getByRole('menuitem', { name: 'My channels' }).click();
    const sms = channel(page, 'SMS');
    await sms.getByLabel('Mobile number').fill('0170 12');
    await sms.getByRole('button', { name: 'Send code' }).click();
    await sms.getByText('is not valid').waitFor();
    const number = `+4917012345${width}`;
    await sms.getByLabel('Mobile number').fill(`+49 170 12345${width}`);
    await sms.getByRole('button', { name: 'Send code' }).click();
    await sms.getByText('Not confirmed yet').waitFor();
    await visitor.checkPage(`channels-${width}-code`);
    await sms.getByRole('textbox', { name: 'Code', exact: true }).fill('no code');
    await sms.getByRole('button', { name: 'Confirm' }).click();
    await sms.getByText('is not the code that was sent').waitFor();
    await sms.getByRole('textbox', { name: 'Code', exact: true }).fill(codeFor(number));
    await sms.getByRole('button', { name: 'Confirm' }).click();
    await waitForNotice(page, 'Confirmed. Alarms can reach you there now.');
    await sms.getByText('Confirmed', { exact: true }).waitFor();
    expect(await site.home.client.ok('GET', '/users/me/channels')).toMatchObject([{ by: 'sms', address: number }]);
    await sms.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await waitForNotice(page, 'Deleted.');
    expect(await site.home.client.ok('GET', '/users/me/channels')).toEqual([]);
  });

  test('goes on duty and off duty', async () => {
    await using visitor = await site.openLoggedIn('/account/channels', site.home, options);
    const { page } = visitor;
    const duty = channel(page, 'On duty');
    await duty.getByText('You are not on duty.').waitFor();
    await duty.getByRole('button', { name: 'For 8 hours' }).click();
    await duty.getByText(/^You are on duty until /).waitFor();
    await visitor.checkPage(`duty-${width}`);
    const all = await site.home.client.ok<{ until: number }[]>('GET', `/customers/${site.home.customerId}/duty`);
    expect(all).toHaveLength(1);
    await duty.getByRole('button', { name: 'Go off duty' }).click();
    await duty.getByText('You are not on duty.').waitFor();
  });
});

/** Fakes the push subscription, because a browser under test has no push service. */
const fakeSubscription = async (page: Page, endpoint: string) => {
  const { keys } = createPushBrowser();
  const json = JSON.stringify({ endpoint, keys });
  await page.addInitScript(`
    PushManager.prototype.getSubscription = async () => null;
    PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
      globalThis.subscribedWith = applicationServerKey;
      return { toJSON: () => (${json}) };
    };`);
};

/** Delivers a push message to the service worker, as the browser would after decryption. */
const push = async (page: Page, data: object): Promise<void> => {
  const devtools = await page.context().newCDPSession(page);
  const known = Promise.withResolvers<string>();
  devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
    const [first] = registrations;
    if (first) known.resolve(first.registrationId);
  });
  await devtools.send('ServiceWorker.enable');
  const origin = new URL(page.url()).origin;
  const registrationId = await known.promise;
  await devtools.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data: JSON.stringify(data) });
};

/** Records notifications, because a headless browser does not show any. */
const RECORD_NOTIFICATIONS = `
  globalThis.shown = [];
  ServiceWorkerRegistration.prototype.showNotification = async (title, { actions = [], ...options }) => {
    globalThis.shown.push({ title, ...options, actions: actions.map(({ title }) => title) });
  };`;

/** Raises an alarm. Returns the acknowledgement URL and the hit. */
const alarm = async () => {
  const { client, customerId } = site.home;
  await createAlarm(client, site.receiver.url);
  const { device, sensorId } = await linkSensor(client);
  await device.ok('POST', `/devices/${sensorId}/messages`, fallMessage('calling', Date.now()));
  const [request] = await site.receiver.until(1);
  const list = `/customers/${customerId}/rule-hits`;
  return {
    url: JSON.parse(request?.body ?? '').acknowledgeUrl as string,
    hit: async () => (await client.ok<{ data: object[] }[]>('GET', list))[0]?.data[0],
  };
};

/** Clicks a notification button, which runs in the service worker. */
const clickButton = (url: string): void => {
  const notification = { title: 'Fall', lang: 'en', tag: 'hit-7', data: url, close: () => {} };
  const click = Object.assign(new Event('notificationclick'), { action: 'go', notification, waitUntil: () => {} });
  (globalThis as unknown as EventTarget).dispatchEvent(click);
};

test('turns on push notifications for this device, and acknowledges an alarm from one', async () => {
  const permissions = ['notifications'];
  await using visitor = await site.openLoggedIn('', site.home, {
    permissions,
    before: (page) => fakeSubscription(page, 'https://1.1.1.1/push/1'),
  });
  const { page } = visitor;
  await page.goto(`${site.address}/account/channels`);
  const own = channel(page, 'Push on this device');
  await own.getByRole('button', { name: 'Turn on push here' }).click();
  await own.getByText(/^Push notifications go to one device only/).waitFor();
  await visitor.checkPage('push-on');
  const { pushKey } = await site.home.client.ok<{ pushKey: string }>('GET', '/channels');
  expect(await page.evaluate('globalThis.subscribedWith')).toBe(pushKey);
  expect(await site.home.client.ok('GET', '/users/me/channels')).toMatchObject([{ by: 'push', address: '1.1.1.1' }]);
  const texts = { title: 'Sturz in Zimmer 7', text: 'um 12:00', language: 'de' };
  const message = { ...texts, url: `${site.address}/rules`, tag: 'hit-7' };
  const [worker] = visitor.context.serviceWorkers();
  await worker?.evaluate(RECORD_NOTIFICATIONS);
  await push(page, message);
  await expect
    .poll(() => worker?.evaluate('globalThis.shown'), { timeout: 5_000 })
    .toEqual([
      {
        title: message.title,
        body: message.text,
        lang: 'de',
        data: message.url,
        actions: ['Ich gehe hin'],
        // The alarm's next round replaces the notification and plays the sound again.
        tag: 'hit-7',
        renotify: true,
        requireInteraction: true,
        vibrate: [400, 200, 400],
      },
    ]);

  // One tap acknowledges the alarm, even though it is not open in the console.
  const { url, hit } = await alarm();
  await worker?.evaluate(clickButton, url);
  await expect
    .poll(() => worker?.evaluate('globalThis.shown.at(-1)'), { timeout: 5_000 })
    .toMatchObject({ title: 'Fall', body: 'Nurse call is on it.', tag: 'hit-7', actions: [] });
  expect(await hit()).toMatchObject({ acknowledgement: { name: 'Nurse call' } });

  // If the acknowledgement fails, the alarm stays on the screen.
  await worker?.evaluate(clickButton, `${url}A`);
  await expect
    .poll(() => worker?.evaluate('globalThis.shown.at(-1)'), { timeout: 5_000 })
    .toMatchObject({
      title: 'Fall',
      body: expect.stringContaining('Not acknowledged'),
      tag: 'hit-7',
      renotify: true,
      actions: ["I'm on it"],
    });
});

test('does not create a push channel when notifications are blocked', async () => {
  await using visitor = await site.openLoggedIn('/account/channels');
  const own = channel(visitor.page, 'Push on this device');
  const before = await site.home.client.ok('GET', '/users/me/channels');
  await own.getByRole('button', { name: 'Turn on push here' }).click();
  await own.getByText('Notifications are blocked.').waitFor();
  expect(await site.home.client.ok('GET', '/users/me/channels')).toEqual(before);
});
