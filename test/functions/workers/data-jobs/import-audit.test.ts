import { expect, test } from 'vitest';
import { type AuditedImport, audited, type Outcome } from '#functions/workers/data-jobs/import-audit.ts';
import { some } from '#test/fixtures/alarm-stubs.ts';
import { anna } from '#test/fixtures/data-jobs.ts';
import { recordedCalls } from '#test/fixtures/recorded-calls.ts';
import { NOW, stubDeps } from '#test/fixtures/stub-deps.ts';

const job: AuditedImport = some({ id: 'import', customerId: 3, actor: anna, address: '192.0.2.1' });
const object = { kind: 'user', id: '9' } as const;

/** Applies a change, and returns its outcome with what happened in the audit log, in order. */
const make = async (change: { before: object | null; after: object }, outcome: Outcome = null) => {
  const { calls: done, recorded } = recordedCalls();
  const auditLines = { put: recorded('put'), takeBack: recorded('takeBack') };
  const { deps } = stubDeps<Parameters<typeof audited>[0]>({ auditLines });
  const result = await audited(deps, job, { operation: 'updateUser', object, ...change }, async () => {
    done.push(['make']);
    return outcome;
  });
  return { result, done };
};
const id = `0${NOW}${'01'.repeat(6)}`;
const line = { id, actor: anna, address: '192.0.2.1', operation: 'updateUser', object, requestId: 'import' };

test('a new object is recorded with all fields before it is created', async () => {
  const { result, done } = await make({ before: null, after: { username: 'ben', permissions: [] } });
  expect(result).toBeNull();
  expect(done).toEqual([
    ['put', 3, { ...line, refused: false, changes: ['username', 'permissions'], details: [] }],
    ['make'],
  ]);
});

test('a changed object is recorded with the changed fields, and their values if they may be shown', async () => {
  const before = { locale: 'en', firstName: 'Ben', permissions: ['manage_bots'] };
  const after = { locale: 'de', firstName: 'Ben', permissions: ['manage_bots'], lastName: 'Birch' };
  const { done } = await make({ before, after });
  const details = [{ field: 'locale', from: 'en', to: 'de' }];
  expect(done[0]).toEqual(['put', 3, { ...line, refused: false, changes: ['locale', 'lastName'], details }]);
});

test('fields set by the service itself are not recorded', async () => {
  const own = { id: 1, customerId: 3, createDate: NOW, updateDate: NOW };
  const { done } = await make({ before: null, after: { ...own, name: 'Room 1' } });
  expect(done[0]?.[2]).toMatchObject({ changes: ['name'] });
});

test('an object that stays as it is leaves no line, but a new object without fields does', async () => {
  const same = { before: { sensorIds: ['a', 'b'], updateDate: 1 }, after: { sensorIds: ['a', 'b'], updateDate: 2 } };
  expect((await make(same)).done).toEqual([['make']]);
  expect((await make({ before: null, after: {} })).done).toEqual([
    ['put', 3, { ...line, refused: false, changes: [], details: [] }],
    ['make'],
  ]);
});

test('the line for a change that could not be made is removed', async () => {
  const problem = { field: 'username', problem: 'taken' } as const;
  const { result, done } = await make({ before: null, after: { username: 'ben' } }, problem);
  expect(result).toEqual(problem);
  expect(done.map(([name]) => name)).toEqual(['put', 'make', 'takeBack']);
  expect(done[2]).toEqual(['takeBack', 3, id]);
});
