import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Cloud } from '#lib/local/cloud.ts';
import { machine } from '#shared/concurrency/machine.ts';
import { createTable } from '#shared/store/engine/client.ts';
import { retryOnConflict, withRetry } from '#shared/store/engine/retry.ts';
import { TableUnavailable } from '#shared/store/engine/unavailable.ts';
import { type Client, clientOf } from '#test/fixtures/client.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';

/** What Node says of an endpoint whose name or host is not reached. */
const unreachable = ['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'ETIMEDOUT', 'EHOSTUNREACH', 'EHOSTDOWN'];
const network = ['ENETUNREACH', 'ENETDOWN', 'ECONNABORTED', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE'];
const failure = (code: string) => Object.assign(new Error(`getaddrinfo ${code} dynamodb.example`), { code });

test('an endpoint that cannot be reached at the moment is trouble that passes: the call is made again', async () => {
  const made = [...unreachable, ...network].map((code) => {
    let calls = 0;
    return withRetry(async () => {
      calls += 1;
      if (calls === 1) throw failure(code);
      return code;
    });
  });
  expect(await Promise.all(made)).toEqual([...unreachable, ...network]);
});

describe('a table whose name does not resolve', () => {
  let cloud: Cloud;
  let anybody: Client;
  let isLost = false;
  let calls = 0;
  beforeAll(async () => {
    cloud = await startTestCloud({
      onClient: (client) =>
        client.middlewareStack.add(
          (next) => async (args) => {
            calls += 1;
            if (isLost) throw failure('ENOTFOUND');
            return next(args);
          },
          { step: 'finalizeRequest' },
        ),
    });
    anybody = clientOf(cloud.url);
  });
  afterAll(async () => {
    isLost = false;
    await cloud.stop();
  });

  test('is a 503 with Retry-After, after it was asked again', async () => {
    isLost = true;
    calls = 0;
    const answer = await anybody.call('GET', '/health');
    isLost = false;
    expect([answer.status, Number(answer.headers.get('retry-after')) > 0]).toEqual([503, true]);
    expect(calls).toBeGreaterThan(1);
  });
});

describe('keys that a batch leaves unprocessed', () => {
  const keys = Array.from({ length: 120 }, (_, n) => ({ pk: `p${n}`, sk: 's' }));
  type Batch = { input: { RequestItems: { design: { Keys: { pk: string; sk: string }[] } } } };
  /** A table that processes so many keys of each call. */
  const tableOf = (most: number) => {
    const asked: number[] = [];
    const send = async ({ input }: Batch) => {
      const { Keys } = input.RequestItems.design;
      asked.push(Keys.length);
      if (asked.length > 50) throw new Error('it is asked without an end');
      const rest = Keys.slice(most);
      return {
        Responses: { design: Keys.slice(0, most) },
        ...(rest.length > 0 && { UnprocessedKeys: { design: { Keys: rest } } }),
      };
    };
    return { table: createTable({ send } as never, 'design'), asked };
  };

  test('are asked for alone, until all are there', async () => {
    const { table, asked } = tableOf(30);
    const found = await table.getAll(keys);
    expect(found.map(({ pk }) => pk).toSorted()).toEqual(keys.map(({ pk }) => pk).toSorted());
    expect(asked).toEqual([100, 70, 40, 10, 20]);
  });

  test('are waited for between the calls, and end as TableUnavailable when it does not get better', async () => {
    const { table, asked } = tableOf(0);
    const timers = vi.spyOn(globalThis, 'setTimeout');
    await expect(table.getAll(keys)).rejects.toThrow(TableUnavailable);
    expect(asked).toEqual([100, 100, 100, 100, 100, 100]);
    expect(timers.mock.calls.length).toBeGreaterThanOrEqual(5);
    timers.mockRestore();
  });
});

describe('a change that is judged by what was read', () => {
  const pauses: number[] = [];
  beforeAll(() => {
    vi.spyOn(machine, 'sleep').mockImplementation(async (ms) => void pauses.push(ms));
    vi.spyOn(machine, 'random').mockReturnValue(1);
  });
  afterAll(() => vi.restoreAllMocks());
  const changeAfter = (lost: number) => {
    pauses.length = 0;
    let tries = 0;
    return retryOnConflict(async () => (++tries > lost ? tries : null));
  };

  test('is judged again for as often as somebody was faster, after longer and longer pauses up to a limit', async () => {
    expect(await changeAfter(8)).toBe(9);
    expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 200, 200]);
  });

  test('is unavailable after 25 times', async () => {
    await expect(changeAfter(25)).rejects.toThrow(TableUnavailable);
    // Nothing waits for an attempt that is not made.
    expect(pauses).toHaveLength(24);
  });
});
