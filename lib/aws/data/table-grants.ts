import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { type Access, allAccessesOf } from '#shared/store/access-pattern.ts';
import { accessPatterns } from '#shared/store/access-patterns.ts';
import type { StoreCall } from '#shared/store/store.ts';
import { items } from '#shared/store/table.ts';

/** Converts a template of partition keys to an IAM pattern. */
const wildcard = (template: string): string => template.replaceAll(/\{\w+\}/g, '*');
const all = [...new Set(Object.values(items).map(({ pk }) => wildcard(pk.template)))];

const covers = (wide: string, narrow: string): boolean => new RegExp(`^${wide.replaceAll('*', '.*')}$`).test(narrow);

/**
 * The condition on keys that match one of `partitions`, but not the pattern of another kind of item which a wildcard
 * also matches: `C#*` also matches `C#1#HITS`. `Null` requires a key in the request, because "for all values" is true
 * without one.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-single-vs-multi-valued-context-keys.html
 */
const onKeys = (partitions: readonly string[], attributes: readonly string[]) => {
  const others = all.filter(
    (partition) => !partitions.includes(partition) && partitions.some((wide) => covers(wide, partition)),
  );
  return {
    Null: { 'dynamodb:LeadingKeys': 'false' },
    'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [...partitions] },
    ...(others.length > 0 && { 'ForAllValues:StringNotLike': { 'dynamodb:LeadingKeys': others } }),
    // Nothing else may be changed, nor seen in the answer.
    ...(attributes.length > 0 && {
      'ForAllValues:StringEquals': { 'dynamodb:Attributes': ['pk', 'sk', ...attributes] },
      StringEqualsIfExists: { 'dynamodb:ReturnValues': 'NONE' },
    }),
  };
};

/**
 * The rights that calls of the store need on the table and its indexes. Each action is in one statement with all of
 * its keys, because IAM checks the keys of a BatchGetItem, or of a transaction, together. A query of an index is
 * checked by the partition key of the index.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/specifying-conditions.html
 */
export const tableStatements = (tableArn: string, calls: readonly StoreCall[]): PolicyStatement[] => {
  const accesses = [...new Set(calls)].flatMap((call) => allAccessesOf(accessPatterns[call]));
  const rightOf = ({ action, index, attributes = [] }: Access) => `${action} ${index ?? ''} ${attributes}`;
  const rights = [...Map.groupBy(accesses, rightOf).values()].map((same) => {
    const [{ action, index, attributes = [] } = { action: '', index: null }] = same;
    const partitions = [...new Set(same.map(({ partition }) => wildcard(partition)))].sort();
    return { action, resource: index ? `${tableArn}/index/${index}` : tableArn, partitions, attributes };
  });
  const alike = Map.groupBy(rights, ({ resource, partitions, attributes }) =>
    [resource, ...partitions, '/', ...attributes].join(' '),
  );
  return [...alike.values()].map((same) => {
    const actions = same.map(({ action }) => action).sort();
    const [{ resource, partitions, attributes } = { resource: '', partitions: [], attributes: [] }] = same;
    return new PolicyStatement({ actions, resources: [resource], conditions: onKeys(partitions, attributes) });
  });
};
