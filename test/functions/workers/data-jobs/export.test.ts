import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { runExport } from '#functions/workers/data-jobs/export.ts';
import { type DataJob, EXPORT_RETENTION } from '#shared/domain/identity/data-job.ts';
import { items } from '#shared/store/table.ts';
import { createJobWorld, jobAt } from '#test/fixtures/data-jobs.ts';
import { HOME } from '#test/fixtures/store-sensors.ts';
import { NOW } from '#test/fixtures/stub-deps.ts';
import { unzip } from '#test/fixtures/unzip.ts';

const HOUR = 3_600_000;
const jobOf = (fields: Partial<DataJob> = {}) => jobAt(NOW, { kind: 'export', ...fields });

/** Creates an export. `saved`: the files it saved, with the lines in them. */
const createWorld = async (job: DataJob) => {
  const saved: [file: string, lines: Record<string, unknown>[]][] = [];
  const save = async (file: string, body: NodeJS.ReadableStream) => {
    const { 'data.jsonl': text = '' } = await unzip(await buffer(body));
    saved.push([file, text.split('\n').flatMap((line) => (line ? [JSON.parse(line)] : []))]);
  };
  const removed: string[] = [];
  const world = await createJobWorld({ exports: { save, remove: async (file: string) => void removed.push(file) } });
  await world.its.dataJobs.create(job);
  return { ...world, saved, removed, run: () => runExport(world.deps, job), stored: () => world.its.dataJobs.get(job) };
};

test('an export of a user has a line for each item, is counted by kind, and is due again when the file expires', async () => {
  const job = jobOf();
  const { table, hire, run, stored, saved, due } = await createWorld(job);
  for (const id of [6, 7, 8]) await hire(id);
  const channel = (userId: number, by: string) => table.write({ put: items.channel({ customerId: HOME, userId, by }) });
  for (const [userId, by] of [
    [7, 'sms'],
    [7, 'push'],
    [8, 'sms'],
  ] as const)
    await channel(userId, by);
  await table.write({ put: items.knownAddress({ accountKey: 'key 7', address: '192.0.2.7' }) });
  await run();
  const [[file, lines] = ['', []]] = saved;
  expect(file).toBe(`user-${job.id}.zip`);
  const counts = Object.fromEntries(
    [...Map.groupBy(lines, ({ item }) => item)].map(([kind, all]) => [kind, all.length]),
  );
  expect(counts).toEqual({ user: 1, channel: 2, knownAddress: 1 });
  expect(await stored()).toMatchObject({ state: 'completed', updateDate: NOW, file });
  expect((await stored())?.counts).toEqual(counts);
  expect(await due(job)).toBe(NOW + EXPORT_RETENTION);
  expect(JSON.stringify(lines)).not.toMatch(/key 7|hash|user8/);
});

test('an unknown user has an export without lines', async () => {
  const { run, stored, saved } = await createWorld(jobOf());
  await run();
  expect([saved.map(([, lines]) => lines), await stored()]).toMatchObject([[[]], { state: 'completed', counts: {} }]);
});

test('an export of a customer contains everything that users and sensors lead to', async () => {
  const { table, hire, link, run, saved } = await createWorld(jobOf({ subject: { kind: 'customer', id: HOME } }));
  await hire(7);
  await link('id_a');
  await table.write({ put: items.channel({ customerId: HOME, userId: 7, by: 'sms' }) });
  await table.write({ put: items.sensorState({ customerId: HOME, sensorId: 'id_a' }) });
  await run();
  const kinds = new Set(saved[0]?.[1].map(({ item }) => item));
  expect([...kinds]).toEqual(expect.arrayContaining(['customer', 'user', 'channel', 'sensor', 'sensorState']));
});

test('an export of a sensor contains the sensor but no user', async () => {
  const { hire, link, run, saved } = await createWorld(jobOf({ subject: { kind: 'sensor', id: 'id_a' } }));
  await hire(7);
  await link('id_a');
  await run();
  const kinds = saved[0]?.[1].map(({ item }) => item);
  expect(kinds).toContain('sensor');
  expect(kinds).not.toContain('user');
});

test('an export that has not succeeded for more than six hours fails, and leaves no file', async () => {
  const job = jobOf();
  const { run, stored, saved, removed, due, pass } = await createWorld(job);
  pass(6 * HOUR + 1);
  await run();
  expect(await stored()).toMatchObject({ state: 'failed', updateDate: NOW + 6 * HOUR + 1 });
  expect([saved, removed, await due(job)]).toEqual([[], [`user-${job.id}.zip`], null]);
});

test('an export still runs after exactly six hours', async () => {
  const { run, stored, removed } = await createWorld(jobOf({ createDate: NOW - 6 * HOUR }));
  await run();
  expect([await stored(), removed]).toMatchObject([{ state: 'completed' }, []]);
});
