import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Cloud } from '#lib/local/cloud.ts';
import { machine } from '#shared/concurrency/machine.ts';
import { createTable } from '#shared/store/engine/client.ts';
import { retryOnConflict, withRetry } from '#shared/store/engine/retry.ts';
import { TableUnavailable } from '#shared/store/engine/unavailable.ts';
import { type Client, clientOf } from '#test/fixtures/client.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';

/** Node errors for an unreachable endpoint. */
const unreachable = ['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'ETIMEDOUT', 'EHOSTUNREACH', 'EHOSTDOWN'];
const network = ['ENETUNREACH', 'ENETDOWN', 'ECONNABORTED', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE'];
const failure = (code: string) => Object.assign(new Error(`getaddrinfo ${code} dynamodb.example`), { code });

test('withRetry retries while the table endpoint is unreachable', async () => {
  const results = [...unreachable, ...network].map((code) => {
    let calls = 0;
    return withRetry(async () => {
      calls += 1;
      if (calls === 1) throw failure(code);
      return code;
    });
  });
  expect(await Promise.all(results)).toEqual([...unreachable, ...network]);
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
    const { table, requested } = tableOf(30);
    const found = await table.getAll(keys);
    expect(found.map(({ pk }) => pk).toSorted()).toEqual(keys.map(({ pk }) => pk).toSorted());
    expect(requested).toEqual([100, 70, 40, 10, 20]);
  });

  test('unprocessed keys are retried after pauses, and end in TableUnavailable if they remain', async () => {
    const { table, requested } = tableOf(0);
    const timers = vi.spyOn(globalThis, 'setTimeout');
    await expect(table.getAll(keys)).rejects.toThrow(TableUnavailable);
    expect(requested).toEqual([100, 100, 100, 100, 100, 100]);
    expect(timers.mock.calls.length).toBeGreaterThanOrEqual(5);
    timers.mockRestore();
  });
});

describe('optimistic changes', () => {
  const pauses: number[] = [];
  beforeAll(() => {
    vi.spyOn(machine, 'sleep').mockImplementation(async (ms) => void pauses.push(ms));
    vi.spyOn(machine, 'random').mockReturnValue(1);
  });
  afterAll(() => vi.restoreAllMocks());
  const changeAfter = (conflicts: number) => {
    pauses.length = 0;
    let tries = 0;
    return retryOnConflict(async () => (++tries > conflicts ? tries : null));
  };

  test('an optimistic change retries after each conflict, with increasing delays up to a limit', async () => {
    expect(await changeAfter(8)).toBe(9);
    expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 200, 200]);
  });

  test('an optimistic change fails with TableUnavailable after 25 conflicts', async () => {
    await expect(changeAfter(25)).rejects.toThrow(TableUnavailable);
    // There is no pause after the last attempt.
    expect(pauses).toHaveLength(24);
  });
});
