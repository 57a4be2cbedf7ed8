import type { CountedQuota } from '../domain/identity/quota.ts';
import type { Rule } from '../domain/rule/rule.ts';
import type { Table } from './engine/client.ts';
import { type Changes, type Condition, changes, type Write, where } from './engine/request.ts';
import { retryOnConflict } from './engine/retry.ts';
import { items } from './table.ts';

/**
 * The exact number of objects of each kind, in the customer item. Every transaction that adds or removes an object
 * updates the count.
 */
export type Counts = Record<CountedQuota, number>;
export const zeroCounts: Counts = { users: 0, sensors: 0, bots: 0, webhooks: 0, rules: 0, sensorGroups: 0 };

/** Returns the scope in which a rule is found for an event: a sensor, a group, or the whole customer. */
export const scopeOf = ({ sensorId, sensorGroupId }: Pick<Rule, 'sensorId' | 'sensorGroupId'>): string => {
  if (sensorId !== null) return `S:${sensorId}`;
  return sensorGroupId !== null ? `G:${sensorGroupId}` : 'ALL';
};

/**
 * Returns the key for the number of rules enabled for a rule's scope and situation. If the number is 0, there is no
 * item.
 */
export const enabledKey = (rule: Pick<Rule, 'customerId' | 'situation' | 'sensorId' | 'sensorGroupId'>) =>
  items.enabledRules({ customerId: rule.customerId, scope: scopeOf(rule), situation: rule.situation });

/** Returns the customer counts, read consistently, or null if the customer does not exist. */
export const countsOf = (table: Table, customerId: number) => table.get<Counts>(items.customer({ customerId }));

/** Returns why a customer cannot have one more of a kind, or null if it can. The write has to check this again. */
export const quotaRefusal = async (
  table: Table,
  customerId: number,
  kind: CountedQuota,
  limit: number,
): Promise<'customer_unknown' | 'limit_reached' | null> => {
  const customer = await countsOf(table, customerId);
  if (!customer) return 'customer_unknown';
  return customer[kind] >= limit ? 'limit_reached' : null;
};

/** A customer with users or sensors cannot be deleted. */
const memberKinds: readonly CountedQuota[] = ['users', 'sensors'];

/** Further changes to the customer item in the same transaction. They must not use the same clauses as the count. */
type FurtherChanges = Pick<Changes, 'UpdateExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'>;

type CountChange = { by: 1 | -1; if: Condition; also: FurtherChanges | undefined };
const countWrite = (customerId: number, kind: CountedQuota, { by, if: condition, also }: CountChange): Write => {
  const add = { [kind]: by, ...(memberKinds.includes(kind) && { members: by }) };
  const count = changes({ add, if: condition });
  return {
    update: items.customer({ customerId }),
    changes: {
      ...count,
      UpdateExpression: [also?.UpdateExpression, count.UpdateExpression].filter(Boolean).join(' '),
      ExpressionAttributeNames: { ...count.ExpressionAttributeNames, ...also?.ExpressionAttributeNames },
      ExpressionAttributeValues: { ...count.ExpressionAttributeValues, ...also?.ExpressionAttributeValues },
    },
  };
};

/**
 * Returns the write required in every transaction that adds an object of this kind. It fails if the customer has
 * reached the limit or does not exist.
 */
export const countOneMore = (customerId: number, kind: CountedQuota, limit: number, also?: FurtherChanges): Write =>
  countWrite(customerId, kind, { by: 1, if: where(`#${kind} < :limit`, { limit }), also });

/**
 * Returns the write required in every transaction that removes an object of this kind. It fails if the customer does
 * not exist.
 */
export const countOneLess = (customerId: number, kind: CountedQuota, also?: FurtherChanges): Write =>
  countWrite(customerId, kind, { by: -1, if: where(`attribute_exists(#${kind})`), also });

/**
 * Returns the positions of the failed writes after the count, which comes first, or null if only the count failed and
 * the caller should retry.
 */
const besidesCount = (failed: readonly number[] | null): number[] | null => {
  const others = (failed ?? []).filter((at) => at > 0).map((at) => at - 1);
  return failed === null || others.length > 0 ? others : null;
};

type CounterKey = { customerId: number; kind: CountedQuota };

/**
 * Adds one to the count and makes the writes, all or nothing. Returns the positions of the failed writes (none on
 * success), or why the customer cannot have one more.
 */
export const addOne = (
  table: Table,
  { customerId, kind, limit, also }: CounterKey & { limit: number; also?: FurtherChanges | undefined },
  ...writes: Write[]
): Promise<number[] | 'customer_unknown' | 'limit_reached'> =>
  retryOnConflict(async () => {
    const refusal = await quotaRefusal(table, customerId, kind, limit);
    return refusal ?? besidesCount(await table.write(countOneMore(customerId, kind, limit, also), ...writes));
  });

/**
 * Subtracts one from the count and makes the writes, all or nothing. Returns the positions of the failed writes. A
 * deleted customer has no count.
 */
export const removeOne = (
  table: Table,
  { customerId, kind, also }: CounterKey & { also?: FurtherChanges | undefined },
  ...writes: Write[]
): Promise<number[]> =>
  retryOnConflict(async () => {
    const customer = await countsOf(table, customerId);
    if (!customer) return (await table.write(...writes)) ?? [];
    return besidesCount(await table.write(countOneLess(customerId, kind, also), ...writes));
  });
