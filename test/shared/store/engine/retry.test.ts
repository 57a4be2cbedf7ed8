import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Cloud } from '#lib/local/cloud.ts';
import { machine } from '#shared/concurrency/machine.ts';
import { createTable } from '#shared/store/engine/client.ts';
import { failedConditions, isFailedCondition, retryOnConflict, withRetry } from '#shared/store/engine/retry.ts';
import { TableUnavailable } from '#shared/store/engine/unavailable.ts';
import { type Client, clientOf } from '#test/fixtures/client.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';

/** Node errors for an unreachable endpoint. */
const unreachable = ['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'ETIMEDOUT', 'EHOSTUNREACH', 'EHOSTDOWN'];
const network = ['ENETUNREACH', 'ENETDOWN', 'ECONNABORTED', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE'];
const failure = (code: string) => Object.assign(new Error(`getaddrinfo ${code} dynamodb.example`), { code });

/** An error as thrown by the SDK. */
const sdkError = (name: string) => Object.assign(new Error(), { name });
/** The error for a canceled transaction, with a reason for each write. */
const canceled = (...codes: (string | undefined)[]) =>
  Object.assign(sdkError('TransactionCanceledException'), { CancellationReasons: codes.map((Code) => ({ Code })) });
const failedCondition = sdkError('ConditionalCheckFailedException');

/** Replaces the machine until the test ends. Pauses take no time and are as long as allowed; `pass` advances time. */
const manualMachine = () => {
  const pauses: number[] = [];
  let time = 0;
  vi.spyOn(machine, 'sleep').mockImplementation(async (ms) => void pauses.push(ms));
  vi.spyOn(machine, 'random').mockReturnValue(1);
  vi.spyOn(machine, 'elapsed').mockImplementation(() => time);
  onTestFinished(() => void vi.restoreAllMocks());
  const pass = (ms: number) => {
    time += ms;
  };
  return { pauses, pass };
};

describe('transient failures', () => {
  /** Returns a call that fails at first, and the number of times it is made. */
  const failingOnce = (error: unknown) => {
    const made = { calls: 0 };
    const call = async () => {
      made.calls += 1;
      if (made.calls === 1) throw error;
      return 'done';
    };
    return { call, made };
  };

  test.each([...unreachable, ...network])(
    'withRetry retries if the table cannot be reached because of %s',
    async (code) => {
      manualMachine();
      expect(await withRetry(failingOnce(failure(code)).call)).toBe('done');
    },
  );

  test.each([
    'ProvisionedThroughputExceededException',
    'ThrottlingException',
    'RequestLimitExceeded',
    'InternalServerError',
    'ServiceUnavailable',
    'TransactionInProgressException',
    'TransactionConflictException',
    'TimeoutError',
  ])('withRetry retries a call that ends in %s', async (name) => {
    manualMachine();
    expect(await withRetry(failingOnce(sdkError(name)).call)).toBe('done');
  });

  test.each(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded'])(
    'withRetry retries a transaction canceled for one write because of %s',
    async (reason) => {
      manualMachine();
      expect(await withRetry(failingOnce(canceled('None', reason, undefined)).call)).toBe('done');
    },
  );

  test.each([
    ['an invalid request', sdkError('ValidationException')],
    ['a bug', new TypeError('x is undefined')],
    ['a failed condition', failedCondition],
    ['a failed condition in a transaction', canceled('None', 'ConditionalCheckFailed')],
    ['a failed condition next to a conflict', canceled('TransactionConflict', 'ConditionalCheckFailed')],
    ['a transaction canceled for good', canceled('ValidationError', undefined)],
  ])('withRetry throws %s at once', async (_, error) => {
    manualMachine();
    const { call, made } = failingOnce(error);
    await expect(withRetry(call)).rejects.toBe(error);
    expect(made.calls).toBe(1);
  });

  test('withRetry makes six attempts with growing pauses, and then reports the last failure', async () => {
    const { pauses } = manualMachine();
    const failures = ['ECONNRESET', 'EPIPE', 'EPIPE', 'EPIPE', 'EPIPE', 'ETIMEDOUT', 'unused'].map(failure);
    const last = failures[5];
    const error = await withRetry(async () => Promise.reject(failures.shift())).catch((error) => error);
    expect(error).toBeInstanceOf(TableUnavailable);
    expect([error.message, error.cause]).toEqual(['the table does not respond', last]);
    expect(pauses).toEqual([25, 50, 100, 200, 400]);
  });

  test('withRetry does not begin another attempt after 6 s, or after the time the caller allows', async () => {
    const { pass } = manualMachine();
    let calls = 0;
    const slow = async () => {
      calls += 1;
      pass(2_000);
      throw failure('ETIMEDOUT');
    };
    await expect(withRetry(slow)).rejects.toThrow(TableUnavailable);
    expect(calls).toBe(3);
    await expect(withRetry(slow, 1_000)).rejects.toThrow(TableUnavailable);
    expect(calls).toBe(4);
  });
});

test('a failed condition is recognized in a single write and in a transaction', () => {
  const transaction = canceled('ConditionalCheckFailed', 'TransactionConflict', undefined, 'ConditionalCheckFailed');
  expect([failedCondition, transaction].map(isFailedCondition)).toEqual([true, true]);
  expect(failedConditions(transaction)).toEqual([0, 3]);
  const others = [canceled('TransactionConflict', undefined), sdkError('ValidationException'), failure('EPIPE')];
  expect(others.map(isFailedCondition)).toEqual([false, false, false]);
  expect(others.flatMap(failedConditions)).toEqual([]);
});

describe('unresolvable table', () => {
  let cloud: Cloud;
  let anybody: Client;
  let isUnreachable = false;
  let calls = 0;
  beforeAll(async () => {
    cloud = await startTestCloud({
      onClient: (client) =>
        client.middlewareStack.add(
          (next) => async (args) => {
            calls += 1;
            if (isUnreachable) throw failure('ENOTFOUND');
            return next(args);
          },
          { step: 'finalizeRequest' },
        ),
    });
    anybody = clientOf(cloud.url);
  });
  afterAll(async () => {
    isUnreachable = false;
    await cloud.stop();
  });

  test('a table host name that does not resolve leads to a 503 response with Retry-After', async () => {
    isUnreachable = true;
    calls = 0;
    const answer = await anybody.call('GET', '/health');
    isUnreachable = false;
    expect([answer.status, Number(answer.headers.get('retry-after')) > 0]).toEqual([503, true]);
    expect(calls).toBeGreaterThan(1);
  });
});

describe('unprocessed batch keys', () => {
  const keys = Array.from({ length: 120 }, (_, n) => ({ pk: `p${n}`, sk: 's' }));
  type Batch = { input: { RequestItems: { design: { Keys: { pk: string; sk: string }[] } } } };
  /** A table that processes at most `limit` keys per request. */
  const tableOf = (limit: number) => {
    const requested: number[] = [];
    const send = async ({ input }: Batch) => {
      const { Keys } = input.RequestItems.design;
      requested.push(Keys.length);
      if (requested.length > 50) throw new Error('the retries never end');
      const rest = Keys.slice(limit);
      return {
        Responses: { design: Keys.slice(0, limit) },
        ...(rest.length > 0 && { UnprocessedKeys: { design: { Keys: rest } } }),
      };
    };
    return { table: createTable({ send } as never, 'design'), requested };
  };

  test('unprocessed keys are retried separately until none are left', async () => {
    manualMachine();
    const { table, requested } = tableOf(30);
    const found = await table.getAll(keys);
    expect(found.map(({ pk }) => pk).toSorted()).toEqual(keys.map(({ pk }) => pk).toSorted());
    expect(requested).toEqual([100, 70, 40, 10, 20]);
  });

  test('unprocessed keys are retried after pauses, and end in TableUnavailable if they remain', async () => {
    const { table, requested } = tableOf(0);
    const { pauses } = manualMachine();
    const error = await table.getAll(keys).catch((error) => error);
    expect(error).toBeInstanceOf(TableUnavailable);
    expect(error.cause.message).toBe('the batch left keys unprocessed');
    expect(requested).toEqual([100, 100, 100, 100, 100, 100]);
    expect(pauses).toHaveLength(5);
  });
});

describe('optimistic changes', () => {
  const changeAfter = (conflicts: number, onTry = () => {}) => {
    let tries = 0;
    return retryOnConflict(async () => {
      tries += 1;
      onTry();
      return tries > conflicts ? tries : null;
    });
  };

  test('an optimistic change retries after each conflict, with increasing delays up to a limit', async () => {
    const { pauses } = manualMachine();
    expect(await changeAfter(8)).toBe(9);
    expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 200, 200]);
  });

  test('an optimistic change fails with TableUnavailable after 25 conflicts', async () => {
    const { pauses } = manualMachine();
    await expect(changeAfter(25)).rejects.toThrow(new TableUnavailable('other changes kept coming first'));
    // There is no pause after the last attempt.
    expect(pauses).toHaveLength(24);
  });

  test('an optimistic change does not begin another attempt after 10 s', async () => {
    const { pauses, pass } = manualMachine();
    await expect(changeAfter(25, () => pass(2_500))).rejects.toThrow(TableUnavailable);
    expect(pauses).toHaveLength(3);
  });
});
