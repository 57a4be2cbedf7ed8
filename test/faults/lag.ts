import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import type { Clock } from '#lib/local/clock.ts';
import { type IndexName, tableDesign } from '#shared/store/table.ts';
import { dynoxideClient } from '../fixtures/dynoxide.ts';

type Item = Record<string, unknown>;
type Key = { pk: string; sk: string };
/** A write of an item: before `at` (ms) the item was `before`, which is null when there was none. */
type Past = { key: Key; at: number; before: Item | null };
type Input = Item & { TableName?: string; Key?: Key; Item?: Key; TransactItems?: Record<string, Input>[] };
type QueryInput = {
  IndexName?: IndexName;
  ConsistentRead?: boolean;
  ExpressionAttributeValues: Record<string, string>;
  ScanIndexForward?: boolean;
  ExclusiveStartKey?: Item;
  Limit?: number;
};
type QueryAnswer = { Items?: Item[]; Count?: number; LastEvaluatedKey?: Item };

/** The longest lag (ms). */
const LONGEST = 2_000;

const keysWritten = ({ Key: key, Item: item, TransactItems = [] }: Input): Key[] => [
  ...[key ?? item].flatMap((place) => (place ? [{ pk: place.pk, sk: place.sk }] : [])),
  ...TransactItems.flatMap((action) => Object.entries(action)).flatMap(([kind, input]) =>
    kind === 'ConditionCheck' ? [] : keysWritten(input),
  ),
];

/** Does an item match a query? The queries are those of shared/store/engine/request.ts. */
const fits = (item: Item, { IndexName, ExpressionAttributeValues: values }: QueryInput): boolean => {
  const { partitionKey, sortKey } = IndexName ? tableDesign.indexes[IndexName] : tableDesign;
  const sort = String(item[sortKey] ?? '');
  const { ':pk': pk, ':low': low = '', ':high': high, ':start': start = '' } = values;
  const isWithin = sort >= low && (high === undefined || sort <= high) && sort.startsWith(start);
  return item[partitionKey] === pk && item[sortKey] !== undefined && isWithin;
};

/** The keys of an item as an index returns them, and as they mark where a query continues. */
const keysOf = (item: Item, index: IndexName | undefined): Item => {
  const { partitionKey, sortKey } = index ? tableDesign.indexes[index] : tableDesign;
  return Object.fromEntries(['pk', 'sk', partitionKey, sortKey].map((name) => [name, item[name]]));
};

/**
 * Gives an answer as it would have been before some items changed: without the changed items, but with their earlier
 * versions where they match the query.
 */
const rewritten = (answer: QueryAnswer, input: QueryInput, then: readonly { key: Key; item: Item | null }[]) => {
  const { IndexName, ScanIndexForward = true, ExclusiveStartKey: start, Limit = Number.POSITIVE_INFINITY } = input;
  const { sortKey } = IndexName ? tableDesign.indexes[IndexName] : tableDesign;
  const place = (item: Item): string => `${item[sortKey]} ${item.pk} ${item.sk}`;
  const isBefore = (a: Item, b: Item): boolean => (ScanIndexForward ? place(a) < place(b) : place(a) > place(b));
  const { Items = [], LastEvaluatedKey: end } = answer;
  const changed = new Set(then.map(({ key }) => `${key.pk} ${key.sk}`));
  const back = then.flatMap(({ item }) => {
    if (!item || !fits(item, input)) return [];
    const isOnPage = (!start || isBefore(start, item)) && (!end || !isBefore(end, item));
    return isOnPage ? [IndexName ? keysOf(item, IndexName) : item] : [];
  });
  const all = [...Items.filter(({ pk, sk }) => !changed.has(`${pk} ${sk}`)), ...back];
  const sorted = all.toSorted((a, b) => (isBefore(a, b) ? -1 : 1)).slice(0, Limit);
  const last = sorted.at(-1);
  const isCut = sorted.length < all.length && last !== undefined;
  return {
    ...answer,
    Items: sorted,
    Count: sorted.length,
    ...(isCut && { LastEvaluatedKey: keysOf(last, IndexName) }),
  };
};

/**
 * Makes the reads of a client lag as those of DynamoDB may: each eventually consistent read, and each read of an
 * index, sees the table as it was 0 to 2 s ago, at random. Consistent reads see every write at once. `seen` counts
 * the answers that a lag changed.
 */
export const laggingReads =
  ({ now }: Pick<Clock, 'now'>, isOn: () => boolean, chance: () => number) =>
  (client: DynamoDBDocumentClient, endpoint: string): void => {
    const plain = dynoxideClient(endpoint);
    const past: Past[] = [];

    const remember = async (table: string, keys: readonly Key[]): Promise<void> => {
      if (keys.length === 0) return;
      const at = now();
      while (past[0] && past[0].at < at - LONGEST) past.shift();
      const RequestItems = { [table]: { Keys: [...keys], ConsistentRead: true } };
      const { Responses = {} } = await plain.send(new BatchGetCommand({ RequestItems }));
      const found = (Responses[table] ?? []) as (Item & Key)[];
      for (const key of keys)
        past.push({ key, at, before: found.find(({ pk, sk }) => pk === key.pk && sk === key.sk) ?? null });
    };
    /** The items as they were at a time (ms), as far as they were written since. */
    const since = (time: number) => {
      const first = new Map<string, Past>();
      for (const write of past) {
        const name = `${write.key.pk} ${write.key.sk}`;
        if (write.at > time && !first.has(name)) first.set(name, write);
      }
      return [...first.values()].map(({ key, before }) => ({ key, item: before }));
    };
    const was = (key: Key, then: ReturnType<typeof since>, current: Item | undefined): Item | undefined => {
      const found = then.find((write) => write.key.pk === key.pk && write.key.sk === key.sk);
      return found ? (found.item ?? undefined) : current;
    };

    const batch = (
      asked: Record<string, { Keys: Key[]; ConsistentRead?: boolean }>,
      given: Record<string, Item[]>,
      then: ReturnType<typeof since>,
    ) =>
      Object.fromEntries(
        Object.entries(asked).map(([table, { Keys, ConsistentRead }]) => {
          const found = given[table] ?? [];
          const at = (key: Key) => found.find(({ pk, sk }) => pk === key.pk && sk === key.sk);
          return [table, ConsistentRead ? found : Keys.flatMap((key) => was(key, then, at(key)) ?? [])];
        }),
      );

    client.middlewareStack.add(
      (next, context) => async (args) => {
        const input = args.input as Input & QueryInput;
        const name = String(context.commandName);
        if (!isOn()) return next(args);
        const then = since(now() - chance() * LONGEST);
        if (!/Get|Query/.test(name)) {
          const table = input.TableName ?? Object.values(input.TransactItems?.[0] ?? {})[0]?.TableName ?? '';
          await remember(table, keysWritten(input));
          return next(args);
        }
        const result = await next(args);
        const output = result.output as Item & QueryAnswer & { Responses?: Record<string, Item[]> };
        if (name.startsWith('Get') && !input.ConsistentRead && input.Key)
          Object.assign(output, { Item: was(input.Key, then, output.Item as Item | undefined) });
        if (name.startsWith('Query') && !input.ConsistentRead) Object.assign(output, rewritten(output, input, then));
        if (name.startsWith('BatchGet'))
          Object.assign(output, { Responses: batch(input.RequestItems as never, output.Responses ?? {}, then) });
        return result;
      },
      { step: 'initialize', name: 'lag', priority: 'high' },
    );
  };
