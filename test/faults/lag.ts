import { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import type { Clock } from '#lib/local/clock.ts';
import type { TableClient } from '#shared/store/engine/client.ts';
import { type IndexName, tableDesign } from '#shared/store/table.ts';

type Item = Record<string, unknown>;
type Key = { pk: string; sk: string };
/** A write of an item. Until `at` (ms), the item was `before`, or null if it did not exist. */
type PastWrite = { key: Key; at: number; before: Item | null };
type Input = Item & { TableName?: string; Key?: Key; Item?: Key; TransactItems?: Record<string, Input>[] };
type QueryInput = {
  IndexName?: IndexName;
  ConsistentRead?: boolean;
  ExpressionAttributeValues: Record<string, string>;
  ScanIndexForward?: boolean;
  ExclusiveStartKey?: Item;
  Limit?: number;
};
type QueryResult = { Items?: Item[]; Count?: number; LastEvaluatedKey?: Item };

/** The longest lag (ms). */
const MAX_LAG_MS = 2_000;

const keysWritten = ({ Key: key, Item: item, TransactItems = [] }: Input): Key[] => [
  ...[key ?? item].flatMap((place) => (place ? [{ pk: place.pk, sk: place.sk }] : [])),
  ...TransactItems.flatMap((action) => Object.entries(action)).flatMap(([kind, input]) =>
    kind === 'ConditionCheck' ? [] : keysWritten(input),
  ),
];

/** Whether an item matches a query from shared/store/engine/request.ts. */
const matches = (item: Item, { IndexName, ExpressionAttributeValues: values }: QueryInput): boolean => {
  const { partitionKey, sortKey } = IndexName ? tableDesign.indexes[IndexName] : tableDesign;
  const sort = String(item[sortKey] ?? '');
  const { ':pk': pk, ':low': low = '', ':high': high, ':start': start = '' } = values;
  const isWithin = sort >= low && (high === undefined || sort <= high) && sort.startsWith(start);
  return item[partitionKey] === pk && item[sortKey] !== undefined && isWithin;
};

/** Returns an item's keys, as indexes return them and queries continue from them. */
const keysOf = (item: Item, index: IndexName | undefined): Item => {
  const { partitionKey, sortKey } = index ? tableDesign.indexes[index] : tableDesign;
  return Object.fromEntries(['pk', 'sk', partitionKey, sortKey].map((name) => [name, item[name]]));
};

/**
 * Returns a result as it would have been before some items changed. Drops the changed items, and adds their earlier
 * versions if these match the query.
 */
const rewritten = (result: QueryResult, input: QueryInput, earlier: readonly { key: Key; item: Item | null }[]) => {
  const { IndexName, ScanIndexForward = true, ExclusiveStartKey: start, Limit = Number.POSITIVE_INFINITY } = input;
  const { sortKey } = IndexName ? tableDesign.indexes[IndexName] : tableDesign;
  const place = (item: Item): string => `${item[sortKey]} ${item.pk} ${item.sk}`;
  const isBefore = (a: Item, b: Item): boolean => (ScanIndexForward ? place(a) < place(b) : place(a) > place(b));
  const { Items = [], LastEvaluatedKey: end } = result;
  const changed = new Set(earlier.map(({ key }) => `${key.pk} ${key.sk}`));
  const restored = earlier.flatMap(({ item }) => {
    if (!item || !matches(item, input)) return [];
    const isOnPage = (!start || isBefore(start, item)) && (!end || !isBefore(end, item));
    return isOnPage ? [IndexName ? keysOf(item, IndexName) : item] : [];
  });
  const found = [...Items.filter(({ pk, sk }) => !changed.has(`${pk} ${sk}`)), ...restored];
  const sorted = found.toSorted((a, b) => (isBefore(a, b) ? -1 : 1)).slice(0, Limit);
  const last = sorted.at(-1);
  const isCut = sorted.length < found.length && last !== undefined;
  return {
    ...result,
    Items: sorted,
    Count: sorted.length,
    ...(isCut && { LastEvaluatedKey: keysOf(last, IndexName) }),
  };
};

/**
 * Returns a function that creates a client whose reads lag as DynamoDB reads may. Each eventually consistent read, and
 * each index read, sees the table as it was 0 to 2 s ago, at random. Consistent reads see every write immediately.
 */
export const laggingReads =
  ({ now }: Pick<Clock, 'now'>, isOn: () => boolean, chance: () => number) =>
  (client: TableClient, plain = client): TableClient => {
    const past: PastWrite[] = [];

    const remember = async (table: string, keys: readonly Key[]): Promise<void> => {
      if (keys.length === 0) return;
      const at = now();
      while (past[0] && past[0].at < at - MAX_LAG_MS) past.shift();
      const RequestItems = { [table]: { Keys: [...keys], ConsistentRead: true } };
      const { Responses = {} } = await plain.send(new BatchGetCommand({ RequestItems }));
      const found = (Responses[table] ?? []) as (Item & Key)[];
      for (const key of keys)
        past.push({ key, at, before: found.find(({ pk, sk }) => pk === key.pk && sk === key.sk) ?? null });
    };
    /** Returns the items written since the given time (ms), as they were at that time. */
    const since = (time: number) => {
      const first = new Map<string, PastWrite>();
      for (const write of past) {
        const name = `${write.key.pk} ${write.key.sk}`;
        if (write.at > time && !first.has(name)) first.set(name, write);
      }
      return [...first.values()].map(({ key, before }) => ({ key, item: before }));
    };
    const earlierItem = (key: Key, earlier: ReturnType<typeof since>, current: Item | undefined): Item | undefined => {
      const found = earlier.find((write) => write.key.pk === key.pk && write.key.sk === key.sk);
      return found ? (found.item ?? undefined) : current;
    };

    const rewrittenBatch = (
      requested: Record<string, { Keys: Key[]; ConsistentRead?: boolean }>,
      responses: Record<string, Item[]>,
      earlier: ReturnType<typeof since>,
    ) =>
      Object.fromEntries(
        Object.entries(requested).map(([table, { Keys, ConsistentRead }]) => {
          const found = responses[table] ?? [];
          const at = (key: Key) => found.find(({ pk, sk }) => pk === key.pk && sk === key.sk);
          return [table, ConsistentRead ? found : Keys.flatMap((key) => earlierItem(key, earlier, at(key)) ?? [])];
        }),
      );

    const send = async (command: { input: Input & QueryInput }): Promise<object> => {
      const { input } = command;
      const { name } = command.constructor;
      const call = (): Promise<object> => client.send(command as never);
      if (!isOn()) return call();
      const earlier = since(now() - chance() * MAX_LAG_MS);
      if (!/Get|Query/.test(name)) {
        const table = input.TableName ?? Object.values(input.TransactItems?.[0] ?? {})[0]?.TableName ?? '';
        await remember(table, keysWritten(input));
        return call();
      }
      const output: Item & QueryResult & { Responses?: Record<string, Item[]> } = { ...(await call()) };
      if (name === 'BatchGetCommand')
        return { ...output, Responses: rewrittenBatch(input.RequestItems as never, output.Responses ?? {}, earlier) };
      if (input.ConsistentRead) return output;
      if (name === 'QueryCommand') return rewritten(output, input, earlier);
      const Item = input.Key && earlierItem(input.Key, earlier, output.Item as Item | undefined);
      return { ...output, Item };
    };
    return { send } as TableClient;
  };
