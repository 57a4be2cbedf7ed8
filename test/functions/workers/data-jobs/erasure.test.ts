import { describe, expect, test } from 'vitest';
import { runErasure } from '#functions/workers/data-jobs/erasure.ts';
import { type DataJob, JOB_RETENTION, LAST_PASS_AFTER } from '#shared/domain/identity/data-job.ts';
import { items } from '#shared/store/table.ts';
import { createJobWorld, type JobWorld, jobAt } from '#test/fixtures/data-jobs.ts';
import { HOME } from '#test/fixtures/store-sensors.ts';
import { NOW } from '#test/fixtures/stub-deps.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
const sensorId = 'id_a';
const ofSensor = (id: string, fields: Partial<DataJob> = {}) =>
  jobAt(NOW, { id: id.repeat(26), subject: { kind: 'sensor', id: sensorId }, isGone: true, ...fields });
const exportAt = (createDate: number, fields: Partial<DataJob> = {}) =>
  jobAt(createDate, { kind: 'export', state: 'completed', ...fields });

const createWorld = async (...jobs: DataJob[]) => {
  const world = await createJobWorld();
  for (const job of jobs) await world.its.dataJobs.create(job);
  return {
    ...world,
    run: (job: DataJob, timeLeft = MINUTE) => runErasure(world.deps, job, () => timeLeft),
    state: async (job: DataJob) => (await world.its.dataJobs.get(job))?.state,
  };
};

describe('when an erasure runs again', () => {
  test('the subject is detached once, and the erasure continues after the last possible write', async () => {
    const job = jobAt(NOW);
    const { its, hire, run, due, places } = await createWorld(job);
    await hire(7);
    await run(job);
    expect(places).toEqual(['erasure.led', 'erasure.gone', 'erasure.item', 'erasure.erased']);
    expect(await its.subjects.leads(job)).toMatchObject([{ kind: 'user', id: '7', accountKey: 'key 7' }]);
    expect(await its.dataJobs.get(job)).toMatchObject({ state: 'running', isGone: true, updateDate: NOW });
    expect(await due(job)).toBe(NOW + LAST_PASS_AFTER);
    await hire(7, { username: 'someone else' });
    await run({ ...job, isGone: true });
    expect(places[4]).toBe('erasure.gone');
  });

  test('an erasure that found nothing completes once enough time has passed since it began', async () => {
    const job = jobAt(NOW, { isGone: true });
    const { its, run, due, state, pass } = await createWorld(job);
    await its.subjects.keepLead(job, { kind: 'user', id: '7', accountKey: 'key' });
    pass(LAST_PASS_AFTER - 1);
    await run(job);
    expect([await state(job), await due(job)]).toEqual(['running', NOW + LAST_PASS_AFTER - 1 + MINUTE]);
    expect(await its.subjects.leads(job)).toHaveLength(1);
    pass(1);
    await run(job);
    expect([await state(job), await due(job), await its.subjects.leads(job)]).toEqual(['completed', null, []]);
  });

  test('a requested erasure counts from when it began', async () => {
    const job = jobAt(NOW - DAY, { isGone: true, startDate: NOW });
    const { run, due, state } = await createWorld(job);
    await run(job);
    expect([await state(job), await due(job)]).toEqual(['running', NOW + LAST_PASS_AFTER]);
  });

  test('an erasure that found something runs again a minute later', async () => {
    const job = jobAt(NOW - LAST_PASS_AFTER, { isGone: true });
    const { table, run, due, state, pass } = await createWorld(job);
    await table.write({ put: items.channel({ customerId: HOME, userId: 7, by: 'sms' }) });
    await run(job);
    expect([await state(job), await due(job)]).toEqual(['running', NOW + MINUTE]);
    pass(MINUTE);
    await run(job);
    expect(await state(job)).toBe('completed');
  });

  test('an erasure without time left continues at once', async () => {
    const job = jobAt(NOW - LAST_PASS_AFTER, { isGone: true });
    const { table, run, due, enqueued } = await createWorld(job);
    await table.write({ put: items.channel({ customerId: HOME, userId: 7, by: 'sms' }) });
    const before = await due(job);
    await run(job, 0);
    expect(enqueued).toEqual([[[{ type: 'run_job', customerId: HOME, kind: 'erasure', jobId: job.id }], 0]]);
    expect(await due(job)).toBe(before);
  });
});

describe('what an erasure leaves behind', () => {
  const remainsOf = async (settings: object) => {
    const job = jobAt(NOW - LAST_PASS_AFTER, { isGone: true });
    const { its, run, deps } = await createWorld(job);
    Object.assign(deps.settings, settings);
    await run(job);
    const { state, remains, updateDate } = (await its.dataJobs.get(job)) ?? {};
    expect([state, updateDate]).toEqual(['completed', NOW]);
    return remains;
  };
  const quarantine = { what: 'quarantine', until: NOW + 14 * DAY };
  const list = { what: 'list_of_erasures', until: NOW - LAST_PASS_AFTER + JOB_RETENTION };

  test('a completed erasure lists where traces remain, and until when', async () => {
    expect(await remainsOf({ BACKUP_DAYS: 35, LOG_DAYS: 30 })).toEqual([
      { what: 'backups', until: NOW + 35 * DAY },
      { what: 'logs', until: NOW + 30 * DAY },
      quarantine,
      list,
    ]);
  });

  test('backups, logs and the outbox have no end if the operator keeps them', async () => {
    expect(await remainsOf({ BACKUP_DAYS: 0, LOG_DAYS: 0, OUTBOX_KINDS: ['sms'] })).toEqual([
      { what: 'backups', until: null },
      { what: 'logs', until: null },
      quarantine,
      { what: 'outbox', until: null },
      list,
    ]);
  });
});

describe('exports of an erased subject', () => {
  test('all export files of the customer are deleted, and those without a file are left alone', async () => {
    const job = jobAt(NOW);
    const [made, failed] = [exportAt(NOW - 1, { file: 'a.zip' }), exportAt(NOW - 2, { state: 'failed' })];
    const { its, run, due, removedFiles } = await createWorld(job, made, failed);
    await run(job);
    expect(removedFiles).toEqual(['a.zip']);
    expect((await its.dataJobs.get(made))?.file).toBeUndefined();
    // A job whose file was removed is no longer due.
    expect([await due(made), await due(failed)]).toEqual([null, NOW - 2]);
  });

  const job = jobAt(NOW - LAST_PASS_AFTER, { isGone: true });
  const start = NOW - LAST_PASS_AFTER;
  test.each([
    ['an export that was running when the erasure began', exportAt(start, { state: 'running' }), 'running'],
    ['an export that began during the erasure', exportAt(start + 1, { state: 'running' }), 'running'],
    ['an export that has ended', exportAt(start - 1), 'completed'],
  ])('%s decides whether the erasure can complete', async (_, made, expected) => {
    const { run, state } = await createWorld(job, made);
    await run(job);
    expect(await state(job)).toBe(expected);
  });

  test('a file with data read before it was erased is deleted before the erasure completes', async () => {
    const made = exportAt(NOW - 1, { state: 'running' });
    const { its, run, state, due, removedFiles, pass } = await createWorld(job, made);
    await run(job);
    expect([await state(job), await due(job)]).toEqual(['running', NOW + MINUTE]);
    await its.dataJobs.end(made, { state: 'completed', updateDate: NOW, file: 'late.zip' }, NOW + DAY);
    pass(MINUTE);
    await run(job);
    expect([await state(job), removedFiles]).toEqual(['completed', ['late.zip']]);
  });
});

describe('when an erased sensor may be linked again', () => {
  /** Whether the sensor can be linked after a run of this erasure beside the other one. */
  const runBeside = async (job: DataJob, ...others: DataJob[]) => {
    const world = await createWorld(job, ...others);
    await world.its.subjects.markErased(HOME, sensorId, NOW, true);
    world.pass(LAST_PASS_AFTER);
    await world.run(job);
    return [await world.state(job), await canLink(world)];
  };
  const canLink = async ({ link }: JobWorld) => (await link(sensorId)) !== 'being_erased';

  test('an erasure alone allows it when it completes', async () => {
    expect(await runBeside(ofSensor('5'))).toEqual(['completed', true]);
  });

  test('an older erasure leaves it to the newest, which waits for the others', async () => {
    expect(await runBeside(ofSensor('5'), ofSensor('6'))).toEqual(['completed', false]);
    expect(await runBeside(ofSensor('5'), ofSensor('4'), ofSensor('6'))).toEqual(['completed', false]);
    expect(await runBeside(ofSensor('5'), ofSensor('4'))).toEqual(['running', false]);
  });

  test('an erasure that waits for another one checks again a minute later', async () => {
    const job = ofSensor('5');
    const { run, due, pass } = await createWorld(job, ofSensor('4'));
    pass(LAST_PASS_AFTER);
    await run(job);
    expect(await due(job)).toBe(NOW + LAST_PASS_AFTER + MINUTE);
  });

  test.each([
    ['has ended', { state: 'completed' }],
    ['is about another sensor', { subject: { kind: 'sensor', id: 'id_b' } }],
    ['is about a user with the same id', { subject: { kind: 'user', id: sensorId as never } }],
  ] as [string, Partial<DataJob>][])('an erasure does not wait for one that %s', async (_, fields) => {
    expect(await runBeside(ofSensor('5'), ofSensor('4', fields))).toEqual(['completed', true]);
  });

  test('an erasure of a user marks no sensor', async () => {
    const job = jobAt(NOW, { isGone: true, subject: { kind: 'user', id: sensorId as never } });
    expect(await runBeside(job)).toEqual(['completed', false]);
  });
});
