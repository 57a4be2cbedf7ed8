import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { runJob } from '#functions/workers/data-jobs/handler.ts';
import { type DataJob, EXPORT_RETENTION, LAST_PASS_AFTER } from '#shared/domain/identity/data-job.ts';
import { items } from '#shared/store/table.ts';
import { createJobWorld, importOf, jobAt, requestAt } from '#test/fixtures/data-jobs.ts';
import { HOME } from '#test/fixtures/store-sensors.ts';
import { NOW } from '#test/fixtures/stub-deps.ts';

/** When (ms) the sweep runs a job again that has just begun to run: after its longest run. */
const RETRY = NOW + 360_000;
const exportOf = (fields: Partial<DataJob> = {}) => jobAt(NOW, { kind: 'export', ...fields });

const createWorld = async (job?: DataJob) => {
  const world = await createJobWorld();
  if (job) await world.its.dataJobs.create(job);
  const { id: jobId, kind } = job ?? jobAt(NOW);
  return {
    ...world,
    run: (timeLeft = 60_000) => runJob({ type: 'run_job', customerId: HOME, kind, jobId }, world.deps, () => timeLeft),
    stored: async () => (job ? world.its.dataJobs.get(job) : null),
    dueAgain: async () => (job ? world.due(job) : null),
  };
};

describe('a job that runs', () => {
  test('an export is saved', async () => {
    const { deps, run, stored, due } = await createWorld(exportOf());
    let whileSaving: number | null = null;
    deps.exports.save = async (_, body) => {
      whileSaving = await due(exportOf());
      for await (const _ of Readable.from(body));
    };
    await run();
    expect([whileSaving, (await stored())?.state]).toEqual([RETRY, 'completed']);
  });

  test('an erasure that fails runs again after its longest run', async () => {
    const { its, run, dueAgain } = await createWorld(jobAt(NOW));
    its.subjects.leads = async () => {
      throw new Error('the table is unavailable');
    };
    await expect(run()).rejects.toThrow('the table is unavailable');
    expect(await dueAgain()).toBe(RETRY);
  });

  test('an erasure goes on until its last pass, with the time that is left', async () => {
    const { run, dueAgain, table, enqueued } = await createWorld(jobAt(NOW));
    await run();
    expect([await dueAgain(), enqueued]).toEqual([NOW + LAST_PASS_AFTER, []]);
    await table.write({ put: items.channel({ customerId: HOME, userId: 7, by: 'sms' }) });
    await run(0);
    expect(enqueued).toHaveLength(1);
  });

  test('a requested erasure waits until it begins', async () => {
    const { run, dueAgain } = await createWorld(requestAt(NOW, { begins: NOW + 5 }));
    await run();
    expect(await dueAgain()).toBe(NOW + 5);
  });

  test('an import is found by its id, and tried again after its longest run', async () => {
    const { its, deps, due } = await createWorld();
    const job = importOf({ imported: 'sensors' });
    await its.imports.create(job, [{ do: 'rename_sensor', row: 1, sensorId: 'id_a', name: 'Room 1' }], '');
    const task = { type: 'run_job', customerId: HOME, kind: 'import', jobId: job.id } as const;
    await runJob(task, deps, () => 0);
    expect([(await its.imports.get(job))?.state, await due({ ...job, kind: 'import' })]).toEqual(['running', NOW]);
    deps.failpoint = () => {
      throw new Error('crash');
    };
    await expect(runJob(task, deps, () => 60_000)).rejects.toThrow('crash');
    expect(await due({ ...job, kind: 'import' })).toBe(RETRY);
  });

  test('a task without a job does nothing', async () => {
    const { run, enqueued, removedFiles } = await createWorld();
    await run();
    expect([enqueued, removedFiles]).toEqual([[], []]);
  });
});

describe('a job that has ended', () => {
  const made = exportOf({ state: 'completed', file: 'a.zip' });

  test('the file is deleted a day after it ended', async () => {
    const { run, stored, dueAgain, removedFiles, pass } = await createWorld(made);
    pass(EXPORT_RETENTION);
    await run();
    expect([removedFiles, (await stored())?.file, await dueAgain()]).toEqual([['a.zip'], undefined, null]);
  });

  test('the file stays if the task arrives too early', async () => {
    const { run, stored, dueAgain, removedFiles, pass } = await createWorld(made);
    pass(EXPORT_RETENTION - 1);
    await run();
    expect([removedFiles, (await stored())?.file, await dueAgain()]).toEqual([[], 'a.zip', NOW + EXPORT_RETENTION]);
  });

  test.each(['completed', 'failed', 'canceled'] as const)('a %s job without a file is no longer due', async (state) => {
    const { run, dueAgain, removedFiles } = await createWorld(jobAt(NOW, { state }));
    await run();
    expect([removedFiles, await dueAgain()]).toEqual([[], null]);
  });
});
