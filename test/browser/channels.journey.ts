import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAlarm, fallMessage, linkSensor } from '../fixtures/home.ts';
import { createPushBrowser } from '../fixtures/push-browser.ts';
import { said } from './fixtures/fields.ts';
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

describe.each([1_280, 390])('%d pixels wide', (width) => {
  const options = { viewport: { width, height: 844 } };

  test('somebody gives a number, confirms it by the code that was sent there, and takes it away', async () => {
    await using visitor = await site.openLoggedIn('', site.home, { ...options, expected: [/400/] });
    const { page } = visitor;
    await page.getByRole('banner').getByRole('button', { name: site.home.username }).click();
    await page.getByRole('menuitem', { name: 'My channels' }).click();
    const sms = channel(page, 'SMS');
    await sms.getByLabel('Mobile number').fill('0170 12');
    await sms.getByRole('button', { name: 'Send a code there' }).click();
    await sms.getByText('is not valid').waitFor();
    const number = `+4917012345${width}`;
    await sms.getByLabel('Mobile number').fill(`+49 170 12345${width}`);
    await sms.getByRole('button', { name: 'Send a code there' }).click();
    await sms.getByText('Waits for the code').waitFor();
    await visitor.look(`channels-${width}-code`);
    await sms.getByRole('textbox', { name: 'Code', exact: true }).fill('no code');
    await sms.getByRole('button', { name: 'Confirm' }).click();
    await sms.getByText('is not the code that was sent').waitFor();
    await sms.getByRole('textbox', { name: 'Code', exact: true }).fill(codeFor(number));
    await sms.getByRole('button', { name: 'Confirm' }).click();
    await said(page, 'Confirmed: alarms can reach you there.');
    await sms.getByText('Confirmed', { exact: true }).waitFor();
    expect(await site.home.client.ok('GET', '/users/me/channels')).toMatchObject([{ by: 'sms', address: number }]);
    await sms.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await said(page, 'Deleted.');
    expect(await site.home.client.ok('GET', '/users/me/channels')).toEqual([]);
  });

  test('somebody goes on duty and off again', async () => {
    await using visitor = await site.openLoggedIn('/account/channels', site.home, options);
    const { page } = visitor;
    const duty = channel(page, 'On duty');
    await duty.getByText('You are not on duty.').waitFor();
    await duty.getByRole('button', { name: 'For 8 hours' }).click();
    await duty.getByText(/^You are on duty until /).waitFor();
    await visitor.look(`duty-${width}`);
    const all = await site.home.client.ok<{ until: number }[]>('GET', `/customers/${site.home.customerId}/duty`);
    expect(all).toHaveLength(1);
    await duty.getByRole('button', { name: 'Off duty now' }).click();
    await duty.getByText('You are not on duty.').waitFor();
  });
});

/** A browser under test has no service that pushes for it: what it would have given is given instead. */
const subscribing = async (page: Page, endpoint: string) => {
  const { keys } = createPushBrowser();
  const json = JSON.stringify({ endpoint, keys });
  await page.addInitScript(`
    PushManager.prototype.getSubscription = async () => null;
    PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
      globalThis.subscribedWith = applicationServerKey;
      return { toJSON: () => (${json}) };
    };`);
};

/** Hands a push over to the service worker, as the browser does once it has decrypted it. */
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

/** A browser without a screen shows no notifications: what it would show is kept instead. */
const KEEPING = `
  globalThis.shown = [];
  ServiceWorkerRegistration.prototype.showNotification = async (title, { actions = [], ...options }) => {
    globalThis.shown.push({ title, ...options, actions: actions.map(({ title }) => title) });
  };`;

/** An alarm, and the address that acknowledges it. */
const alarm = async () => {
  const { client, customerId } = site.home;
  await createAlarm(client, site.receiver.url);
  const { device, sensorId } = await linkSensor(client);
  await device.ok('POST', `/devices/${sensorId}/messages`, fallMessage('calling', Date.now()));
  const [told] = await site.receiver.until(1);
  const list = `/customers/${customerId}/rule-hits`;
  return {
    url: JSON.parse(told?.body ?? '').acknowledgeUrl as string,
    hit: async () => (await client.ok<{ data: object[] }[]>('GET', list))[0]?.data[0],
  };
};

/** Touches the button of a notification, of which a browser without a screen shows none. */
const touching = (url: string): void => {
  const notification = { title: 'Fall', lang: 'en', tag: 'hit-7', data: url, close: () => {} };
  const touched = Object.assign(new Event('notificationclick'), { action: 'go', notification, waitUntil: () => {} });
  (globalThis as unknown as EventTarget).dispatchEvent(touched);
};

test('pushes are switched on for this device, whose service worker shows them', async () => {
  const endpoint = 'https://1.1.1.1/push/1';
  const permissions = ['notifications'];
  await using visitor = await site.openLoggedIn('', site.home, {
    permissions,
    before: (page) => subscribing(page, endpoint),
  });
  const { page } = visitor;
  await page.goto(`${site.address}/account/channels`);
  const own = channel(page, 'Push on this device');
  await own.getByRole('button', { name: 'Switch on here' }).click();
  await own.getByText(/^Alarms are pushed to one device/).waitFor();
  await visitor.look('push-on');
  const { pushKey } = await site.home.client.ok<{ pushKey: string }>('GET', '/channels');
  expect(await page.evaluate('globalThis.subscribedWith')).toBe(pushKey);
  expect(await site.home.client.ok('GET', '/users/me/channels')).toMatchObject([{ by: 'push', address: '1.1.1.1' }]);
  const letter = {
    title: 'Sturz in Zimmer 7',
    text: 'um 12:00',
    url: `${site.address}/rules`,
    language: 'de',
    tag: 'hit-7',
  };
  const [worker] = visitor.context.serviceWorkers();
  await worker?.evaluate(KEEPING);
  await push(page, letter);
  await expect
    .poll(() => worker?.evaluate('globalThis.shown'), { timeout: 5_000 })
    .toEqual([
      {
        title: letter.title,
        body: letter.text,
        lang: 'de',
        data: letter.url,
        actions: ['Ich gehe hin'],
        // The next round of the alarm replaces the notification, and sounds again.
        tag: 'hit-7',
        renotify: true,
        requireInteraction: true,
        vibrate: [400, 200, 400],
      },
    ]);

  // One touch acknowledges the alarm, though no page of the console shows it.
  const { url, hit } = await alarm();
  await worker?.evaluate(touching, url);
  await expect
    .poll(() => worker?.evaluate('globalThis.shown.at(-1)'), { timeout: 5_000 })
    .toMatchObject({ title: 'Fall', body: 'Nurse call is on it.', tag: 'hit-7', actions: [] });
  expect(await hit()).toMatchObject({ acknowledgement: { name: 'Nurse call' } });

  // An alarm that cannot be acknowledged stays on the screen.
  await worker?.evaluate(touching, `${url}A`);
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

test('a browser whose user wants no notifications says so, and nothing is kept', async () => {
  await using visitor = await site.openLoggedIn('/account/channels');
  const own = channel(visitor.page, 'Push on this device');
  const before = await site.home.client.ok('GET', '/users/me/channels');
  await own.getByRole('button', { name: 'Switch on here' }).click();
  await own.getByText('This browser did not allow it.').waitFor();
  expect(await site.home.client.ok('GET', '/users/me/channels')).toEqual(before);
});
