import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startReceiver } from '#lib/home/receiver.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createAlarm, createHome, fallMessage, linkSensor } from '#test/fixtures/home.ts';
import { generators } from './generators.ts';
import { obstacleTo, shell } from './shell.ts';

let cloud: Cloud;
let folder: string;
let environment: Record<string, string>;
let dates: { sensor: number; hit: number; event: number };
beforeAll(async () => {
  const receiver = await startReceiver();
  cloud = await startTestCloud();
  folder = await mkdtemp(join(tmpdir(), 'clients-'));
  const home = await createHome(await adminOf(cloud.url), 'maple', ALL_PERMISSIONS);
  const { sensorId, device } = await linkSensor(home.client);
  await createAlarm(home.client, receiver.url);
  await device.ok('POST', `/devices/${sensorId}/messages`, fallMessage('calling', Date.now()));
  const [{ body = '' } = {}] = await receiver.until(1);
  const hits = `/customers/${home.customerId}/rule-hits`;
  const [page] = await home.client.ok<{ data: { id: number; createDate: number }[] }[]>('GET', hits);
  const hit = page?.data[0] ?? { id: 0, createDate: 0 };
  const { createDate } = await home.client.ok<{ createDate: number }>('GET', `/sensors/${sensorId}`);
  dates = { sensor: createDate, hit: hit.createDate, event: JSON.parse(body).event.createDate };
  environment = {
    DOCUMENT: join(folder, 'openapi.json'),
    BODY: join(folder, 'body.json'),
    BASE: cloud.url,
    TOKEN: home.client.token ?? '',
    SENSOR: sensorId,
    CUSTOMER: String(home.customerId),
    HIT: String(hit.id),
  };
  await writeFile(environment.BODY ?? '', body);
  await writeFile(environment.DOCUMENT ?? '', JSON.stringify(await home.client.ok('GET', '/openapi.json')));
  await receiver.stop();
});
afterAll(async () => {
  await cloud.stop();
  await rm(folder, { recursive: true });
});

test.for(generators.map((one) => [`${one.name} ${one.version}`, one] as const))(
  '%s generates a client that compiles and reads exact dates',
  async ([name, generator], { skip }) => {
    expect(dates.sensor).toBeGreaterThan(2 ** 31);
    const obstacle = await obstacleTo(generator, folder);
    if (obstacle) return skip(`${name} cannot be installed here: ${obstacle}`);
    const own = await mkdtemp(join(folder, 'client-'));
    await shell(generator.generate, own, environment);
    await mkdir(dirname(join(own, generator.file)), { recursive: true });
    await writeFile(join(own, generator.file), generator.program);
    await shell(generator.compile, own, environment);
    const printed = (await shell(generator.run, own, environment)).trim().split('\n').at(-1) ?? '';
    expect(JSON.parse(printed)).toEqual(dates);
  },
);
