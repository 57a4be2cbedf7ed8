import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { endWork, isDoubtful, runEndable } from '#shared/concurrency/endable-work.ts';
import { machine } from '#shared/concurrency/machine.ts';
import { createTable, documentClient, type Meter } from '#shared/store/engine/client.ts';
import { absent, changes, present, where } from '#shared/store/engine/request.ts';
import { TableUnavailable } from '#shared/store/engine/unavailable.ts';
import { interference, memoryStore } from '#test/fixtures/memory-store.ts';

const KEY = { pk: 'p', sk: 's' };
const lost = () => Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });

beforeAll(() => void vi.spyOn(machine, 'sleep').mockResolvedValue());
afterAll(() => vi.restoreAllMocks());

type Send = (name: string, input: Record<string, unknown>) => unknown;
/** Returns a table whose commands are answered by the test. */
const tableWith = (send: Send, meter?: Meter) => {
  const client = { send: async (command: { input: never }) => send(command.constructor.name, command.input) };
  return createTable(client as never, 't', meter);
};

describe('reads', () => {
  test('an item is read consistently unless a lag is allowed, and is null if missing', async () => {
    const asked: unknown[] = [];
    const table = tableWith((_, { ConsistentRead, Key }) => {
      asked.push(ConsistentRead);
      return ConsistentRead || Key === KEY ? { Item: { ...KEY, a: 1 } } : {};
    });
    expect(await table.get(KEY)).toEqual({ ...KEY, a: 1 });
    expect(await table.get(KEY, false)).toEqual({ ...KEY, a: 1 });
    expect(asked).toEqual([true, false]);
    expect(await tableWith(() => ({})).get(KEY)).toBeNull();
  });

  test('an item missing from a lagging replica is read a second time', async () => {
    const asked: unknown[] = [];
    const table = (hasAtOnce: boolean) =>
      tableWith((_, { ConsistentRead }) => {
        asked.push(ConsistentRead);
        return ConsistentRead || hasAtOnce ? { Item: KEY } : {};
      });
    expect(await table(true).getEventual(KEY)).toEqual(KEY);
    expect(asked.splice(0)).toEqual([false]);
    expect(await table(false).getEventual(KEY)).toEqual(KEY);
    expect(asked).toEqual([false, true]);
  });

  test('a batch read retries items missing from a lagging replica by full key', async () => {
    const keys = [KEY, { pk: 'p', sk: 'other' }, { pk: 'other', sk: 's' }];
    const asked: unknown[] = [];
    const table = (known: number) =>
      tableWith((_, { RequestItems }) => {
        const { Keys, ConsistentRead } = (RequestItems as Record<string, { Keys: object[]; ConsistentRead: boolean }>)
          .t ?? { Keys: [] };
        asked.push([ConsistentRead, Keys]);
        return { Responses: { t: ConsistentRead ? Keys : Keys.slice(0, known) } };
      });
    expect(await table(3).getAllEventual(keys)).toEqual(keys);
    expect(asked.splice(0)).toEqual([[false, keys]]);
    for (const known of [1, 2]) {
      expect(await table(known).getAllEventual(keys)).toEqual(keys);
      expect(asked.splice(0)).toEqual([
        [false, keys],
        [true, keys.slice(known)],
      ]);
    }
    await table(0).getAll(keys);
    expect(asked).toEqual([[true, keys]]);
  });

  test('a batch read splits more than 100 items into several requests', async () => {
    const sizes: number[] = [];
    const table = tableWith((_, { RequestItems }) => {
      const { Keys = [] } = (RequestItems as Record<string, { Keys?: object[] }>).t ?? {};
      sizes.push(Keys.length);
      return { Responses: { t: Keys } };
    });
    const keys = Array.from({ length: 201 }, (_, n) => ({ pk: 'p', sk: `${n}` }));
    expect(await table.getAll(keys)).toEqual(keys);
    expect(sizes).toEqual([100, 100, 1]);
    expect(await table.getAll([])).toEqual([]);
    expect(sizes).toHaveLength(3);
  });

  test('a batch read asks for a single unprocessed item again', async () => {
    const keys = [KEY, { pk: 'p', sk: 'other' }];
    const rest = keys.slice(1);
    const responses: object[] = [
      { Responses: { t: [KEY] }, UnprocessedKeys: { t: { Keys: rest } } },
      { Responses: { t: rest } },
    ];
    expect(await tableWith(() => responses.shift()).getAll(keys)).toEqual(keys);
  });

  test('queryAll reads all pages', async () => {
    const asked: unknown[] = [];
    const table = tableWith((_, { ExclusiveStartKey }) => {
      asked.push(ExclusiveStartKey);
      return asked.length < 3 ? { Items: [{ n: asked.length }], LastEvaluatedKey: { at: asked.length } } : {};
    });
    expect(await table.queryAll({ pk: 'p' })).toEqual([{ n: 1 }, { n: 2 }]);
    expect(asked).toEqual([undefined, { at: 1 }, { at: 2 }]);
  });

  test('a range that ends before it begins returns nothing and does not send a request', async () => {
    let calls = 0;
    const table = tableWith(() => {
      calls += 1;
      return {};
    });
    expect(await table.query({ pk: 'p', between: ['b', 'a'] })).toEqual({ items: [], next: undefined });
    expect(calls).toBe(0);
    await table.query({ pk: 'p', between: ['a', 'a'] });
    expect(calls).toBe(1);
  });
});

test('consumed units are reported per request, and requested only if counted', async () => {
  const units: unknown[] = [];
  const asked: unknown[] = [];
  const send: Send = (name, { ReturnConsumedCapacity }) => {
    asked.push(ReturnConsumedCapacity);
    const ConsumedCapacity =
      name === 'TransactWriteCommand' ? [{ CapacityUnits: 2 }, {}, { CapacityUnits: 3 }] : { CapacityUnits: 1.5 };
    return { ConsumedCapacity };
  };
  const table = tableWith(send, (call, used) => void units.push([call, used]));
  await table.get(KEY);
  await table.update(KEY, changes({ set: { a: 1 } }));
  await table.write({ remove: KEY }, { put: KEY });
  expect(units).toEqual([
    ['get', { read: 1.5, write: 0 }],
    ['update', { read: 0, write: 1.5 }],
    ['write', { read: 0, write: 5 }],
  ]);
  await tableWith(send).get(KEY);
  expect(asked).toEqual(['TOTAL', 'TOTAL', 'TOTAL', undefined]);
});

test('consumed units are 0 if the table does not report them', async () => {
  const units: unknown[] = [];
  await tableWith(
    () => ({}),
    (_, used) => void units.push(used),
  ).get(KEY);
  expect(units).toEqual([{ read: 0, write: 0 }]);
});

test('a query reports its units, and a batch read reports those of all attempts together', async () => {
  const units: unknown[] = [];
  const rest = { t: { Keys: [KEY] } };
  const responses: object[] = [
    { ConsumedCapacity: { CapacityUnits: 2.5 } },
    { ConsumedCapacity: [{ CapacityUnits: 4 }], UnprocessedKeys: rest },
    { UnprocessedKeys: rest },
    { ConsumedCapacity: [{ CapacityUnits: 1 }] },
  ];
  const table = tableWith(
    () => responses.shift(),
    (call, used) => void units.push([call, used]),
  );
  await table.query({ pk: 'p' });
  await table.getAll([KEY]);
  expect(units).toEqual([
    ['query', { read: 2.5, write: 0 }],
    ['getAll', { read: 5, write: 0 }],
  ]);
});

describe('updates', () => {
  test('an update returns the requested attributes, or null if the condition fails', async () => {
    const { table } = memoryStore();
    const set = (condition = present) => table.update(KEY, changes({ set: { a: 1 }, if: condition }, 'ALL_NEW'));
    expect(await set()).toBeNull();
    expect(await set(absent)).toEqual({ ...KEY, a: 1 });
    expect(await table.update(KEY, changes({ set: { a: 2 } }))).toEqual({});
  });

  test('an update throws any error other than a failed condition', async () => {
    const table = tableWith(() => {
      throw new Error('a bug');
    });
    await expect(table.update(KEY, changes({ set: { a: 1 } }))).rejects.toThrow('a bug');
    await expect(table.write({ remove: KEY })).rejects.toThrow('a bug');
  });
});

test('several writes succeed together or fail together, and report which conditions failed', async () => {
  const { table } = memoryStore();
  const other = { pk: 'p', sk: 'other' };
  const writes = [
    { put: { ...KEY, a: 1 }, where: absent },
    { put: { ...other, a: 1 }, where: absent },
  ];
  expect(await table.write(...writes)).toBeNull();
  await table.write({ remove: KEY });
  expect(await table.write(...writes)).toEqual([1]);
  expect(await table.get(KEY)).toBeNull();
  await table.write({ put: KEY });
  expect(await table.write(...writes)).toEqual([0, 1]);
  expect(await table.write({ remove: KEY, where: where('#a = :a', { a: 1 }) })).toEqual([0]);
});

test('several writes share one token across attempts, with a new token for each call', async () => {
  const tokens: unknown[] = [];
  const table = tableWith((_, { ClientRequestToken }) => {
    tokens.push(ClientRequestToken);
    if (tokens.length === 1) throw lost();
    return {};
  });
  await table.write({ put: KEY }, { remove: KEY });
  await table.write({ put: KEY }, { remove: KEY });
  expect([tokens.length, new Set(tokens).size]).toEqual([3, 2]);
  expect(tokens[0]).toBe(tokens[1]);
});

describe('writes with a lost response', () => {
  /** A table that completes a write, loses the response, and runs `meanwhile` before the retry. */
  const losing = (meanwhile: (table: ReturnType<typeof memoryStore>['table']) => unknown = () => {}) => {
    const { table } = memoryStore();
    let isLost = false;
    const flaky = tableWith(async (name, input) => {
      const isWrite = name === 'PutCommand' || name === 'DeleteCommand';
      const writes = async () => {
        if (name === 'PutCommand') return table.write({ put: input.Item as never, where: absent });
        if (name === 'DeleteCommand') return table.write({ remove: input.Key as never, where: present });
        return { Item: await table.get(input.Key as never) };
      };
      const result = await writes();
      if (isWrite && !isLost) {
        isLost = true;
        await meanwhile(table);
        throw lost();
      }
      if (isWrite && result !== null) throw Object.assign(new Error(), { name: 'ConditionalCheckFailedException' });
      return isWrite ? {} : result;
    });
    return { table, flaky };
  };
  test('a retried write succeeds if the item matches the put, or is gone after a removal', async () => {
    const { flaky } = losing();
    expect(await flaky.write({ put: { ...KEY, a: 1, b: undefined }, where: absent })).toBeNull();
    const removing = losing();
    await removing.table.write({ put: KEY });
    expect(await removing.flaky.write({ remove: KEY, where: present })).toBeNull();
  });

  test('a retried write fails if another writer put or kept a different item', async () => {
    const { flaky } = losing((table) => table.write({ put: { ...KEY, a: 2 } }));
    expect(await flaky.write({ put: { ...KEY, a: 1 }, where: absent })).toEqual([0]);
  });

  test('a write does not count as done if the first response reported a failed condition', async () => {
    const { table } = memoryStore();
    await table.write({ put: { ...KEY, a: 1 } });
    expect(await table.write({ put: { ...KEY, a: 1 }, where: absent })).toEqual([0]);
    await table.write({ remove: KEY });
    expect(await table.write({ remove: KEY, where: present })).toEqual([0]);
  });

  /** A table that loses the first response to a write and reports a failed condition for the second attempt. */
  const failingSecond = (found?: object) => {
    let tries = 0;
    return tableWith((name) => {
      if (name === 'GetCommand') return { Item: found };
      tries += 1;
      throw tries === 1 ? lost() : Object.assign(new Error(), { name: 'ConditionalCheckFailedException' });
    });
  };
  test('a retried removal fails if the item still exists', async () => {
    const condition = where('#a = :a', { a: 1 });
    expect(await failingSecond({ ...KEY, a: 2 }).write({ remove: KEY, where: condition })).toEqual([0]);
    expect(await failingSecond().write({ remove: KEY, where: condition })).toBeNull();
  });

  test('a retried update or check with a failed condition fails, because its success leaves no proof', async () => {
    const update = changes({ set: { a: 1 }, if: absent });
    expect(await failingSecond({ ...KEY, a: 1 }).write({ update: KEY, changes: update })).toEqual([0]);
    expect(await failingSecond(KEY).write({ check: KEY, where: present })).toEqual([0]);
  });
});

describe('doubtful work', () => {
  /** Runs a call whose first responses are lost, and returns whether it leaves the work doubtful. */
  const isDoubtfulAfter = (losses: number, call: (table: ReturnType<typeof tableWith>) => Promise<unknown>) => {
    let tries = 0;
    const table = tableWith(() => {
      tries += 1;
      if (tries <= losses) throw lost();
      return {};
    });
    return runEndable(async () => {
      await call(table);
      return isDoubtful();
    });
  };
  test.each<[string, Parameters<typeof isDoubtfulAfter>[1]]>([
    ['an update', (table) => table.update(KEY, changes({ set: { a: 1 } }))],
    ['a write', (table) => table.write({ put: KEY })],
    ['a transaction', (table) => table.write({ put: KEY }, { remove: { pk: 'p', sk: 'other' } })],
  ])('%s makes the work doubtful if it is retried once', async (_, call) => {
    expect(await isDoubtfulAfter(0, call)).toBe(false);
    expect(await isDoubtfulAfter(1, call)).toBe(true);
  });

  test('a retried read does not make the work doubtful', async () => {
    expect(await isDoubtfulAfter(2, (table) => table.get(KEY))).toBe(false);
  });
});

test('the table rejects requests after the caller has received a response', async () => {
  let calls = 0;
  const table = tableWith(() => {
    calls += 1;
    return {};
  });
  await runEndable(async () => {
    await table.get(KEY);
    endWork();
    const error = new TableUnavailable('the caller has already been answered');
    await expect(table.get(KEY)).rejects.toThrow(error);
    await expect(table.write({ put: KEY })).rejects.toThrow(error);
  });
  expect(calls).toBe(1);
});

test('conditions detect concurrent writes', async () => {
  const { before, once } = interference();
  const { table } = memoryStore(before);
  once('UpdateCommand', () => table.write({ put: { ...KEY, a: 1 } }));
  expect(await table.update(KEY, changes({ set: { a: 2 }, if: absent }))).toBeNull();
  expect(await table.get(KEY)).toEqual({ ...KEY, a: 1 });
});

describe('document client', () => {
  /** Returns a table whose requests get this response over HTTP, and the request bodies. */
  const tableAnswering = (statusCode: number, body: object | string) => {
    const bodies: unknown[] = [];
    const handle = async (request: { body: Uint8Array }) => {
      bodies.push(JSON.parse(new TextDecoder().decode(request.body)));
      return {
        response: {
          statusCode,
          headers: {},
          body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
        },
      };
    };
    const credentials = { accessKeyId: 'a', secretAccessKey: 's' };
    const client = documentClient({ region: 'eu-central-1', credentials, requestHandler: { handle } as never });
    return { table: createTable(client, 't'), bodies };
  };

  test('undefined attributes are not stored, at any depth', async () => {
    const { table, bodies } = tableAnswering(200, {});
    await table.write({ put: { ...KEY, a: undefined, b: { c: undefined, d: 'e' } } });
    const Item = { pk: { S: 'p' }, sk: { S: 's' }, b: { M: { d: { S: 'e' } } } };
    expect(bodies).toEqual([{ TableName: 't', Item }]);
  });

  test('a failing request is sent six times in all, because only the table retries, not the SDK', async () => {
    const { table, bodies } = tableAnswering(500, { __type: 'InternalServerError' });
    await expect(table.get(KEY)).rejects.toThrow(TableUnavailable);
    expect(bodies).toHaveLength(6);
  });

  test.each([
    [503, ''],
    [502, '<html>Bad gateway</html>'],
    [500, '{}'],
    [200, '{"Item":{"pk":{"S":"p'],
  ])('a %i response that does not come from DynamoDB is retried: %s', async (status, body) => {
    const { table, bodies } = tableAnswering(status, body);
    await expect(table.get(KEY)).rejects.toThrow(TableUnavailable);
    expect(bodies).toHaveLength(6);
  });

  test.each([400, 403, 404])('a %i response without a known error is not retried', async (status) => {
    const { table, bodies } = tableAnswering(status, {});
    await expect(table.get(KEY)).rejects.not.toThrow(TableUnavailable);
    expect(bodies).toHaveLength(1);
  });
});
