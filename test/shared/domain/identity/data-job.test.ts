import { describe, expect, test } from 'vitest';
import {
  type DataJob,
  erasureView,
  exportView,
  fileUntil,
  isRequestOf,
  mayExport,
  needsApproval,
  startOf,
} from '#shared/domain/identity/data-job.ts';
import { jobIdText, NewDataJob, type Subject } from '#shared/domain/identity/data-job-view.ts';
import { runJobTask } from '#shared/domain/identity/job-kinds.ts';
import { type Caller, Permission } from '#shared/domain/identity/permission.ts';

const DAY = 86_400_000;
const caller = (permissions: readonly Permission[] = [], isAdmin = false) => ({ isAdmin, permissions }) as Caller;
const subject = (kind: Subject['kind']) => ({ kind, id: kind === 'sensor' ? 'id_1' : 1 }) as Subject;
const job: DataJob = {
  id: '01'.repeat(13),
  kind: 'erasure',
  customerId: 1,
  state: 'requested',
  createDate: 1_000,
  updateDate: 2_000,
  subject: subject('customer'),
  reason: 'closed',
  counts: { users: 2 },
  remains: [{ what: 'logs', until: 9 }],
};
const actor = { kind: 'user' as const, id: '7', name: 'anna' };

test('only customer erasures need approval, unless a system admin requests them', () => {
  expect(needsApproval('erasure', subject('customer'), caller())).toBe(true);
  expect(needsApproval('erasure', subject('customer'), caller([], true))).toBe(false);
  expect(needsApproval('export', subject('customer'), caller())).toBe(false);
  for (const kind of ['sensor', 'user'] as const) expect(needsApproval('erasure', subject(kind), caller())).toBe(false);
});

test('isRequestOf is true only until the erasure starts or is canceled', () => {
  expect(isRequestOf({ ...job, actor }, 7)).toBe(true);
  expect(isRequestOf({ ...job, actor }, 8)).toBe(false);
  expect(isRequestOf({ ...job, actor: null }, 7)).toBe(false);
  expect(isRequestOf(job, 7)).toBe(false);
  for (const state of ['running', 'completed', 'failed', 'canceled'] as const)
    expect(isRequestOf({ ...job, actor, state }, 7)).toBe(false);
});

test('an erasure starts when approved, or when created if no approval was needed', () => {
  expect([startOf(job), startOf({ ...job, startDate: 5_000 })]).toEqual([1_000, 5_000]);
});

test('an erasure never shows a download URL', () => {
  const { kind, customerId, ...shown } = job;
  const missing = { actor: null, begins: null, approvedBy: null, canceledBy: null, fileUntil: null, url: null };
  expect(erasureView({ ...job, file: 'f' })).toEqual({ ...shown, kind, customerId, file: 'f', ...missing });
  const all = { actor, begins: 3, approvedBy: actor, canceledBy: actor };
  expect(erasureView({ ...job, ...all })).toMatchObject({ ...all, fileUntil: null, url: null });
});

describe('exports', () => {
  const needed = {
    customer: ['manage_users', 'manage_bots', 'manage_rules'],
    sensor: ['manage_users', 'manage_bots', 'manage_rules'],
    user: ['manage_users', 'manage_rules'],
  } as const;
  test.each(Object.entries(needed) as [Subject['kind'], readonly Permission[]][])(
    'exporting a %s requires permissions for all the exported data',
    (kind, permissions) => {
      expect(mayExport(caller(permissions), subject(kind))).toBe(true);
      expect(mayExport(caller([], true), subject(kind))).toBe(true);
      for (const missing of permissions)
        expect(mayExport(caller(Permission.options.filter((one) => one !== missing)), subject(kind))).toBe(false);
    },
  );
  test('an export result is kept for one day after completion', () => {
    const done = { file: 'f', updateDate: 2_000 };
    expect(fileUntil(done, 2_000)).toBe(2_000 + DAY);
    expect(fileUntil(done, 2_000 + DAY - 1)).toBe(2_000 + DAY);
    expect(fileUntil(done, 2_000 + DAY)).toBeNull();
    expect(fileUntil({ updateDate: 2_000 }, 2_000)).toBeNull();
  });

  test('an export shows a download URL only if there is one', () => {
    const view = exportView({ ...job, kind: 'export', state: 'completed', file: 'f' }, 3_000);
    expect(view).toMatchObject({ actor: null, url: null, fileUntil: 2_000 + DAY, counts: { users: 2 } });
    expect(view).not.toHaveProperty('remains');
    expect(exportView({ ...job, actor }, 3_000, 'https://u')).toMatchObject({
      actor,
      url: 'https://u',
      fileUntil: null,
    });
  });
});

test('a data job request needs a subject and a reason but no password', () => {
  const parse = (body: object) => NewDataJob.safeParse(body);
  const body = { subject: { kind: 'user', id: 12 }, reason: 'r' };
  expect(parse(body).data).toEqual({ ...body, password: '' });
  expect(parse({ ...body, reason: 'r'.repeat(256), password: 'p'.repeat(1_024) }).success).toBe(true);
  expect(parse({ ...body, subject: { kind: 'sensor', id: 's'.repeat(26) } }).success).toBe(true);
  for (const more of [
    { reason: '' },
    { reason: 'r'.repeat(257) },
    { password: 'p'.repeat(1_025) },
    { subject: { kind: 'sensor', id: '' } },
    { subject: { kind: 'sensor', id: 's'.repeat(27) } },
    { subject: { kind: 'user', id: 0 } },
    { subject: { kind: 'customer', id: 'x' } },
    { subject: { kind: 'rule', id: 1 } },
  ])
    expect([more, parse({ ...body, ...more }).success]).toEqual([more, false]);
});

test('a job has a 26-character id and a task containing that id', () => {
  expect(jobIdText.safeParse('0'.repeat(26)).success).toBe(true);
  for (const text of ['0'.repeat(25), '0'.repeat(27), 'A'.repeat(26), `${'0'.repeat(26)}\n`])
    expect(jobIdText.safeParse(text).success).toBe(false);
  expect(runJobTask({ customerId: 1, kind: 'import', id: 'a' })).toEqual({
    type: 'run_job',
    customerId: 1,
    kind: 'import',
    jobId: 'a',
  });
});
