import type { Key } from '../key.ts';
import { type IndexName, tableDesign } from '../table.ts';
import {
  DeleteCommand,
  PutCommand,
  type QueryCommandInput,
  TransactWriteCommand,
  UpdateCommand,
  type UpdateCommandInput,
} from './sdk.ts';

export type Item = Record<string, unknown>;
type Expressions = Pick<UpdateCommandInput, 'ExpressionAttributeNames' | 'ExpressionAttributeValues'>;
export type Condition = Expressions & { ConditionExpression: string };
export type Changes = Expressions &
  Partial<Condition> & { UpdateExpression: string } & Pick<UpdateCommandInput, 'ReturnValues'>;
export type Write =
  | { put: Item & Key; where?: Condition }
  | { update: Key; changes: Changes }
  | { remove: Key; where?: Condition }
  | { check: Key; where: Condition };

const aliases = (...texts: string[]) => {
  const names: Record<string, string> = {};
  const found = texts.flatMap((text) => text.match(/#\w+/g) ?? []);
  for (const alias of found) names[alias] = alias.slice(1);
  return names;
};
const values = (of: Item) => {
  const named: Item = {};
  for (const [name, value] of Object.entries(of)) named[`:${name}`] = value;
  return named;
};

/** A condition; `#name` stands for the attribute of that name, `:name` for a value given. */
export const where = (text: string, given: Item = {}): Condition => ({
  ConditionExpression: text,
  ...(/#/.test(text) && { ExpressionAttributeNames: aliases(text) }),
  ...(Object.keys(given).length > 0 && { ExpressionAttributeValues: values(given) }),
});

/** The conditions of what may be written once, and of what must be there already. */
export const absent = where('attribute_not_exists(pk)');
export const present = where('attribute_exists(pk)');

type ChangeList = {
  set?: Item;
  /** Attributes to set to what an expression of the table gives. */
  compute?: Record<string, string>;
  add?: Record<string, number>;
  remove?: readonly string[];
  if?: Condition;
};

/** An update: attributes to set, to compute, to add to, to remove, and its condition. An `undefined` to set is left alone. */
export const changes = (list: ChangeList, returns?: 'ALL_NEW' | 'ALL_OLD' | 'UPDATED_NEW'): Changes => {
  const given = Object.entries({ ...list.set }).filter(([, value]) => value !== undefined);
  const computed = Object.entries({ ...list.compute }).map(([name, text]) => `#${name} = ${text}`);
  const set = [...given.map(([name]) => `#${name} = :${name}`), ...computed];
  const added = Object.keys(list.add ?? {}).map((name) => `#${name} :${name}`);
  const clauses = [
    set.length > 0 && `SET ${set.join(', ')}`,
    added.length > 0 && `ADD ${added.join(', ')}`,
    list.remove?.length && `REMOVE ${list.remove.map((name) => `#${name}`).join(', ')}`,
  ];
  const UpdateExpression = clauses.filter(Boolean).join(' ');
  const all = { ...values({ ...Object.fromEntries(given), ...list.add }), ...list.if?.ExpressionAttributeValues };
  return {
    UpdateExpression,
    ...(list.if && { ConditionExpression: list.if.ConditionExpression }),
    ExpressionAttributeNames: aliases(UpdateExpression, list.if?.ConditionExpression ?? ''),
    ...(Object.keys(all).length > 0 && { ExpressionAttributeValues: all }),
    ...(returns && { ReturnValues: returns }),
  };
};

/** Writes all or nothing. A single one is a plain write, at half the price of a transaction. */
export const writeCommand = (common: { TableName: string }, writes: readonly Write[], token: string) => {
  const { TableName, ...capacity } = common;
  const [only] = writes;
  if (only && writes.length === 1) {
    if ('put' in only) return new PutCommand({ ...common, Item: only.put, ...only.where });
    if ('remove' in only) return new DeleteCommand({ ...common, Key: only.remove, ...only.where });
    if ('update' in only) return new UpdateCommand({ ...common, Key: only.update, ...only.changes });
  }
  const TransactItems = writes.map((write) => {
    if ('put' in write) return { Put: { TableName, Item: write.put, ...write.where } };
    if ('remove' in write) return { Delete: { TableName, Key: write.remove, ...write.where } };
    if ('update' in write) return { Update: { TableName, Key: write.update, ...write.changes } };
    return { ConditionCheck: { TableName, Key: write.check, ...write.where } };
  });
  return new TransactWriteCommand({ ...capacity, ClientRequestToken: token, TransactItems });
};

export type Query = {
  index?: IndexName;
  pk: string;
  /** Bounds of the sort key, both included; or what it begins with. */
  between?: readonly [string, string];
  beginsWith?: string;
  newestFirst?: boolean;
  limit?: number;
  startAfter?: Item | undefined;
  /** False: an eventually consistent read, at half the price, of what may be some seconds old. Those of an index are. */
  consistent?: boolean;
  /** Attributes, or parts of them as `a.b`, wanted besides the key; all when left out. The price is that of the whole items. */
  only?: readonly string[];
};

const rangeOf = ({ between, beginsWith }: Query): { text: string; values: Item } | null => {
  if (between) return { text: ' AND #sk BETWEEN :low AND :high', values: { ':low': between[0], ':high': between[1] } };
  if (beginsWith === undefined) return null;
  return { text: ' AND begins_with(#sk, :start)', values: { ':start': beginsWith } };
};

/** A query as the SDK takes it, less the table. */
export const queryInput = (query: Query): Omit<QueryCommandInput, 'TableName'> => {
  const design = query.index ? tableDesign.indexes[query.index] : tableDesign;
  const range = rangeOf(query);
  const wanted = query.only?.map((path) => path.split('.').map((name) => `#${name}`));
  return {
    ...(query.index && { IndexName: query.index }),
    KeyConditionExpression: `#pk = :pk${range?.text ?? ''}`,
    ExpressionAttributeNames: {
      '#pk': design.partitionKey,
      ...(range && { '#sk': design.sortKey }),
      ...aliases(...(wanted ?? []).flat()),
    },
    ExpressionAttributeValues: { ':pk': query.pk, ...range?.values },
    ScanIndexForward: !query.newestFirst,
    ...(query.limit !== undefined && { Limit: query.limit }),
    ...(query.startAfter && { ExclusiveStartKey: query.startAfter }),
    ...(!query.index && { ConsistentRead: query.consistent ?? true }),
    ...(wanted && { ProjectionExpression: ['pk', 'sk', ...wanted.map((path) => path.join('.'))].join(', ') }),
  };
};
