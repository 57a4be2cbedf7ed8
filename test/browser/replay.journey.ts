import { afterAll, beforeAll, expect, test } from 'vitest';
import { startReceiver } from '#lib/home/receiver.ts';
import { createAlarm, fallMessage, linkSensor } from '../fixtures/home.ts';
import { waitForNotice } from './fixtures/fields.ts';
import { type Site, startSite } from './fixtures/site.ts';

const FALLS = 12;
let site: Site;
beforeAll(async () => {
  site = await startSite('elm');
});
afterAll(() => site.stop());

/** A webhook whose receiver fails until it is repaired, and falls that the receiver refused. */
const refusedFalls = async (retrySchedule = [0]) => {
  const { client } = site.home;
  let isBroken = true;
  const receiver = await startReceiver((_, response) => response.writeHead(isBroken ? 500 : 200).end('ok'));
  const { webhook } = await createAlarm(client, receiver.url, 'fall_detected', { retrySchedule });
  const { device, sensorId } = await linkSensor(client);
  const now = Date.now() - 60_000;
  for (let at = 0; at < FALLS; at++)
    await device.ok('POST', `/devices/${sensorId}/messages`, fallMessage('calling', now + at));
  await receiver.until(FALLS);
  await site.cloud.idle();
  const repair = () => {
    isBroken = false;
  };
  return { receiver, repair, webhookId: webhook.id, [Symbol.asyncDispose]: () => receiver.stop() };
};

test('replays missed deliveries to a repaired receiver', {
  timeout: 90_000,
}, async () => {
  await using refused = await refusedFalls();
  const { receiver, repair, webhookId } = refused;
  await using visitor = await site.openLoggedIn(`/webhooks/${webhookId}`);
  const { page, checkPage } = visitor;
  await page.getByText('Failing', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Send test' }).click();
  await page.getByText('The receiver responded with 500').waitFor();
  await checkPage('webhook-failing');
  repair();
  await page.getByRole('button', { name: 'Send test' }).click();
  await page.getByText('The receiver responded with 200').waitFor();
  await page.getByText('Healthy', { exact: true }).waitFor();

  await page.getByRole('link', { name: 'Show deliveries' }).click();
  const statuses = page.getByRole('radiogroup', { name: 'Status' });
  await statuses.getByText(`${FALLS + 1} Failed`, { exact: true }).click();
  await page.getByText(`${FALLS + 1} entries`).waitFor();
  await page.getByRole('table').getByRole('link', { name: 'Fall detected' }).first().click();
  const panel = page.getByRole('complementary', { name: 'Delivery' });
  await panel.getByText('Failed: all attempts failed.').waitFor();
  await checkPage('deliveries-failed');
  await panel.getByRole('button', { name: 'Close' }).click();
  expect(new URL(page.url()).searchParams.get('state')).toBe('failed');
  await page.getByRole('button', { name: 'Replay deliveries' }).click();
  await page.getByLabel('Deliveries per second').fill('2');
  await checkPage('deliveries-replay');
  await page.getByRole('button', { name: 'Start replay' }).click();
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('button', { name: 'Resume' }).waitFor();
  await page.getByText('Paused').waitFor();
  await checkPage('replay-paused');
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByText(`${FALLS} of ${FALLS} sent, 0 failed`).waitFor({ timeout: 30_000 });
  await page.getByText('Completed').waitFor();
  await checkPage('replay');
  const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids).size).toBe(FALLS + 2);
});

test('shows the circuit breaker as open while retries are paused, and as closed after a success', {
  timeout: 60_000,
}, async () => {
  await using refused = await refusedFalls([0, 3_600]);
  await using visitor = await site.openLoggedIn(`/webhooks/${refused.webhookId}`);
  const { page, checkPage } = visitor;
  const health = page.getByRole('region', { name: 'Health' });
  await health.getByText('Open: retries are paused.').waitFor();
  await health.getByText(/Next retry in \d+ seconds/).waitFor();
  await checkPage('webhook-resting');
  refused.repair();
  await page.getByRole('button', { name: 'Send test' }).click();
  await health.getByText('Closed: all deliveries are sent immediately.').waitFor();
});

test('finds and cancels a replay started by someone else', {
  timeout: 60_000,
}, async () => {
  await using refused = await refusedFalls();
  const { receiver, repair, webhookId } = refused;
  repair();
  const span = { since: 0, until: Date.now(), ratePerSecond: 1 };
  await site.home.client.ok('POST', `/webhooks/${webhookId}/replays`, span);
  await using visitor = await site.openLoggedIn(`/deliveries/${webhookId}`);
  const { page, checkPage } = visitor;
  await page.getByText('Running').waitFor();
  await checkPage('deliveries-replays');
  await page.getByRole('link', { name: /^Replay started / }).click();
  await page.getByRole('button', { name: 'Cancel replay' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel replay' }).click();
  await waitForNotice(page, 'Replay canceled.');
  await page.getByText('Canceled', { exact: true }).waitFor();
  expect(receiver.received.length).toBeLessThan(2 * FALLS);
});
