import { describe, expect, test } from 'vitest';
import { type DataJob, JOB_RETENTION } from '#shared/domain/identity/data-job.ts';
import { timeOfUlid } from '#shared/domain/ids.ts';
import { dueAt } from '#shared/store/engine/due.ts';
import { items } from '#shared/store/table.ts';
import { anna, ben, dueOf, jobAt, requestAt } from '#test/fixtures/data-jobs.ts';
import { memoryStore } from '#test/fixtures/memory-store.ts';
import { now, some } from '#test/fixtures/store-items.ts';
import { HOME, OTHER_HOME } from '#test/fixtures/subject-scopes.ts';

const MINUTE = 60_000;
const secondsAfter = (time: number) => Math.ceil((time + JOB_RETENTION) / 1_000);

const createWorld = async (...jobs: DataJob[]) => {
  const { its, table } = memoryStore();
  await its.customers.create(some({ id: HOME, name: 'home' }));
  for (const job of jobs) await its.dataJobs.create(job);
  const raw = ({ customerId, kind, id: jobId }: DataJob) =>
    table.get<Record<string, unknown>>(items.dataJob({ customerId, kind, jobId }));
  return {
    jobs: its.dataJobs,
    its,
    table,
    raw,
    due: (job: DataJob) => dueOf(table, job),
    repeatable: async (since = 0) => (await its.dataJobs.erasuresSince(since)).map(({ id }) => id),
  };
};

describe('new jobs', () => {
  test('a new job is stored for its customer, and is due at once', async () => {
    const job = jobAt(now + 1);
    const { jobs, due, raw } = await createWorld(job);
    expect(await jobs.get(job)).toMatchObject(job);
    expect([await due(job), (await raw(job))?.ttl]).toEqual([now + 1, secondsAfter(now + 1)]);
    expect(await raw(job)).toMatchObject(dueAt(job.id, now + 1));
    expect(await jobs.get({ ...job, customerId: OTHER_HOME })).toBeNull();
    expect(await jobs.get({ ...job, kind: 'export' })).toBeNull();
  });

  test('jobs are listed by kind, newest first', async () => {
    const [first, second] = [jobAt(now), jobAt(now + 1)];
    const { jobs } = await createWorld(first, second, jobAt(now + 2, { kind: 'export' }));
    expect((await jobs.list(HOME, 'erasure')).map(({ id }) => id)).toEqual([second.id, first.id]);
    expect([await jobs.list(HOME, 'export'), await jobs.list(OTHER_HOME, 'erasure')]).toMatchObject([[{}], []]);
  });

  test('a job that has begun is never replaced, but a request restored from a backup is', async () => {
    const job = jobAt(now);
    const { jobs } = await createWorld(job);
    await jobs.create({ ...job, reason: 'again' });
    expect(await jobs.get(job)).toMatchObject({ reason: 'r' });
    const request = requestAt(now + 1);
    await jobs.create(request);
    await jobs.create({ ...request, state: 'running' });
    expect(await jobs.get(request)).toMatchObject({ state: 'running' });
  });
});

describe('the list of erasures to repeat after a recovery', () => {
  test('an erasure is listed when it begins, unlike exports and requests', async () => {
    const job = jobAt(now);
    const { repeatable, jobs, table } = await createWorld(job, jobAt(now + 1, { kind: 'export' }), requestAt(now + 2));
    expect(await repeatable()).toEqual([job.id]);
    const { id, customerId, subject, reason, createDate } = job;
    expect(await jobs.erasuresSince(0)).toMatchObject([{ id, customerId, subject, reason, createDate, actor: anna }]);
    expect(await table.get(items.erasure({ jobId: id }))).toMatchObject({ ttl: secondsAfter(now) });
  });

  test('an erasure without a recorded actor is listed with none', async () => {
    const { actor: _, ...job } = jobAt(now);
    const { jobs } = await createWorld(job);
    expect(await jobs.erasuresSince(0)).toMatchObject([{ actor: null }]);
  });

  test('erasures are listed from a time on, oldest first, for all customers', async () => {
    const all = [0, 1, 2].map((n) => jobAt(now + n, { customerId: HOME + n }));
    const { repeatable } = await createWorld(...all.toReversed());
    expect(await repeatable(now + 1)).toEqual(all.slice(1).map(({ id }) => id));
    expect(await repeatable(now + 3)).toEqual([]);
  });

  test('an approved erasure is listed under the time when it begins, not when it was requested', async () => {
    const request = requestAt(now);
    const { jobs, repeatable, table } = await createWorld(request);
    await jobs.approve(request, ben, now + 1, now + 2);
    expect(await jobs.begin(request, now + MINUTE)).toBe(true);
    expect([await repeatable(now + MINUTE), await repeatable(now + MINUTE + 1)]).toEqual([[request.id], []]);
    const [listed] = await table.queryAll<{ ttl: number }>({ pk: items.erasure.pk({}) });
    expect([timeOfUlid(listed?.sk ?? ''), listed?.ttl]).toEqual([now + MINUTE, secondsAfter(now + MINUTE)]);
  });

  test('an erasure that begins after the clock was set back is kept as long as the job', async () => {
    const request = requestAt(now + MINUTE);
    const { jobs, table } = await createWorld(request);
    await jobs.approve(request, ben, now, now);
    await jobs.begin(request, now);
    expect(await table.queryAll({ pk: items.erasure.pk({}) })).toMatchObject([{ ttl: secondsAfter(now + MINUTE) }]);
  });

  test('a canceled request is listed with the user who canceled it, so that it is canceled again', async () => {
    const request = requestAt(now);
    const { jobs } = await createWorld(request);
    await jobs.cancel(request, ben, now + MINUTE);
    expect(await jobs.erasuresSince(now + MINUTE)).toMatchObject([{ id: request.id, canceledBy: ben }]);
  });
});

describe('requested erasures', () => {
  test('a customer can have only one new request at a time', async () => {
    const [first, second] = [requestAt(now + 1), requestAt(now + 2)];
    const { jobs, its, due, raw } = await createWorld();
    expect([await jobs.request(first, undefined), await jobs.request(second, undefined)]).toEqual([true, false]);
    expect([await jobs.request(second, 'outdated'), await jobs.get(second)]).toEqual([false, null]);
    expect(await its.customers.get(HOME)).toMatchObject({ erasureRequest: first.id, name: 'home' });
    expect([await due(first), (await raw(first))?.ttl]).toEqual([now + 1, secondsAfter(now + 1)]);
    expect(await jobs.request(second, first.id)).toBe(true);
    expect(await its.customers.get(HOME)).toMatchObject({ erasureRequest: second.id });
  });

  test('a request needs an existing customer', async () => {
    const { jobs } = await createWorld();
    const request = requestAt(now, { customerId: 99 });
    expect([await jobs.request(request, undefined), await jobs.get(request)]).toEqual([false, null]);
    expect(await jobs.request(request, 'any')).toBe(false);
  });

  test('an approval counts once, and sets when the erasure begins', async () => {
    const request = requestAt(now);
    const { jobs, due, raw } = await createWorld(request);
    expect([await jobs.approve(request, ben, now + 1, now + 9), await jobs.approve(request, anna, now + 2, 5)]).toEqual(
      [true, false],
    );
    expect(await jobs.get(request)).toMatchObject({ state: 'requested', approvedBy: ben, updateDate: now + 1 });
    expect(await due(request)).toBe(now + 9);
    expect(await raw(request)).toMatchObject(dueAt(request.id, now + 9));
  });

  test('an erasure begins only once, and only after an approval', async () => {
    const request = requestAt(now);
    const { jobs, repeatable } = await createWorld(request);
    expect([await jobs.begin(request, now + 1), await repeatable()]).toEqual([false, []]);
    await jobs.approve(request, ben, now + 1, now + 2);
    expect([await jobs.begin(request, now + 2), await jobs.begin(request, now + 3)]).toEqual([true, false]);
    expect(await jobs.get(request)).toMatchObject({ state: 'running', startDate: now + 2, updateDate: now + 2 });
  });

  test('an approved erasure can be canceled until it begins', async () => {
    const [request, begun] = [requestAt(now), requestAt(now + 1)];
    const { jobs, due, repeatable } = await createWorld(request, begun);
    for (const job of [request, begun]) await jobs.approve(job, ben, now + 1, now + 2);
    await jobs.begin(begun, now + 2);
    expect([await jobs.cancel(request, anna, now + 3), await jobs.cancel(begun, anna, now + 3)]).toEqual([true, false]);
    expect(await jobs.get(request)).toMatchObject({ state: 'canceled', canceledBy: anna, updateDate: now + 3 });
    expect(await due(request)).toBeNull();
    expect(await jobs.get(begun)).not.toHaveProperty('canceledBy');
    expect((await repeatable()).sort()).toEqual([request.id, begun.id].sort());
  });

  test('a canceled request can be neither approved, begun nor canceled again', async () => {
    const request = requestAt(now);
    const { jobs } = await createWorld(request);
    await jobs.cancel(request, anna, now + 1);
    expect([
      await jobs.approve(request, ben, now + 2, now + 2),
      await jobs.begin(request, now + 2),
      await jobs.cancel(request, ben, now + 2),
    ]).toEqual([false, false, false]);
    expect(await jobs.get(request)).toMatchObject({ state: 'canceled', canceledBy: anna });
  });

  test('the sweep ignores a request until it is approved', async () => {
    const [waiting, approved] = [requestAt(now), requestAt(now + 1)];
    const { jobs, due } = await createWorld(waiting, approved);
    await jobs.approve(approved, ben, now, now + 9);
    for (const job of [waiting, approved]) await jobs.awaitApproval(job);
    expect([await due(waiting), await due(approved)]).toEqual([null, now + 9]);
    await jobs.approve(waiting, ben, now, now + 8);
    expect(await due(waiting)).toBe(now + 8);
  });
});

describe('running jobs', () => {
  test('counts of erased items add up over several runs', async () => {
    const job = jobAt(now, { counts: { sensor: 1 } });
    const { jobs } = await createWorld(job);
    await jobs.addCounts(
      job,
      new Map([
        ['user', 1],
        ['event', 5],
      ]),
      now + 1,
    );
    await jobs.addCounts(job, new Map([['event', 2]]), now + 2);
    await jobs.addCounts(job, new Map(), now + 3);
    const all = [await jobs.get(job), ...(await jobs.list(HOME, 'erasure'))];
    const counts = { sensor: 1, user: 1, event: 7 };
    expect(all.map((found) => [found?.counts, found?.updateDate])).toEqual(Array(2).fill([counts, now + 2]));
  });

  test('a job is continued when it is scheduled', async () => {
    const job = jobAt(now);
    const { jobs, due, raw } = await createWorld(job);
    await jobs.schedule(job, now + MINUTE);
    expect([await due(job), await raw(job)]).toEqual([
      now + MINUTE,
      expect.objectContaining(dueAt(job.id, now + MINUTE)),
    ]);
  });

  test('a job records that managers were emailed, that its subject is gone and who got a URL', async () => {
    const job = jobAt(now);
    const { jobs, raw } = await createWorld(job);
    await jobs.recordMails(job);
    await jobs.recordSubjectGone(job, now + 1);
    await jobs.recordUrl(job, now + 2);
    expect(await raw(job)).toMatchObject({ isMailed: true, isGone: true, updateDate: now + 1, urlDate: now + 2 });
  });

  test('a completed job is no longer due, unless a file has to be deleted', async () => {
    const [erasure, made] = [jobAt(now), jobAt(now + 1, { kind: 'export' })];
    const { jobs, due } = await createWorld(erasure, made);
    await jobs.end(erasure, { state: 'completed', updateDate: now + 2, remains: [{ what: 'logs', until: 9 }] }, null);
    await jobs.end(made, { state: 'completed', updateDate: now + 2, counts: { user: 1 }, file: 'f' }, now + 9);
    expect([await due(erasure), await due(made)]).toEqual([null, now + 9]);
    expect(await jobs.get(erasure)).toMatchObject({ state: 'completed', remains: [{ what: 'logs', until: 9 }] });
    expect(await jobs.get(made)).toMatchObject({ state: 'completed', counts: { user: 1 }, file: 'f' });
    await jobs.dropFile(made);
    expect([await due(made), await jobs.get(made)]).toEqual([null, expect.not.objectContaining({ file: 'f' })]);
  });

  test('nothing recreates a job that has expired', async () => {
    const job = jobAt(now);
    const { jobs } = await createWorld();
    await jobs.recordMails(job);
    await jobs.awaitApproval(job);
    await jobs.recordSubjectGone(job, now);
    await jobs.addCounts(job, new Map([['user', 1]]), now);
    await jobs.schedule(job, now);
    await jobs.end(job, { state: 'completed', updateDate: now }, null);
    await jobs.end(job, { state: 'completed', updateDate: now }, now);
    await jobs.recordUrl(job, now);
    await jobs.dropFile(job);
    expect(await jobs.get(job)).toBeNull();
    expect([await jobs.approve(job, ben, now, now), await jobs.begin(job, now)]).toEqual([false, false]);
    expect(await jobs.cancel(job, ben, now)).toBe(false);
  });
});
