import { expect, test } from 'vitest';
import { subjectScopeOf } from '#functions/workers/data-jobs/subject-scope.ts';
import { jobAt, requestAt } from '#test/fixtures/data-jobs.ts';
import { HOME } from '#test/fixtures/store-sensors.ts';

test('the scope of a user has the account key, and the name in the audit log', () => {
  const scope = subjectScopeOf(jobAt(1), [{ kind: 'user', id: '7', accountKey: 'key' }]);
  expect(scope).toEqual({
    customerId: HOME,
    subject: { kind: 'user', id: 7 },
    accountKeys: new Set(['key']),
    named: new Set(['user 7']),
  });
});

test('the scope of a customer includes everything that leads to its data', () => {
  const { accountKeys, named } = subjectScopeOf(requestAt(1), [
    { kind: 'user', id: '7', accountKey: 'key' },
    { kind: 'sensor', id: 'id_a' },
    { kind: 'webhook', id: 'hook' },
  ]);
  expect(accountKeys).toEqual(new Set(['key']));
  expect(named).toEqual(new Set([`customer ${HOME}`, 'user 7', 'sensor id_a', 'webhook hook']));
});
