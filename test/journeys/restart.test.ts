import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import { clientOf } from '../fixtures/client.ts';
import { ALL_PERMISSIONS, adminOf, createAlarm, createHome, fallMessage, linkSensor } from '../fixtures/home.ts';
import { startHost } from '../fixtures/host.ts';

let receiver: Receiver;
let dataDir: string;
beforeAll(async () => {
  receiver = await startReceiver();
  dataDir = await mkdtemp(join(tmpdir(), 'sensor-cloud-'));
});
afterAll(async () => {
  await receiver.stop();
  await rm(dataDir, { recursive: true, force: true });
});

describe('the local host', () => {
  test('a fall is delivered after a restart if the host was killed before sending it', async () => {
    const first = await startHost({ DATA_DIR: dataDir });
    const home = await createHome(await adminOf(first.url), 'willow', ALL_PERMISSIONS);
    const sensor = await linkSensor(home.client);
    // The first attempt is a second away, so the kill comes after the 202 and before any request.
    await createAlarm(home.client, receiver.url, 'fall_detected', { retrySchedule: [1, 1] });
    await sensor.device.ok('POST', `/devices/${sensor.sensorId}/messages`, fallMessage('calling', Date.now()));
    expect(await first.end('SIGKILL')).toBeNull();
    expect(receiver.received).toHaveLength(0);

    const second = await startHost({ DATA_DIR: dataDir });
    const [got] = await receiver.until(1);
    expect(JSON.parse(got?.body ?? '').event.action).toBe('fall_detected');
    const again = fallMessage('finished', Date.now());
    await clientOf(second.url, sensor.deviceToken).ok('POST', `/devices/${sensor.sensorId}/messages`, again);
    expect(await second.end('SIGTERM')).toBe(0);
    expect(receiver.received).toHaveLength(1);
  });

  test('the local host creates a demo home at the first start and reuses it', async () => {
    const demoDir = join(dataDir, 'demo');
    for (const line of [/^demo user: demo {2}password: .{16}$/, /^demo user: demo \(its password was printed/]) {
      const host = await startHost({ DATA_DIR: demoDir }, []);
      expect(host.lines.some((text) => line.test(text))).toBe(true);
      const token = host.lines.find((text) => text.includes('export TOKEN='))?.split('=')[1] ?? '';
      const [page] = await clientOf(host.url, token).ok<{ total: number }[]>('GET', '/sensors');
      expect(page?.total).toBe(3);
      expect(await host.end('SIGTERM')).toBe(0);
    }
  });
});
