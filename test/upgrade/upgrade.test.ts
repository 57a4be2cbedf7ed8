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
import type { AroundInvocation } from '#lib/local/lambda/load-handler.ts';
import { journalsIn } from '#lib/local/queue/queue-file.ts';
import { openStorage } from '#lib/local/table/storage.ts';
import { type Client, clientOf } from '../fixtures/client.ts';
import { dump, restore } from './folder.ts';
import * as night from './night.ts';

type Known = Awaited<ReturnType<typeof night.writeNight>>['known'];
const files = fileURLToPath(new URL('versions/*.sql', import.meta.url));
/** Escalations are found through the timer queue and through the due index. */
const kinds = [
  { kind: 'complete', includes: () => true },
  {
    kind: 'without its queue of timers',
    includes: (row: string) => !/^INSERT INTO messages VALUES \(\d+, 'timers'/.test(row),
  },
];
const folders = globSync(files).flatMap((file) =>
  kinds.map((kind) => ({ version: basename(file, '.sql'), file, ...kind })),
);

// During a deployment, two versions share one table, and the next version opens existing folders. Stored names
// therefore never change.
describe.each(folders)('a data folder left by $version in the middle of a night, $kind', ({ file, includes }) => {
  const timeOf = (seconds: number) => night.BEGIN + seconds * 1_000;
  const clock = skippingClock(timeOf(night.ENDS_AFTER));
  const requests: { path: string; sensorId: string; isSigned: boolean }[] = [];
  let known: Known;
  let folder: string;
  let receiver: Receiver;
  let cloud: Cloud;
  let answers: Awaited<ReturnType<typeof night.answersOf>>;
  let client: Client;
  const pathsOf = (sensor: string) =>
    requests
      .filter(({ sensorId }) => sensorId === known.sensors[sensor]?.sensorId)
      .map(({ path }) => path)
      .toSorted();
  const sensorOf = (name: string) => {
    const { sensorId = '', deviceToken = '' } = known.sensors[name] ?? {};
    return { sensorId, device: clientOf(cloud.url, deviceToken) };
  };

  beforeAll(async () => {
    receiver = await startReceiver(({ headers, body }, response) => {
      const signature = createHmac('sha256', night.SECRET).update(body).digest('hex');
      requests.push({
        path: response.req.url?.replace('/hook', '') ?? '',
        sensorId: JSON.parse(body).sensor.id,
        isSigned: headers['x-service-cloud-signature'] === `sha256=${signature}`,
      });
      response.end();
    });
    folder = await mkdtemp(join(tmpdir(), 'version-'));
    const rows = readFileSync(file, 'utf8').split('\n').filter(includes);
    await restore(folder, rows.join('\n').replaceAll(night.RECEIVER, receiver.url));
    known = JSON.parse(readFileSync(file.replace(/sql$/, 'json'), 'utf8').replaceAll(night.RECEIVER, receiver.url));
    // Messages received but not yet processed are processed only after these responses, which must match the responses
    // from the night.
    const answered = Promise.withResolvers<void>();
    const around: AroundInvocation = async (name, invocation) => {
      if (name === 'process') await answered.promise;
      return invocation();
    };
    cloud = await night.startAt(folder, clock, { around });
    client = clientOf(cloud.url, known.token);
    answers = await night.answersOf(client, Object.keys(known.answers));
    answered.resolve();
  });
  afterAll(async () => {
    await cloud.stop();
    await receiver.stop();
    await rm(folder, { recursive: true });
  });

  test('returns the same responses to existing tokens', async () => {
    expect(answers).toMatchObject(known.answers);
  });

  test('notifies only once about falls received before the upgrade', async () => {
    await receiver.until(4);
    await cloud.idle();
    const { first, fails } = night.paths;
    expect([pathsOf('decided'), pathsOf('received')]).toEqual([
      [fails, first],
      [fails, first],
    ]);
  });

  test('retries failed deliveries when they are due', async () => {
    clock.skipTo(timeOf(90));
    await receiver.until(7);
    await cloud.idle();
    const { fails } = night.paths;
    expect([pathsOf('notified'), pathsOf('tracks')]).toEqual([[fails], [fails, fails]]);
  });

  test('continues escalations with the next round', async () => {
    clock.skipTo(timeOf(night.ENDS_AFTER + night.ESCALATES_AFTER + 5));
    await receiver.until(12);
    await cloud.idle();
    const next = ['notified', 'tracks', 'decided', 'received'].map(
      (sensor) => pathsOf(sensor).filter((path) => path === night.paths.next).length,
    );
    expect(next).toEqual([1, 2, 1, 1]);
  });

  test('ends open falls without raising new alarms', async () => {
    const notified = sensorOf('notified');
    const tracks = sensorOf('tracks');
    const openFalls = async () => {
      const [page] = await client.ok<{ data: { sensorId: string; falls: { since: number }[] }[] }[]>(
        'GET',
        `/customers/${known.customerId}/open-falls`,
      );
      return new Map(page?.data.map(({ sensorId, falls }) => [sensorId, falls[0]?.since ?? 0]));
    };
    const open = await openFalls();
    const start = open.get(notified.sensorId) ?? 0;
    await night.fall(notified, 'calling', start);
    await night.pose(tracks, { track: 1, pose: 5 }, clock.now());
    // A report from before the person got up arrives late.
    await night.pose(tracks, { track: 2, pose: 5 }, night.BEGIN);
    await night.fall(notified, 'finished', start);
    await night.pose(tracks, { track: 1, pose: 3 }, clock.now());
    await cloud.idle();
    expect(requests).toHaveLength(12);
    expect(requests.filter(({ isSigned }) => !isSigned)).toEqual([]);
    expect([open.size, (await openFalls()).size]).toEqual([4, 2]);
  });
});

// Older versions insert columns by position, and number rows after the highest value in `sqlite_sequence`.
test('keeps the table layout, so the last version can still open the file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'version-'));
  const { turns, database, close } = openStorage(folder);
  const journal = journalsIn({ database, turns })('events');
  const sequence = journal.nextSequence();
  const row = { sequence, messageId: 'm', body: 'b', groupId: undefined, deduplicationId: undefined };
  void journal.add({ ...row, sentAt: 0, visibleAt: 0 });
  void journal.remove(sequence);
  await turns.kept();
  const numbers = database
    .prepare('SELECT name, seq FROM sqlite_sequence')
    .all()
    .map((row) => ({ ...row }));
  expect(numbers).toEqual([{ name: 'messages', seq: sequence }]);
  await close();
  const tables = (statements: string): string[] =>
    statements.split(/;\r?\n/).filter((statement) => /^(CREATE|PRAGMA)/.test(statement));
  const latest = globSync(files).toSorted().at(-1);
  expect(tables(dump(folder))).toEqual(tables(readFileSync(latest ?? '', 'utf8')));
  await rm(folder, { recursive: true });
});
