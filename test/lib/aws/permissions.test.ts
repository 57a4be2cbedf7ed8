import { describe, expect, test } from 'vitest';
import { authorizers, awsSchedules, consumers, groups, schedules } from '#functions/index.ts';
import type { LambdaName } from '#lib/aws/functions/lambdas.ts';
import { guardCallsOf } from '#shared/api/guard-calls.ts';
import type { Operation } from '#shared/api/operation.ts';
import { type QueueName, type WorkQueue, workQueues } from '#shared/queue/names.ts';
import { capabilityOf, isStoreCall, type Use } from '#shared/runtime/capabilities.ts';
import { allAccessesOf } from '#shared/store/access-pattern.ts';
import { accessPatterns } from '#shared/store/access-patterns.ts';
import { items } from '#shared/store/table.ts';
import { allowingStatement, grantsOf } from '#test/fixtures/iam.ts';
import { inlinePoliciesOf, policiesOf } from '#test/fixtures/iam-stack.ts';
import { production, stackOf, whole } from '#test/fixtures/stack.ts';

const stack = stackOf({ ...production, ...whole });
const policies = policiesOf(stack);
const inline = inlinePoliciesOf(stack);
const policyOf = (name: LambdaName) => policies.get(name) ?? [];

type Function = { name: LambdaName; uses: readonly Use[]; queues: readonly QueueName[] };
const functions: Function[] = [
  ...groups.map(({ name, operations }) => {
    const all = Object.values<Operation>(operations);
    return { name, uses: all.flatMap((operation) => [...guardCallsOf(operation), ...operation.uses]), queues: [] };
  }),
  ...consumers,
  ...[...schedules, ...awsSchedules, ...authorizers].map((lambda) => ({ ...lambda, queues: [] })),
];

const accessesOfCall = (use: Use) => (isStoreCall(use) ? allAccessesOf(accessPatterns[use]) : []);
/** Returns the permissions needed to redrive a queue. */
const redriveOf = (queue: WorkQueue): string[] => [
  ...['StartMessageMoveTask', 'ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'].map(
    (action) => `sqs:${action} queue/${queue}-dead`,
  ),
  ...['GetQueueAttributes', 'SendMessage'].map((action) => `sqs:${action} queue/${queue}`),
];
/** Returns the permissions for a use, in the format of `grantsOf`. */
const rightsOf = (use: Use): string[] => {
  if (isStoreCall(use))
    return accessesOfCall(use).map(({ action, index, partition }) =>
      [action, index ? `table/index/${index}` : 'table', partition.replaceAll(/\{\w+\}/g, '*')].join(' '),
    );
  if (use === 'redrive') return workQueues.flatMap(redriveOf);
  const { actions = [], resource } = capabilityOf(use);
  return actions.map(
    (action) =>
      `${action} ${/^(key$|mail$|sms$|alarms$|alarm states$|exports$|topic\/)/.test(`${resource}`) ? resource : `queue/${resource}`}`,
  );
};

describe.each(functions)('$name', ({ name, uses, queues }) => {
  test('a function may only write logs, poll queues and do what `uses` allows', () => {
    const polling = ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes', 'ChangeMessageVisibility'];
    const own = [
      ...['logs:CreateLogStream', 'logs:PutLogEvents'].map((action) => `${action} logs/${name}`),
      ...queues.flatMap((queue) => polling.map((action) => `sqs:${action} queue/${queue}`)),
    ];
    const expected = new Set([...uses.flatMap(rightsOf), ...own]);
    expect([...new Set(grantsOf(policyOf(name)))].sort()).toEqual([...expected].sort());
  });

  test('a function may access only the table partitions named by store calls', () => {
    const accesses = uses.flatMap(accessesOfCall).filter(({ index }) => index === null);
    const declared = new Set(accesses.map(({ action, partition }) => `${action} ${partition}`));
    const partitions = [...new Set(Object.values(items).map(({ pk }) => pk.template))];
    const isAllowed = (action: string, ...keys: string[]) =>
      allowingStatement(policyOf(name), { action, resource: 'table', keys }) !== undefined;
    for (const action of new Set(accesses.map(({ action }) => action))) {
      const touched = partitions.filter((partition) => isAllowed(action, partition.replaceAll(/\{\w+\}/g, '7')));
      expect([action, ...touched]).toEqual([
        action,
        ...partitions.filter((partition) => declared.has(`${action} ${partition}`)),
      ]);
      expect([action, isAllowed(action)]).toEqual([action, false]);
    }
  });

  test('role policies stay well below the IAM limit of 10,240 characters', () => {
    // A deployment replaces references with ARNs.
    // https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
    const written = JSON.stringify(inline.get(name)).replaceAll(/\{"Fn::GetAtt":\[[^\]]*\]\}/g, 'x'.repeat(130));
    expect(written.length).toBeLessThan(9_000);
  });
});

test('only functions that create sessions and tokens may change more than the last-used time', () => {
  const writes = (name: LambdaName, attributes: readonly string[], returnValues?: string) =>
    allowingStatement(policyOf(name), {
      action: 'dynamodb:UpdateItem',
      resource: 'table',
      keys: ['SESSION#1'],
      attributes,
      returnValues,
    }) !== undefined;
  const puts = (name: LambdaName) =>
    allowingStatement(policyOf(name), { action: 'dynamodb:PutItem', resource: 'table', keys: ['SESSION#1'] }) !==
    undefined;
  const names = functions.map(({ name }) => name);
  expect(names.filter((name) => writes(name, ['lastUsed'])).length).toBeGreaterThan(10);
  expect(names.filter((name) => writes(name, ['lastUsed', 'accountId']))).toEqual([]);
  expect(names.filter((name) => writes(name, ['lastUsed'], 'ALL_NEW'))).toEqual([]);
  expect(names.filter(puts).toSorted()).toEqual(['access-tokens', 'auth']);
});

test('only logins can decrypt second-factor secrets', () => {
  const webhookId = '00000000-0000-4000-8000-000000000001';
  const contexts = ['otp', 'acknowledge', 'push', 'canary', webhookId, 'anything', undefined];
  const names = functions.map(({ name }) => name);
  const allowed = (action: string) =>
    contexts.map((context) =>
      names.filter(
        (name) =>
          allowingStatement(policyOf(name), { action, resource: 'key', ...(context && { context }) }) !== undefined,
      ),
    );
  const [otp, links, push, , webhooks, ...others] = allowed('kms:Decrypt');
  expect(otp).toEqual(['auth']);
  expect(webhooks).toEqual(expect.arrayContaining(['deliver', 'feed']));
  expect(links).toEqual(expect.arrayContaining(['acknowledge', 'deliver', 'feed']));
  expect(push).toContain('deliver');
  expect(others).toEqual([[], []]);
  const [encryptedOtp, ...encrypted] = allowed('kms:Encrypt');
  expect([encryptedOtp, encrypted.slice(-2)]).toEqual([['auth'], [[], []]]);
});

test("functions send email only from the stage's address, not from other addresses in the domain", () => {
  const senders = (from: string) =>
    functions
      .map(({ name }) => name)
      .filter((name) => allowingStatement(policyOf(name), { action: 'ses:SendEmail', resource: 'mail', from }));
  expect(senders('cloud@example.org')).toHaveLength(9);
  expect(senders('director@example.org')).toEqual([]);
});
