import { beforeEach, describe, expect, test } from 'vitest';
import { runImport } from '#functions/workers/data-jobs/import.ts';
import { IMPORT_DEADLINE, type ImportStep } from '#shared/domain/import/import-job.ts';
import { createJobWorld, importOf, type JobWorld } from '#test/fixtures/data-jobs.ts';
import { HOME } from '#test/fixtures/store-sensors.ts';
import { NOW } from '#test/fixtures/stub-deps.ts';

const RETRY = NOW + 360_000;
const job = importOf({ imported: 'sensors' });
const task = { type: 'run_job', customerId: HOME, kind: 'import', jobId: job.id };
const due = () => world.due({ ...job, kind: 'import' });
/** A step for each row: renames the sensor, or another one that does not exist. */
const rename = (row: number, name: string, sensorId = 'id_a'): ImportStep => ({
  do: 'rename_sensor',
  row,
  sensorId,
  name,
});

let world: JobWorld;
beforeEach(async () => {
  world = await createJobWorld();
  await world.hire(7, { permissions: ['manage_sensors', 'edit_sensor_config'] });
  await world.link('id_a');
});
const create = (steps: ImportStep[], fields: Partial<typeof job> = {}) =>
  world.its.imports.create({ ...job, ...fields }, steps, '192.0.2.1');
const run = (timeLeft: () => number = () => 60_000) => runImport(world.deps, job, { retry: RETRY, timeLeft });
const stored = () => world.its.imports.get(job);
const name = async () => (await world.its.sensors.get(HOME, 'id_a'))?.name;

describe('an import that has time', () => {
  test('all steps are applied in order, and the job ends', async () => {
    await create([rename(1, 'Room 1'), rename(2, 'Room 2')]);
    await run();
    expect(await stored()).toMatchObject({ state: 'completed', done: 2, problems: [], updateDate: NOW });
    expect([await name(), await due(), world.enqueued]).toEqual(['Room 2', null, []]);
    expect(world.places).toEqual(['import.applied', 'import.applied']);
    expect((await world.its.imports.steps(job)).steps).toEqual([]);
    expect(await world.auditLines()).toHaveLength(2);
  });

  test('steps that could not be applied are listed by row, and the import fails', async () => {
    await create([rename(3, 'Room 1', 'id_x'), rename(5, 'Room 2')]);
    await run();
    const problems = [{ row: 3, field: 'name', problem: 'changed_since' }];
    expect([await stored(), await name()]).toMatchObject([{ state: 'failed', done: 2, problems }, 'Room 2']);
  });

  test('no more than 100 problems are kept', async () => {
    await create(Array.from({ length: 101 }, (_, row) => rename(row, 'Room', 'id_x')));
    await run();
    const { problems = [], state } = (await stored()) ?? {};
    expect([problems.length, problems.at(-1)?.row, state]).toEqual([100, 99, 'failed']);
  });

  test('rights that the importer has lost are a problem, and nothing is changed', async () => {
    const user = await world.its.users.get(HOME, 7);
    await world.its.users.setAccess(user as never, { canLogin: true, isAdmin: false, permissions: [] }, NOW);
    await create([rename(1, 'Room 1')]);
    await run();
    const problems = [{ row: 1, field: 'hardwareId', problem: 'not_held', values: { choices: 'manage_sensors' } }];
    expect([await stored(), await name()]).toMatchObject([{ problems }, 'id_a']);
  });

  test('the watch of the customer is computed again', async () => {
    const noted: unknown[][] = [];
    world.its.watches.noteChange = async (...args) => void noted.push(args);
    await create([]);
    await run();
    expect([noted, (await stored())?.state]).toEqual([[[HOME, NOW]], 'completed']);
  });
});

describe('an import that continues', () => {
  test('steps of an earlier run are not repeated, and its problems stay', async () => {
    const problems = [{ row: 1, field: 'name', problem: 'limit' as const }];
    await create([rename(1, 'Room 1'), rename(2, 'Room 2', 'id_x')], { done: 1, problems });
    await run();
    expect(await name()).toBe('id_a');
    expect(await stored()).toMatchObject({ done: 2, problems: [{ row: 1 }, { row: 2 }] });
  });

  test('the rest is left to another run when less than 15 s are left', async () => {
    await create([rename(1, 'Room 1'), rename(2, 'Room 2')]);
    const left = [15_000, 14_999];
    await run(() => left.shift() ?? 0);
    expect([await stored(), await name(), await due()]).toMatchObject([{ state: 'running', done: 1 }, 'Room 1', NOW]);
    expect(world.enqueued).toEqual([[[task], 0]]);
    await run();
    expect([await stored(), await name()]).toMatchObject([{ state: 'completed', done: 2 }, 'Room 2']);
  });

  test('each step is recorded, so that a crash repeats at most one', async () => {
    await create([rename(1, 'Room 1'), rename(2, 'Room 2')]);
    let steps = 0;
    world.deps.failpoint = () => {
      steps += 1;
      if (steps === 2) throw new Error('crash');
    };
    await expect(run()).rejects.toThrow('crash');
    expect([await stored(), await name(), await due()]).toMatchObject([{ state: 'running', done: 1 }, 'Room 2', RETRY]);
  });
});

describe('an import that may not run', () => {
  test('it waits while another import of the customer runs', async () => {
    await create([rename(1, 'Room 1')]);
    await world.its.imports.takeTurn({ customerId: HOME, id: '2'.repeat(26) }, NOW, RETRY);
    await run();
    expect([await stored(), await name(), await due()]).toMatchObject([{ state: 'running', done: 0 }, 'id_a', RETRY]);
    expect(world.enqueued).toEqual([[[task], 10]]);
  });

  test('it fails after six hours, even if steps are left', async () => {
    await create([rename(1, 'Room 1')]);
    world.pass(IMPORT_DEADLINE + 1);
    await run();
    expect([await stored(), await name()]).toMatchObject([{ state: 'failed', done: 0 }, 'id_a']);
  });

  test('it still runs at the deadline', async () => {
    await create([rename(1, 'Room 1')]);
    world.pass(IMPORT_DEADLINE);
    await runImport(world.deps, job, { retry: NOW + IMPORT_DEADLINE + 1, timeLeft: () => 60_000 });
    expect([await stored(), await name()]).toMatchObject([{ state: 'completed' }, 'Room 1']);
  });

  test.each(['completed', 'failed'] as const)('an import that has %s is left alone', async (state) => {
    await create([rename(1, 'Room 1')], { state });
    await run();
    expect([await stored(), await name(), await due()]).toMatchObject([{ state, done: 0 }, 'id_a', NOW]);
  });

  test('a task without an import does nothing', async () => {
    await run();
    expect([await stored(), world.enqueued]).toEqual([null, []]);
  });
});
