import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '#lib/client/client.ts';
import { FakeDevice } from '#lib/client/fake-device.ts';
import { listAll } from '#lib/client/list.ts';
import { ok } from '#lib/client/problem.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { PROVISIONING_KEY, startTestCloud } from '#test/fixtures/cloud.ts';
import { gather } from '#test/fixtures/gather.ts';
import { ALL_PERMISSIONS, adminOf, createHome, nextHardwareId } from '#test/fixtures/home.ts';

let cloud: Cloud;
beforeAll(async () => {
  cloud = await startTestCloud();
});
afterAll(() => cloud.stop());

describe.each(['maker_a', 'maker_b'] as const)('a fake %s device', (manufacturer) => {
  test('registers, and sends messages that become the events specified in section D2', async () => {
    const { username, password } = await createHome(
      await adminOf(cloud.url),
      manufacturer.at(-1) ?? '',
      ALL_PERMISSIONS,
    );
    const baseUrl = cloud.url;
    const client = createClient({ baseUrl, username, password });
    let time = Date.now() - 60_000;
    const now = () => (time += 1_000);
    const options = { baseUrl, provisioningKey: PROVISIONING_KEY, manufacturer, hardwareId: nextHardwareId(), now };
    const device = await FakeDevice.register(options);
    await ok(client.POST('/sensors/link', { body: { manufacturer, code: device.pairingCode } }));

    const answers = [await device.presence(1), await device.bedExit()];
    for (const state of ['suspected', 'alarm', 'over', 'suspected'] as const) answers.push(await device.fall(state));
    const known = new FakeDevice({
      baseUrl,
      manufacturer,
      sensorId: device.sensorId,
      deviceToken: device.deviceToken,
      now,
    });
    answers.push(await known.presence(0));
    expect(answers).toEqual(answers.map(() => ({ status: 'OK' })));
    await cloud.idle();

    const path = { sensorId: device.sensorId };
    const events = await gather(listAll(client, '/sensors/{sensorId}/events', { path }), (event) => event);
    const names = events
      .toSorted((event, other) => event.createDate - other.createDate)
      .map(({ type, action }) => `${type}/${action}`)
      .filter((name) => !name.startsWith('sensor/'));
    expect(names).toEqual([
      'presence/occupied_room',
      'bed/left',
      'fall/fall_suspected',
      'fall/fall_detected',
      'fall/finished',
      'fall/fall_suspected',
      // Maker B cancels a fall once the room is empty.
      ...(manufacturer === 'maker_b' ? ['fall/canceled'] : []),
      'presence/empty_room',
    ]);
  });
});

test('registering with a wrong provisioning key throws a Problem', async () => {
  const device = { manufacturer: 'maker_a', hardwareId: nextHardwareId() } as const;
  const wrong = FakeDevice.register({ baseUrl: cloud.url, provisioningKey: 'no-key', ...device });
  await expect(wrong).rejects.toMatchObject({ name: 'Problem', status: 401 });
});
