import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeleteCommand, GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { tableClient } from '#lib/local/table/client.ts';
import { openForTool, openStorage } from '#lib/local/table/storage.ts';
import { commands, queries, TableName } from '#test/fixtures/table-commands.ts';

type Command = { input: object };
type Send = (command: Command) => Promise<object>;
type Key = { pk: string; sk: string };
type Step =
  /** Calls made in one synchronous run. */
  | { calls: Command[] }
  /** A call that another process makes. */
  | { foreign: Command }
  | { is: 'kept' | 'refused' | 'expiry' };

/** Calls on few keys, so most of them find something. */
const few = fc
  .record({
    pk: fc.constantFrom('p', 'q'),
    sk: fc.constantFrom('a', 'b', 'z'),
    ttl: fc.constantFrom(1, 3),
    put: fc.boolean(),
  })
  .map(({ put, ttl, ...Key }) =>
    put ? new PutCommand({ TableName, Item: { ...Key, ttl } }) : new DeleteCommand({ TableName, Key }),
  );
const anyCall: fc.Arbitrary<Command> = fc.oneof(commands, few);

const steps = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: fc.array(anyCall, { minLength: 1, maxLength: 6 }).map((calls): Step => ({ calls })) },
    { weight: 1, arbitrary: anyCall.map((foreign): Step => ({ foreign })) },
    { weight: 2, arbitrary: fc.constantFrom<Step>({ is: 'kept' }, { is: 'refused' }, { is: 'expiry' }) },
  ),
  { minLength: 5, maxLength: 25, size: 'max' },
);

/** Every key that a command could have written. */
const everyKey: Key[] = ['p', 'q'].flatMap((pk) => ['a', 'b', 'z', 'é', '\uffee', '😀'].map((sk) => ({ pk, sk })));

const outcome = (answer: Promise<object>): Promise<unknown> =>
  answer.then(
    (found) => found,
    ({ name, CancellationReasons = [] }) => ({ name, CancellationReasons }),
  );
/** Returns all items, read in one query, in pages of two, and individually by key. */
const contentOf = async (send: Send): Promise<unknown[]> => {
  const found: unknown[] = [];
  const seen: Key[] = [];
  for (const input of queries.all) {
    found.push(await send(new QueryCommand(input)));
    let ExclusiveStartKey: Record<string, unknown> | undefined;
    do {
      const page = (await send(new QueryCommand({ ...input, Limit: 2, ExclusiveStartKey }))) as {
        Items: Key[];
        LastEvaluatedKey?: Key;
      };
      found.push(page);
      seen.push(...page.Items);
      ExclusiveStartKey = page.LastEvaluatedKey;
    } while (ExclusiveStartKey);
  }
  for (const { pk, sk } of [...everyKey, ...seen])
    found.push(await send(new GetCommand({ TableName, Key: { pk, sk } })));
  return found;
};

/** A table in a folder that caches parsed items. */
const openCaching = (dataDir: string) => {
  const disk = { isFull: false };
  const storage = openStorage(dataDir, { freezes: true, hasSpace: () => !disk.isFull });
  const { send } = tableClient(storage.rows, storage.turns, TableName, () => 0);
  return { ...storage, disk, send: send as unknown as Send };
};
/** A table that parses items anew for each call and never fails. */
const openPlain = () => {
  const { rows, turns, close } = openStorage(':memory:');
  const { send } = tableClient(rows, turns, TableName, () => 0);
  const sendAnew: Send = (command) => {
    rows.forget();
    return send(command as never) as Promise<object>;
  };
  return { send: sendAnew, rows, turns, close };
};

const runSteps = async (series: readonly Step[]): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'parsed-'));
  const caching = openCaching(folder);
  const plain = openPlain();
  const tool = openForTool(folder);
  const toolClient = tableClient(tool.rows, tool.turns, TableName, () => 0);
  for (const step of series) {
    if ('calls' in step) {
      const answers = await Promise.all(step.calls.map((command) => outcome(caching.send(command))));
      for (const [at, command] of step.calls.entries())
        expect([command.input, answers[at]]).toEqual([command.input, await outcome(plain.send(command))]);
    } else if ('foreign' in step) {
      await caching.turns.kept();
      const there = await outcome(toolClient.send(step.foreign as never) as Promise<object>);
      expect(there).toEqual(await outcome(plain.send(step.foreign)));
    } else if (step.is === 'kept') await caching.turns.kept();
    else if (step.is === 'expiry')
      for (const { turns, rows } of [caching, plain]) await turns.write(() => rows.removeExpired(2, 10));
    else {
      // Only what begins a transaction is rejected.
      await caching.turns.kept();
      caching.disk.isFull = true;
      const put = caching.send(new PutCommand({ TableName, Item: { pk: 'p', sk: 'a', refused: true } }));
      expect(await outcome(put)).toMatchObject({ name: 'InternalServerError' });
      caching.disk.isFull = false;
    }
    expect(await contentOf(caching.send)).toEqual(await contentOf(plain.send));
  }
  const content = await contentOf(plain.send);
  await caching.turns.kept();
  // A failed commit reverts everything not yet stored, and nothing else.
  await caching.send(new PutCommand({ TableName, Item: { pk: 'p', sk: 'a', isLost: true } }));
  caching.database.exec('ROLLBACK');
  await expect(caching.turns.kept()).rejects.toMatchObject({ name: 'InternalServerError' });
  await expect(caching.send(new GetCommand({ TableName, Key: { pk: 'p', sk: 'a' } }))).rejects.toThrow();
  tool.close();
  await caching.close();
  const after = openCaching(folder);
  expect(await contentOf(after.send)).toEqual(content);
  await after.close();
  await plain.close();
  rmSync(folder, { recursive: true });
};

test('caching parsed items never changes a result, even after a failed commit', async () => {
  await fc.assert(fc.asyncProperty(steps, runSteps), { numRuns: 25 });
});

test('changing an item returned by a read throws in tests', async () => {
  const { send, close } = openCaching(':memory:');
  await send(new PutCommand({ TableName, Item: { pk: 'p', sk: 'a', list: [{ n: 1 }] } }));
  const { Item } = (await send(new GetCommand({ TableName, Key: { pk: 'p', sk: 'a' } }))) as {
    Item: { list: { n: number }[] };
  };
  expect(() => Item.list.push({ n: 2 })).toThrow();
  expect(() => Object.assign(Item.list[0] ?? {}, { n: 2 })).toThrow();
  await close();
});
