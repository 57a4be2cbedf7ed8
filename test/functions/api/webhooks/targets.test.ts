import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Cloud } from '#lib/local/cloud.ts';
import { rejectedPaths } from '#test/fixtures/answers.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';
import { createDeliveryWorld } from '#test/fixtures/deliveries.ts';
import { ALL_PERMISSIONS, adminOf, createHome } from '#test/fixtures/home.ts';

let cloud: Cloud;
beforeAll(async () => {
  cloud = await startTestCloud({ environment: { ALLOW_PRIVATE_TARGETS: 'false' } });
});
afterAll(() => cloud.stop());

describe('a stage that does not allow private targets', () => {
  test('accepts only https URLs with public addresses', async () => {
    const { client } = await createHome(await adminOf(cloud.url), 'elm', ALL_PERMISSIONS);
    const bot = await client.ok<{ id: number }>('POST', '/bots', { name: 'b' });
    const create = (url: string) =>
      client.call('POST', '/webhooks', { name: 'w', url, format: 'full', isCustomerHook: false, botId: bot.id });
    const denied = [
      'http://93.184.216.34/',
      'https://127.0.0.1/',
      'https://2130706433/',
      'https://[::ffff:10.0.0.1]/',
      'https://169.254.169.254/',
      'https://localhost/',
      'https://nurse.internal/',
      'https://93.184.216.34:22/',
      'https://user:pass@93.184.216.34/',
      'ftp://93.184.216.34/',
    ];
    for (const url of denied) {
      const { status, body } = await create(url);
      expect([url, status, (body as { errors: { path: string }[] }).errors[0]?.path]).toEqual([url, 400, 'url']);
    }
    expect((await create('https://93.184.216.34:8443/hook')).status).toBe(201);
  });
});

describe('the service itself as a webhook target', () => {
  let world: Awaited<ReturnType<typeof createDeliveryWorld>>;
  beforeAll(async () => {
    // With this option the table has a separate endpoint.
    world = await createDeliveryWorld({ onClient: () => {} });
  });
  afterAll(() => world.stop());
  /** The login URL, with the host in several notations. */
  const logins = () =>
    ['127.0.0.1', 'localhost', 'localhost.', '127.1', '2130706433', '[::1]', 'a.localhost'].map((host) =>
      `${world.url}/users/login`.replace('127.0.0.1', host),
    );

  test('rejects the service, the table and the queues as targets', async () => {
    const { client, at } = await world.furnish();
    const hook = await client.ok<object>('GET', at);
    expect(world.settings.OWN_URLS.filter(Boolean)).toHaveLength(2);
    for (const url of [...logins(), ...world.settings.OWN_URLS.filter(Boolean)]) {
      expect([url, ...rejectedPaths(await client.call('POST', '/webhooks', { ...hook, url }))]).toEqual([
        url,
        400,
        'url',
      ]);
      expect([url, ...rejectedPaths(await client.call('PUT', at, { ...hook, url }))]).toEqual([url, 400, 'url']);
    }
  });

  test('a webhook that points to the service never reaches it', async () => {
    const { fall, list, detail, set } = await world.furnish({ format: 'raw', retrySchedule: [0] });
    for (const url of logins()) {
      await set({ url });
      await fall();
      const [newest] = (await list()).data;
      expect((await detail(newest?.id ?? '')).attemptLog, url).toMatchObject([
        { status: null, error: 'address_denied', responseBody: '' },
      ]);
    }
  });
});
