import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openStorage } from '#lib/local/table/storage.ts';
import { repeatErasuresInFolder } from '#lib/tools/repeat-erasures.ts';
import { openTable } from '#lib/tools/table.ts';
import { randomUlid } from '#shared/domain/ids.ts';
import { store } from '#shared/store/store.ts';

const NOW = 1_800_000_000_000;

/** Creates a data folder. Returns access to its jobs. */
const folder = async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'again-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  await openStorage(dataDir).close();
  const within = async <T>(run: (jobs: ReturnType<typeof store>['dataJobs']) => Promise<T>): Promise<T> => {
    const { table, close } = await openTable({ dataDir, table: 'sensor-cloud' });
    try {
      return await run(store(table).dataJobs);
    } finally {
      await close();
    }
  };
  return { dataDir, within };
};
const erasure = (minutes: number) => {
  const createDate = NOW + minutes * 60_000;
  const id = randomUlid(createDate, (bytes) => new Uint8Array(bytes));
  const job = { id, kind: 'erasure', customerId: 7, state: 'completed', subject: { kind: 'user', id: 12 } } as const;
  return { ...job, reason: 'r', counts: {}, createDate, updateDate: createDate, remains: [] };
};

test('repeats erasures made since the backup only once in the restored folder', async () => {
  const before = await folder();
  const restored = await folder();
  await before.within(async (jobs) => {
    for (const minutes of [0, 5]) await jobs.create(erasure(minutes));
  });
  await restored.within((jobs) => jobs.create(erasure(0)));
  expect(await repeatErasuresInFolder(restored.dataDir, before.dataDir, NOW + 600_000)).toBe(2);
  expect(await repeatErasuresInFolder(restored.dataDir, before.dataDir, NOW + 900_000)).toBe(2);
  const found = await restored.within((jobs) => jobs.list(7, 'erasure'));
  expect(found.map(({ id, state, createDate }) => [id, state, createDate])).toEqual([
    [erasure(5).id, 'running', NOW + 600_000],
    [erasure(0).id, 'completed', NOW],
  ]);
});

test('starts erasures approved since the backup, and cancels those canceled since then', async () => {
  const before = await folder();
  const restored = await folder();
  const actor = { kind: 'user', id: '5', name: 'ann' } as const;
  const requested = (minutes: number) => ({ ...erasure(minutes), state: 'requested' as const });
  const [begun, canceled, open] = [requested(0), requested(5), requested(10)];
  for (const { within } of [before, restored])
    await within(async (jobs) => {
      for (const job of [begun, canceled, open]) await jobs.create(job);
      await jobs.approve(canceled, actor, NOW, NOW);
    });
  await before.within(async (jobs) => {
    await jobs.approve(begun, actor, NOW, NOW);
    expect(await jobs.begin(begun, NOW + 60_000)).toBe(true);
    expect(await jobs.cancel(canceled, actor, NOW + 120_000)).toBe(true);
    expect(await jobs.begin(open, NOW + 60_000)).toBe(false);
  });
  expect(await repeatErasuresInFolder(restored.dataDir, before.dataDir, NOW + 600_000)).toBe(1);
  const found = await restored.within((jobs) => jobs.list(7, 'erasure'));
  expect(found.map(({ id, state }) => [id, state])).toEqual([
    [open.id, 'requested'],
    [canceled.id, 'canceled'],
    [begun.id, 'running'],
  ]);
});
