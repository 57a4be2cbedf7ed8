import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { type Access, allAccessesOf } from '#shared/store/access-pattern.ts';
import { accessPatterns } from '#shared/store/access-patterns.ts';
import type { StoreCall } from '#shared/store/store.ts';
import { items } from '#shared/store/table.ts';

/** Returns the IAM pattern for a partition key template. */
const wildcard = (template: string): string => template.replaceAll(/\{\w+\}/g, '*');
const allPartitions = [...new Set(Object.values(items).map(({ pk }) => wildcard(pk.template)))];

const covers = (wide: string, narrow: string): boolean => new RegExp(`^${wide.replaceAll('*', '.*')}$`).test(narrow);

/**
 * Returns the condition that keys match one of `partitions`, but not a more specific pattern for other items: `C#*`
 * also matches `C#1#HITS`. `Null` requires a key in the request, because ForAllValues is true without one.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-single-vs-multi-valued-context-keys.html
 */
const onKeys = (partitions: readonly string[], attributes: readonly string[]) => {
  const others = allPartitions.filter(
    (partition) => !partitions.includes(partition) && partitions.some((wide) => covers(wide, partition)),
  );
  return {
    Null: { 'dynamodb:LeadingKeys': 'false' },
    'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [...partitions] },
    ...(others.length > 0 && { 'ForAllValues:StringNotLike': { 'dynamodb:LeadingKeys': others } }),
    // No other attribute may be changed or returned.
    ...(attributes.length > 0 && {
      'ForAllValues:StringEquals': { 'dynamodb:Attributes': ['pk', 'sk', ...attributes] },
      StringEqualsIfExists: { 'dynamodb:ReturnValues': 'NONE' },
    }),
  };
};

/**
 * Returns the permissions store calls need on the table and its indexes. Each action is in one statement with all its
 * keys, because IAM checks all keys in a BatchGetItem or a transaction together. For index queries, IAM checks the
 * partition key of the index.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/specifying-conditions.html
 */
export const tableStatements = (tableArn: string, calls: readonly StoreCall[]): PolicyStatement[] => {
  const accesses = [...new Set(calls)].flatMap((call) => allAccessesOf(accessPatterns[call]));
  const permissionKey = ({ action, index, attributes = [] }: Access) => `${action} ${index ?? ''} ${attributes}`;
  const permissions = [...Map.groupBy(accesses, permissionKey).values()].map((same) => {
    const [{ action, index, attributes = [] } = { action: '', index: null }] = same;
    const partitions = [...new Set(same.map(({ partition }) => wildcard(partition)))].sort();
    return { action, resource: index ? `${tableArn}/index/${index}` : tableArn, partitions, attributes };
  });
  const byKeys = Map.groupBy(permissions, ({ resource, partitions, attributes }) =>
    [resource, ...partitions, '/', ...attributes].join(' '),
  );
  return [...byKeys.values()].map((same) => {
    const actions = same.map(({ action }) => action).sort();
    const [{ resource, partitions, attributes } = { resource: '', partitions: [], attributes: [] }] = same;
    return new PolicyStatement({ actions, resources: [resource], conditions: onKeys(partitions, attributes) });
  });
};
