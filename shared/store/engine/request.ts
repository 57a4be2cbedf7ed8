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
const placeholders = (values: Item) => {
  const named: Item = {};
  for (const [name, value] of Object.entries(values)) named[`:${name}`] = value;
  return named;
};

/** Builds a condition in which `#name` stands for the attribute `name`, and `:name` for a value. */
export const where = (text: string, values: Item = {}): Condition => ({
  ConditionExpression: text,
  ...(/#/.test(text) && { ExpressionAttributeNames: aliases(text) }),
  ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: placeholders(values) }),
});

/** The conditions for a missing and for an existing item. */
export const absent = where('attribute_not_exists(pk)');
export const present = where('attribute_exists(pk)');

type ChangeList = {
  set?: Item;
  /** Attributes to set to the result of an expression. */
  compute?: Record<string, string>;
  add?: Record<string, number>;
  remove?: readonly string[];
  if?: Condition;
};

/** Builds an update from the attributes to set, compute, add to and remove, and a condition. `undefined` is not set. */
export const changes = (list: ChangeList, returns?: 'ALL_NEW' | 'ALL_OLD' | 'UPDATED_NEW'): Changes => {
  const assigned = Object.entries({ ...list.set }).filter(([, value]) => value !== undefined);
  const computed = Object.entries({ ...list.compute }).map(([name, text]) => `#${name} = ${text}`);
  const set = [...assigned.map(([name]) => `#${name} = :${name}`), ...computed];
  const added = Object.keys(list.add ?? {}).map((name) => `#${name} :${name}`);
  const clauses = [
    set.length > 0 && `SET ${set.join(', ')}`,
    added.length > 0 && `ADD ${added.join(', ')}`,
    list.remove?.length && `REMOVE ${list.remove.map((name) => `#${name}`).join(', ')}`,
  ];
  const UpdateExpression = clauses.filter(Boolean).join(' ');
  const values = {
    ...placeholders({ ...Object.fromEntries(assigned), ...list.add }),
    ...list.if?.ExpressionAttributeValues,
  };
  return {
    UpdateExpression,
    ...(list.if && { ConditionExpression: list.if.ConditionExpression }),
    ExpressionAttributeNames: aliases(UpdateExpression, list.if?.ConditionExpression ?? ''),
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
    ...(returns && { ReturnValues: returns }),
  };
};

/** Returns the attributes that an update from `changes` sets to values. */
export const attributesSetBy = ({ UpdateExpression, ExpressionAttributeValues = {} }: Changes): Item => {
  const names = [...UpdateExpression.matchAll(/#(\w+) = :\1(?!\w)/g)].map(([, name = '']) => name);
  return Object.fromEntries(names.map((name) => [name, ExpressionAttributeValues[`:${name}`]]));
};

/**
 * Returns the command that makes all writes or none. A single write needs no transaction, which would cost twice as
 * much.
 */
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
  /** The bounds of the sort key, both included, or its prefix. */
  between?: readonly [string, string];
  beginsWith?: string;
  newestFirst?: boolean;
  limit?: number;
  startAfter?: Item | undefined;
  /**
   * False for an eventually consistent read, at half the cost, which may be a few seconds old. Indexes allow only such
   * reads.
   */
  consistent?: boolean;
  /**
   * The attributes, or parts of them (`a.b`), to return besides the key. By default, all are returned. This does not
   * lower the cost.
   */
  only?: readonly string[];
};

const rangeOf = ({ between, beginsWith }: Query): { text: string; values: Item } | null => {
  if (between) return { text: ' AND #sk BETWEEN :low AND :high', values: { ':low': between[0], ':high': between[1] } };
  if (beginsWith === undefined) return null;
  return { text: ' AND begins_with(#sk, :start)', values: { ':start': beginsWith } };
};

/** Returns the query in SDK form, without the table. */
export const queryInput = (query: Query): Omit<QueryCommandInput, 'TableName'> => {
  const design = query.index ? tableDesign.indexes[query.index] : tableDesign;
  const range = rangeOf(query);
  const paths = query.only?.map((path) => path.split('.').map((name) => `#${name}`));
  return {
    ...(query.index && { IndexName: query.index }),
    KeyConditionExpression: `#pk = :pk${range?.text ?? ''}`,
    ExpressionAttributeNames: {
      '#pk': design.partitionKey,
      ...(range && { '#sk': design.sortKey }),
      ...aliases(...(paths ?? []).flat()),
    },
    ExpressionAttributeValues: { ':pk': query.pk, ...range?.values },
    ScanIndexForward: !query.newestFirst,
    ...(query.limit !== undefined && { Limit: query.limit }),
    ...(query.startAfter && { ExclusiveStartKey: query.startAfter }),
    ...(!query.index && { ConsistentRead: query.consistent ?? true }),
    ...(paths && { ProjectionExpression: ['pk', 'sk', ...paths.map((path) => path.join('.'))].join(', ') }),
  };
};
