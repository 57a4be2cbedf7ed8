import { createHmac } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import { skippingClock } from '#lib/local/clock.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { type Client, clientOf } from '../fixtures/client.ts';
import { restore } from './folder.ts';
import * as night from './night.ts';

type Known = Awaited<ReturnType<typeof night.writeNight>>['known'];
const files = fileURLToPath(new URL('versions/*.sql', import.meta.url));
/** Escalations are found by the queue of timers, and by the index of what is due. */
const kinds = [
  { kind: 'whole', has: () => true },
  {
    kind: 'without its queue of timers',
    has: (row: string) => !/^INSERT INTO messages VALUES \(\d+, 'timers'/.test(row),
  },
];
const folders = globSync(files).flatMap((file) =>
  kinds.map((kind) => ({ version: basename(file, '.sql'), file, ...kind })),
);

// During a deployment two versions work on one table, and a folder is opened by the next one: what is stored keeps its names.
describe.each(folders)('a folder that $version left amid a night, $kind', ({ file, has }) => {
  const timeOf = (seconds: number) => night.BEGIN + seconds * 1_000;
  const clock = skippingClock(timeOf(night.ENDS_AFTER));
  const requests: { place: string; sensorId: string; isSigned: boolean }[] = [];
  let known: Known;
  let folder: string;
  let receiver: Receiver;
  let cloud: Cloud;
  let client: Client;
  const placesOf = (sensor: string) =>
    requests
      .filter(({ sensorId }) => sensorId === known.sensors[sensor]?.sensorId)
      .map(({ place }) => place)
      .toSorted();
  const sensorOf = (name: string) => {
    const { sensorId = '', deviceToken = '' } = known.sensors[name] ?? {};
    return { sensorId, device: clientOf(cloud.url, deviceToken) };
  };

  beforeAll(async () => {
    receiver = await startReceiver(({ headers, body }, response) => {
      const signature = createHmac('sha256', night.SECRET).update(body).digest('hex');
      requests.push({
        place: response.req.url?.replace('/hook', '') ?? '',
        sensorId: JSON.parse(body).sensor.id,
        isSigned: headers['x-service-cloud-signature'] === `sha256=${signature}`,
      });
      response.end();
    });
    folder = await mkdtemp(join(tmpdir(), 'version-'));
    const rows = readFileSync(file, 'utf8').split('\n').filter(has);
    await restore(folder, rows.join('\n').replaceAll(night.RECEIVER, receiver.url));
    known = JSON.parse(readFileSync(file.replace(/sql$/, 'json'), 'utf8').replaceAll(night.RECEIVER, receiver.url));
    cloud = await night.startAt(folder, clock);
    client = clientOf(cloud.url, known.token);
  });
  afterAll(async () => {
    await cloud.stop();
    await receiver.stop();
    await rm(folder, { recursive: true });
  });

  test('is read as that version read it, by the tokens that it gave', async () => {
    expect(await night.answersOf(client, Object.keys(known.answers))).toMatchObject(known.answers);
  });

  test('has falls that were decided, or only received: they are told, once', async () => {
    await receiver.until(4);
    await cloud.idle();
    const { first, fails } = night.places;
    expect([placesOf('decided'), placesOf('waiting')]).toEqual([
      [fails, first],
      [fails, first],
    ]);
  });

  test('has deliveries that failed: they are tried again at their time', async () => {
    clock.skipTo(timeOf(90));
    await receiver.until(7);
    await cloud.idle();
    const { fails } = night.places;
    expect([placesOf('told'), placesOf('tracks')]).toEqual([[fails], [fails, fails]]);
  });

  test('has escalations: their next steps are told', async () => {
    clock.skipTo(timeOf(night.ENDS_AFTER + night.ESCALATES_AFTER + 5));
    await receiver.until(12);
    await cloud.idle();
    const next = ['told', 'tracks', 'decided', 'waiting'].map(
      (sensor) => placesOf(sensor).filter((place) => place === night.places.next).length,
    );
    expect(next).toEqual([1, 2, 1, 1]);
  });

  test('has open falls: reports about them make no further alarm, and end them', async () => {
    const told = sensorOf('told');
    const tracks = sensorOf('tracks');
    const openOf = async () => {
      const [page] = await client.ok<{ data: { sensorId: string; falls: { since: number }[] }[] }[]>(
        'GET',
        `/customers/${known.customerId}/open-falls`,
      );
      return new Map(page?.data.map(({ sensorId, falls }) => [sensorId, falls[0]?.since ?? 0]));
    };
    const open = await openOf();
    const start = open.get(told.sensorId) ?? 0;
    await night.fall(told, 'calling', start);
    await night.pose(tracks, { track: 1, pose: 5 }, clock.now());
    // What was sent before the person got up comes late.
    await night.pose(tracks, { track: 2, pose: 5 }, night.BEGIN);
    await night.fall(told, 'finished', start);
    await night.pose(tracks, { track: 1, pose: 3 }, clock.now());
    await cloud.idle();
    expect(requests).toHaveLength(12);
    expect(requests.filter(({ isSigned }) => !isSigned)).toEqual([]);
    expect([open.size, (await openOf()).size]).toEqual([4, 2]);
  });
});
