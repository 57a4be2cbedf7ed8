import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { startReceiver } from '#lib/home/receiver.ts';
import { readBrokerUrl } from '#lib/local/home-assistant/broker-url.ts';
import type { HomeAssistantSettings } from '#lib/local/home-assistant/settings.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';
import { eventually } from '#test/fixtures/eventually.ts';
import { adminOf, createAlarm } from '#test/fixtures/home.ts';
import { createShownWorld, fall, settingsFor } from '#test/fixtures/home-assistant.ts';
import { freePort } from '#test/fixtures/host.ts';
import { startMqttBroker } from '#test/fixtures/mqtt-broker.ts';
import { startSilentServer } from '#test/fixtures/silent-server.ts';

const fixture = (name: string) => new URL(`../fixtures/${name}`, import.meta.url).pathname;
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});
const createWorld = async (...given: Parameters<typeof createShownWorld>) => {
  const world = await createShownWorld(...given);
  closing.push(world.stop);
  return world;
};

describe('a Home Assistant broker', () => {
  const deliver = async (url: string) => {
    const receiver = await startReceiver((_, response) => void response.writeHead(200).end());
    closing.push(receiver.stop);
    const world = await createWorld({ broker: readBrokerUrl(url) ?? expect.unreachable(url) });
    const { client, admin, customerId } = world;
    await createAlarm(client, receiver.url);
    await fall(world);
    await eventually(async () => {
      const [page] = await client.ok<{ data: object[] }[]>('GET', `/customers/${customerId}/deliveries`);
      expect(page?.data).toMatchObject([{ state: 'delivered' }]);
    });
    expect(await admin.call('GET', '/health')).toMatchObject({ status: 200 });
    return world;
  };

  test('an unreachable broker counts as a failure but does not delay deliveries', async () => {
    const world = await deliver(`mqtt://127.0.0.1:${await freePort()}`);
    await eventually(async () =>
      expect(await world.metric('home_assistant_failures_total')).toEqual([
        expect.stringMatching(/{reason="ECONNREFUSED"} [1-9]\d*$/),
      ]),
    );
  });

  test('a broker that hangs does not delay deliveries', async () => {
    await using server = await startSilentServer();
    const world = await deliver(`mqtt://127.0.0.1:${server.port}`);
    expect(server.heard()).toBe(1);
    expect(await world.metric('home_assistant_connected')).toEqual(['sensor_cloud_home_assistant_connected 0']);
  });

  test('a broker can use a private certificate named in a setting', async () => {
    const tls = { cert: readFileSync(fixture('self-signed.crt')), key: readFileSync(fixture('self-signed.key')) };
    const first = await startMqttBroker({ tls });
    const broker = readBrokerUrl(`mqtts://127.0.0.1:${first.port}`) ?? expect.unreachable('');
    const stranger = await createWorld({ broker });
    await eventually(async () =>
      expect(await stranger.metric('home_assistant_failures_total')).toEqual([
        expect.stringContaining('{reason="DEPTH_ZERO_SELF_SIGNED_CERT"}'),
      ]),
    );
    const trusting = await createWorld({ broker, extraCaFile: fixture('self-signed.crt') }, first);
    await eventually(() => expect(first.retained.get(trusting.topics.status)).toBe('online'));
  });

  test('a broker that requires a login gets the newest password', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'home-assistant-'));
    closing.push(async () => rmSync(folder, { recursive: true }));
    const passwordFile = join(folder, 'password');
    writeFileSync(passwordFile, 'first');
    const first = await startMqttBroker({
      authenticate: (_, user, password, done) =>
        user === 'cloud' && password?.toString() === 'second'
          ? done(null, true)
          : done(Object.assign(new Error('wrong password'), { returnCode: 4 }), false),
    });
    const world = await createWorld({ user: 'cloud', passwordFile }, first);
    await eventually(async () =>
      expect(await world.metric('home_assistant_failures_total')).toEqual([
        expect.stringContaining('{reason="login_refused"}'),
      ]),
    );
    writeFileSync(passwordFile, 'second\n');
    await eventually(() => {
      world.clock.skipTo(world.clock.now() + 1_000);
      expect(first.retained.get(world.topics.status)).toBe('online');
    });
  });
});

test('the startup log states what Home Assistant will show, or what is missing', async () => {
  const line = async (homeAssistant: HomeAssistantSettings, dataDir = ':memory:') => {
    const cloud = await startTestCloud({ homeAssistant, dataDir });
    const shown = cloud.homeAssistant;
    if (dataDir !== ':memory:') {
      const admin = await adminOf(cloud.url);
      const body = { location: '', email: 'office@example.com' };
      for (const name of ['Maple', 'Linden']) await admin.ok('POST', '/customers', { ...body, name });
    }
    await cloud.stop();
    return shown;
  };
  const dataDir = mkdtempSync(join(tmpdir(), 'home-assistant-'));
  closing.push(async () => rmSync(dataDir, { recursive: true }));
  const nowhere = `mqtt://127.0.0.1:${await freePort()}`;
  expect(await line(settingsFor(nowhere))).toBe('Home Assistant: shows nothing yet, because there is no customer');
  expect(await line(settingsFor(nowhere, { customerId: 7 }), dataDir)).toBe(
    'warning: Home Assistant shows nothing, because there is no customer 7',
  );
  expect(await line(settingsFor(nowhere), dataDir)).toMatch(/several customers: set HOME_ASSISTANT_CUSTOMER_ID$/);
  expect(await line(settingsFor(nowhere, { customerId: 2 }), dataDir)).toBe(
    `Home Assistant: shows the sensors of Linden (customer 2), through ${nowhere}`,
  );
});
