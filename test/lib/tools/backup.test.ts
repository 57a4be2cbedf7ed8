import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startReceiver } from '#lib/home/receiver.ts';
import { backUp } from '#lib/tools/backup.ts';
import { clientOf } from '#test/fixtures/client.ts';
import { ALL_PERMISSIONS, adminOf, createAlarm, createHome, fallMessage, linkSensor } from '#test/fixtures/home.ts';
import { freePort, startHost } from '#test/fixtures/host.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sensor-cloud-'));
});
afterAll(() => rm(folder, { recursive: true }));

test('a backup made while many falls arrive contains all falls accepted before it started', async () => {
  const live = join(folder, 'live');
  const copy = join(folder, 'copy');
  const settings = { PORT: await freePort(), RETRY_SCHEDULE: '0,1,1,1,1' };
  const receiver = await startReceiver();
  const accepted: string[] = [];
  {
    await using host = await startHost({ ...settings, DATA_DIR: live });
    const { client } = await createHome(await adminOf(host.url), 'elm', ALL_PERMISSIONS);
    // The copied key must decrypt its secret.
    await createAlarm(client, receiver.url);
    const { sensorId, device } = await linkSensor(client);
    const start = Date.now() - 3_600_000;
    let isEnough = false;
    const storm = async (): Promise<void> => {
      for (let at = 0; !isEnough; at++) {
        const uuid = crypto.randomUUID();
        await device.ok('POST', `/devices/${sensorId}/messages`, {
          ...fallMessage('calling', start + at * 1_000),
          uuid,
        });
        accepted.push(uuid);
      }
    };
    const storming = storm();
    await receiver.until(5);
    const before = accepted.length;
    await backUp(live, copy);
    isEnough = true;
    await storming;
    accepted.length = before;
    expect(before).toBeGreaterThanOrEqual(5);
    await host.end('SIGKILL');
  }
  await using host = await startHost({ ...settings, DATA_DIR: copy });
  const delivered = () => new Set(receiver.received.map(({ body }) => JSON.parse(body).event.raw.uuid));
  while (!accepted.every((uuid) => delivered().has(uuid))) await receiver.until(receiver.received.length + 1);
  const admin = await adminOf(host.url);
  const [page] = await admin.ok<{ total: number }[]>('GET', '/customers/1/rule-hits');
  expect(page?.total).toBeGreaterThanOrEqual(accepted.length);
  await receiver.stop();
});

test('rejects a data folder without data, and a target folder that is not empty', async () => {
  await expect(backUp(join(folder, 'nothing'), join(folder, 'x'))).rejects.toThrow(/contains no data/);
  await expect(backUp(join(folder, 'live'), join(folder, 'copy'))).rejects.toThrow(/is not empty/);
});

test('backs up the data of a stopped host', async () => {
  expect(await backUp(join(folder, 'copy'), join(folder, 'again'))).toBeGreaterThan(0);
  await using host = await startHost({ DATA_DIR: join(folder, 'again') });
  expect((await clientOf(host.url).call('GET', '/health')).status).toBe(200);
});
