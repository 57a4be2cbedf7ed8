import type { Counted } from '../domain/identity/quota.ts';
import type { Rule } from '../domain/rule/rule.ts';
import type { Table } from './engine/client.ts';
import { type Changes, changes, type Write, where } from './engine/request.ts';
import { retryOnConflict } from './engine/retry.ts';
import { items } from './table.ts';

/**
 * How many of each kind a customer has, exactly: in its own item, changed by every transaction that gives it one or
 * takes one away.
 */
export type Counts = Record<Counted, number>;
export const nothingYet: Counts = { users: 0, sensors: 0, bots: 0, webhooks: 0, rules: 0, sensorGroups: 0 };

/** Where a rule is found by an event: at its sensor, its group, or its customer. */
export const scopeOf = ({ sensorId, sensorGroupId }: Pick<Rule, 'sensorId' | 'sensorGroupId'>): string => {
  if (sensorId !== null) return `S:${sensorId}`;
  return sensorGroupId !== null ? `G:${sensorGroupId}` : 'ALL';
};

/** The count of the rules that are enabled for the scope and the situation of a rule; there is none for 0. */
export const enabledKey = (rule: Pick<Rule, 'customerId' | 'situation' | 'sensorId' | 'sensorGroupId'>) =>
  items.enabledRules({ customerId: rule.customerId, scope: scopeOf(rule), situation: rule.situation });

/** What a customer has, read consistently; null: there is no such customer. */
export const countsOf = (table: Table, customerId: number) => table.get<Counts>(items.customer({ customerId }));

/** Why a customer can't be given one more, if it can't. What it says may be over by the time of the write. */
export const roomFor = async (
  table: Table,
  customerId: number,
  kind: Counted,
  most: number,
): Promise<'customer_unknown' | 'limit_reached' | null> => {
  const customer = await countsOf(table, customerId);
  if (!customer) return 'customer_unknown';
  return customer[kind] >= most ? 'limit_reached' : null;
};

/** Users and sensors are what a customer cannot be deleted with. */
const members: readonly Counted[] = ['users', 'sensors'];

/** What else the same transaction does with the item of the customer, in words that counting doesn't use. */
type Also = Pick<Changes, 'UpdateExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'>;

type Change = { by: 1 | -1; text: string; given: object; also: Also | undefined };
const counting = (customerId: number, kind: Counted, { by, text, given, also }: Change): Write => {
  const add = { [kind]: by, ...(members.includes(kind) && { members: by }) };
  const count = changes({ add, if: where(text, { ...given }) });
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
 * Part of every transaction that gives a customer one more: it fails when the customer has `most` of them or is not
 * there.
 */
export const oneMore = (customerId: number, kind: Counted, most: number, also?: Also): Write =>
  counting(customerId, kind, { by: 1, text: `#${kind} < :most`, given: { most }, also });

/** Part of every transaction that takes one away: it fails when the customer is not there. */
export const oneLess = (customerId: number, kind: Counted, also?: Also): Write =>
  counting(customerId, kind, { by: -1, text: `attribute_exists(#${kind})`, given: {}, also });

/** Positions of what failed besides the count, which comes first; null: the count alone, so look again. */
const besidesCount = (failed: readonly number[] | null): number[] | null => {
  const others = (failed ?? []).filter((at) => at > 0).map((at) => at - 1);
  return failed === null || others.length > 0 ? others : null;
};

type CounterKey = { customerId: number; kind: Counted };

/**
 * Writes all or nothing what gives a customer one more. Gives the positions of the writes that failed, none when it is
 * done; or why there is no room for it.
 */
export const giveOne = (
  table: Table,
  { customerId, kind, most, also }: CounterKey & { most: number; also?: Also | undefined },
  ...writes: Write[]
): Promise<number[] | 'customer_unknown' | 'limit_reached'> =>
  retryOnConflict(async () => {
    const full = await roomFor(table, customerId, kind, most);
    return full ?? besidesCount(await table.write(oneMore(customerId, kind, most, also), ...writes));
  });

/** Writes all or nothing what takes one away; the positions of the writes that failed. A customer who is gone has no count. */
export const takeOne = (
  table: Table,
  { customerId, kind, also }: CounterKey & { also?: Also | undefined },
  ...writes: Write[]
): Promise<number[]> =>
  retryOnConflict(async () => {
    const customer = await countsOf(table, customerId);
    if (!customer) return (await table.write(...writes)) ?? [];
    return besidesCount(await table.write(oneLess(customerId, kind, also), ...writes));
  });
