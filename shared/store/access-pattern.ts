import { due, type IndexName, items, lists } from './table.ts';

type ItemKind = keyof typeof items;

/** The kinds of items a call accesses, by action. An index query lists the partitions it reads. */
type Accesses = {
  get?: readonly ItemKind[];
  batchGet?: readonly ItemKind[];
  query?: readonly ItemKind[];
  queryDue?: true;
  queryList?: readonly (keyof typeof lists)[];
  put?: readonly ItemKind[];
  update?: readonly ItemKind[];
  /** Updates that touch only these attributes. A function with such updates may not change any other attributes. */
  updateOnly?: { readonly [K in ItemKind]?: readonly string[] };
  remove?: readonly ItemKind[];
  /** Items used only for condition checks in a transaction. */
  check?: readonly ItemKind[];
};

export type AccessPattern = {
  purpose: string;
  /** Everything accessed on any path through the call. Function permissions are derived from it. */
  does: Accesses;
  /** The units for a small example, with items of up to 1 KB and one item of each kind. */
  read: number;
  write: number;
  /** How the units grow, in words. */
  growth?: string;
};

export const pattern = (
  question: string,
  does: Accesses,
  [read, write]: readonly [read: number, write: number],
  per = '',
): AccessPattern => ({
  purpose: question,
  does,
  read,
  write,
  ...(per && { growth: per }),
});

/** Adds the accesses of a call that changes a customer count, stored in the customer item (counts.ts). */
export const withCount = (does: Accesses): Accesses => ({
  ...does,
  get: [...(does.get ?? []), 'customer'],
  update: [...(does.update ?? []), 'customer'],
});

/** An eventually consistent read that finds nothing is repeated as a consistent read, which costs more. */
export const unlessFound = '1 more if not found';
export const perItem = 'per item';
export const per4KB = 'per 4 KB';
export const per8KB = 'per 8 KB';

/** One action on one kind of partition, as IAM distinguishes them. */
export type Access = {
  action: `dynamodb:${string}`;
  /** The index being queried, or null for the table. */
  index: IndexName | null;
  /** The partition key template. */
  partition: string;
  /** The template for the whole key or, in an index, for the partition key. */
  key: string;
  /** The only attributes that may be touched, if limited. */
  attributes?: readonly string[];
};

const accessesTo = (action: Access['action']) => (kinds: readonly ItemKind[]) =>
  kinds.map((kind): Access => {
    const { pk, template } = items[kind];
    return { action, index: null, partition: pk.template, key: template };
  });
const indexQueries = (index: IndexName, parts: readonly { template: string }[]): Access[] =>
  parts.map(({ template }) => ({ action: 'dynamodb:Query', index, partition: template, key: template }));

/** Returns the accesses a call makes, assuming that each one gets a response. */
export const accessesOf = ({ does }: AccessPattern): Access[] => [
  ...accessesTo('dynamodb:GetItem')(does.get ?? []),
  ...accessesTo('dynamodb:BatchGetItem')(does.batchGet ?? []),
  ...accessesTo('dynamodb:Query')(does.query ?? []),
  ...indexQueries('due', does.queryDue ? [due.pk] : []),
  ...indexQueries(
    'list',
    (does.queryList ?? []).map((name) => lists[name].pk),
  ),
  ...accessesTo('dynamodb:PutItem')(does.put ?? []),
  ...accessesTo('dynamodb:UpdateItem')(does.update ?? []),
  ...Object.entries(does.updateOnly ?? {}).flatMap(([kind, attributes]) =>
    accessesTo('dynamodb:UpdateItem')([kind as ItemKind]).map((access) => ({ ...access, attributes })),
  ),
  ...accessesTo('dynamodb:DeleteItem')(does.remove ?? []),
  ...accessesTo('dynamodb:ConditionCheckItem')(does.check ?? []),
];

/**
 * Returns all accesses a call can make. A put or a removal whose response is lost is followed by a read (client.ts).
 */
export const allAccessesOf = (pattern: AccessPattern): Access[] => {
  const { put = [], remove = [] } = pattern.does;
  return [...accessesOf(pattern), ...accessesTo('dynamodb:GetItem')([...put, ...remove])];
};
