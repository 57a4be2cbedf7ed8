import { DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import { QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tableClient } from '../../../../lib/local/table/client.ts';
import { ensureTable } from '../../../../lib/local/table/endpoint.ts';
import { rowsOf } from '../../../../lib/local/table/rows.ts';
import { openStorage } from '../../../../lib/local/table/storage.ts';
import { type Dynoxide, dynoxideClient, startDynoxide, whyNoDynoxide } from '../../../fixtures/dynoxide.ts';
import { commands, TableName } from '../../../fixtures/table-commands.ts';

type Command = { input: object };
type Send = (command: Command) => Promise<Record<string, unknown>>;

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, one) =>
    one && typeof one === 'object' && !Array.isArray(one) ? Object.fromEntries(Object.entries(one).toSorted()) : one,
  );
const sorted = (all: unknown): unknown[] => (all as object[]).map(canonical).toSorted();

/** What a call answers, or the name of its error, as far as two engines must agree. */
const outcome = async (send: Send, command: Command): Promise<unknown> => {
  try {
    const { $metadata: _, Responses, ...answer } = await send(command);
    return { ...answer, ...(Responses ? { found: sorted(Object.values(Responses as object)[0]) } : {}) };
  } catch (error) {
    const { name, CancellationReasons = [] } = error as Error & { CancellationReasons?: { Code?: string }[] };
    return { error: name, reasons: CancellationReasons.map(({ Code }) => Code) };
  }
};

/** Follows the pages of a query; items with equal keys of an index have no order among themselves. */
const pages = async (send: Send, input: QueryCommandInput): Promise<unknown[]> => {
  const all: unknown[] = [];
  let ExclusiveStartKey: Record<string, unknown> | undefined;
  do {
    const answer = (await send(new QueryCommand({ ...input, ExclusiveStartKey }))) as {
      Items: object[];
      LastEvaluatedKey?: Record<string, unknown>;
    };
    all.push(...answer.Items);
    ExclusiveStartKey = answer.LastEvaluatedKey;
  } while (ExclusiveStartKey);
  return input.IndexName
    ? [...sorted(all), all.map((one) => Object.entries(one as object).find(([name]) => /At$|listSk/.test(name))?.[1])]
    : all;
};

describe.skipIf(whyNoDynoxide)('the table in this process, beside dynoxide', () => {
  let engine: Dynoxide;
  beforeAll(async () => {
    engine = await startDynoxide();
  });
  afterAll(() => engine.stop());

  test('answers, fails and is left as that, whatever it is asked', async () => {
    const other = dynoxideClient(engine.endpoint);
    const run = async (calls: readonly Command[]): Promise<void> => {
      await ensureTable(engine.endpoint, TableName);
      const storage = openStorage(':memory:');
      const ours = tableClient(rowsOf(storage.database), storage.turns, TableName, Date.now);
      const [here, there] = [ours, other].map((client) => client.send.bind(client) as unknown as Send) as [Send, Send];
      for (const command of calls) {
        const ask = (send: Send) =>
          command instanceof QueryCommand ? pages(send, command.input) : outcome(send, command);
        const [our, their] = await Promise.all([ask(here), ask(there)]);
        expect({ asked: JSON.stringify(command.input), answer: our }).toEqual({
          asked: JSON.stringify(command.input),
          answer: their,
        });
      }
      await storage.close();
      await other.send(new DeleteTableCommand({ TableName }) as never);
    };
    const cases = fc.array(commands, { minLength: 20, maxLength: 60, size: 'max' });
    await fc.assert(
      fc.asyncProperty(cases, run).afterEach(async () => {
        await other.send(new DeleteTableCommand({ TableName }) as never).catch(() => {});
      }),
      { numRuns: 30 },
    );
    other.destroy();
  });
});
