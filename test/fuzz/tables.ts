import { DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import { QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { expect } from 'vitest';
import { tableClient } from '#lib/local/table/client.ts';
import { ensureTable } from '#lib/local/table/endpoint.ts';
import { openStorage } from '#lib/local/table/storage.ts';
import { dynoxideClient, startDynoxide } from '../fixtures/dynoxide.ts';
import { commands, queries, TableName } from '../fixtures/table-commands.ts';

type Command = { input: object };
type Send = (command: Command) => Promise<Record<string, unknown>>;

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, member) =>
    member && typeof member === 'object' && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted())
      : member,
  );
const sorted = (items: unknown): unknown[] => (items as object[]).map(canonical).toSorted();

/** Returns the result of a call, or the error name, reduced to what both engines must agree on. */
const outcome = async (send: Send, command: Command): Promise<unknown> => {
  try {
    const { $metadata: _, Responses, ...answer } = await send(command);
    return { ...answer, ...(Responses ? { found: sorted(Object.values(Responses as object)[0]) } : {}) };
  } catch (error) {
    const { name, CancellationReasons = [] } = error as Error & { CancellationReasons?: { Code?: string }[] };
    return { error: name, reasons: CancellationReasons.map(({ Code }) => Code) };
  }
};

/** Returns the items from all pages of a query. Items with equal index keys come in no particular order. */
const pages = async (send: Send, input: QueryCommandInput): Promise<unknown[]> => {
  const items: unknown[] = [];
  let ExclusiveStartKey: Record<string, unknown> | undefined;
  do {
    const answer = (await send(new QueryCommand({ ...input, ExclusiveStartKey }))) as {
      Items: object[];
      LastEvaluatedKey?: Record<string, unknown>;
    };
    items.push(...answer.Items);
    ExclusiveStartKey = answer.LastEvaluatedKey;
  } while (ExclusiveStartKey);
  const sortKeyOf = (item: unknown) => Object.entries(item as object).find(([name]) => /At$|listSk/.test(name))?.[1];
  return input.IndexName ? [...sorted(items), items.map(sortKeyOf)] : items;
};

/** Random calls, followed by queries on the whole table and all indexes. */
const calls = fc
  .array(commands, { minLength: 20, maxLength: 60, size: 'max' })
  .map((random) => [...random, ...queries.all.map((input) => new QueryCommand(input))]);

/**
 * Sends the same calls to the in-process table and to dynoxide. Throws if the results differ. Returns the number of
 * calls.
 */
export const compareTables = async (runs: number, seed?: number): Promise<number> => {
  const engine = await startDynoxide();
  const other = dynoxideClient(engine.endpoint);
  let made = 0;
  const run = async (series: readonly Command[]): Promise<void> => {
    await ensureTable(engine.endpoint, TableName);
    const { rows, turns, close } = openStorage(':memory:', { freezes: true });
    const ours = tableClient(rows, turns, TableName, Date.now);
    const [here, there] = [ours, other].map((client) => client.send.bind(client) as unknown as Send) as [Send, Send];
    for (const command of series) {
      const ask = (send: Send) =>
        command instanceof QueryCommand ? pages(send, command.input) : outcome(send, command);
      const [answer, other] = await Promise.all([ask(here), ask(there)]);
      const asked = JSON.stringify(command.input);
      expect({ asked, answer }).toEqual({ asked, answer: other });
      made += 1;
    }
    await close();
  };
  const empty = async () => void (await other.send(new DeleteTableCommand({ TableName }) as never));
  const property = fc.asyncProperty(calls, run).afterEach(empty);
  try {
    await fc.assert(property, { numRuns: runs, ...(seed !== undefined && { seed }) });
  } finally {
    other.destroy();
    await engine.stop();
  }
  return made;
};
