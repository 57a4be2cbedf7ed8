import { due, type IndexName, items, lists } from './table.ts';

type ItemKind = keyof typeof items;

/** The kinds of items that a call accesses, by action. A query of an index names the partitions that it reads. */
type Accesses = {
  get?: readonly ItemKind[];
  batchGet?: readonly ItemKind[];
  query?: readonly ItemKind[];
  queryDue?: true;
  queryList?: readonly (keyof typeof lists)[];
  put?: readonly ItemKind[];
  update?: readonly ItemKind[];
  /** Updates that touch these attributes alone: whoever may make them may change nothing else of the item. */
  updateOnly?: { readonly [K in ItemKind]?: readonly string[] };
  remove?: readonly ItemKind[];
  /** Items that a transaction only checks by a condition. */
  check?: readonly ItemKind[];
};

export type AccessPattern = {
  question: string;
  /** Everything that the call may do, on any path through it: the rights of functions are made of it. */
  does: Accesses;
  /** Units of one small example: items up to 1 KB, each named once. */
  read: number;
  write: number;
  /** What the units grow with, in words. */
  per?: string;
};

export const pattern = (
  question: string,
  does: Accesses,
  [read, write]: readonly [read: number, write: number],
  per = '',
): AccessPattern => ({
  question,
  does,
  read,
  write,
  ...(per && { per }),
});

/** Adds what calls do that change how many of something a customer has: its own item counts them (counts.ts). */
export const counting = (does: Accesses): Accesses => ({
  ...does,
  get: [...(does.get ?? []), 'customer'],
  update: [...(does.update ?? []), 'customer'],
});

/** An eventually consistent read that finds nothing is repeated consistently, which costs more. */
export const orAbsent = '1 more when it is not found';
export const eachItem = 'for each item';
export const each4KB = 'for each 4 KB';
export const each8KB = 'for each 8 KB';

/** One kind of access to one kind of partition, as IAM tells them apart. */
export type Access = {
  action: `dynamodb:${string}`;
  /** The index that is asked; null: the table. */
  index: IndexName | null;
  /** The template of the partition key. */
  partition: string;
  /** The template of the whole key; that of the partition, where an index is asked. */
  key: string;
  /** The attributes that are touched, where no others may be. */
  attributes?: readonly string[];
};

const ofItems = (action: Access['action']) => (kinds: readonly ItemKind[]) =>
  kinds.map((kind): Access => {
    const { pk, template } = items[kind];
    return { action, index: null, partition: pk.template, key: template };
  });
const ofIndex = (index: IndexName, parts: readonly { template: string }[]): Access[] =>
  parts.map(({ template }) => ({ action: 'dynamodb:Query', index, partition: template, key: template }));

/** The accesses of a call, one by one, if each of them is answered. */
export const accessesOf = ({ does }: AccessPattern): Access[] => [
  ...ofItems('dynamodb:GetItem')(does.get ?? []),
  ...ofItems('dynamodb:BatchGetItem')(does.batchGet ?? []),
  ...ofItems('dynamodb:Query')(does.query ?? []),
  ...ofIndex('due', does.queryDue ? [due.pk] : []),
  ...ofIndex(
    'list',
    (does.queryList ?? []).map((name) => lists[name].pk),
  ),
  ...ofItems('dynamodb:PutItem')(does.put ?? []),
  ...ofItems('dynamodb:UpdateItem')(does.update ?? []),
  ...Object.entries(does.updateOnly ?? {}).flatMap(([kind, attributes]) =>
    ofItems('dynamodb:UpdateItem')([kind as ItemKind]).map((access) => ({ ...access, attributes })),
  ),
  ...ofItems('dynamodb:DeleteItem')(does.remove ?? []),
  ...ofItems('dynamodb:ConditionCheckItem')(does.check ?? []),
];

/** All accesses of a call: where a put or a removal got no answer, the table is asked whether it was done (client.ts). */
export const allAccessesOf = (pattern: AccessPattern): Access[] => {
  const { put = [], remove = [] } = pattern.does;
  return [...accessesOf(pattern), ...ofItems('dynamodb:GetItem')([...put, ...remove])];
};
