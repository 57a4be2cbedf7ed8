import { type Counted, counted } from '../domain/quota.ts';
import type { Rule } from '../domain/rule.ts';
import type { Table } from './client.ts';
import { absent, type Changes, changes, type Write, where } from './request.ts';
import { retryOnConflict } from './retry.ts';
import { items } from './table.ts';

/**
 * How many of each kind a customer has, exactly: in its own item, changed by every transaction that gives it one or
 * takes one away. A customer from before there were counts has none until somebody needs them.
 */
export type Counts = Partial<Record<Counted, number>>;
type CountedCustomer = Counts & { members: number };

const tally = (of: (kind: Counted) => number): Counts => Object.fromEntries(counted.map((kind) => [kind, of(kind)]));
export const nothingYet: Counts = tally(() => 0);

/** Where a rule is found by an event: at its sensor, its group, or its customer. */
export const scopeOf = ({ sensorId, sensorGroupId }: Pick<Rule, 'sensorId' | 'sensorGroupId'>): string =>
  sensorId !== null ? `S:${sensorId}` : sensorGroupId !== null ? `G:${sensorGroupId}` : 'ALL';

/** The count of the rules that are enabled for the scope and the situation of a rule; there is none for 0. */
export const enabledKey = (rule: Pick<Rule, 'customerId' | 'situation' | 'sensorId' | 'sensorGroupId'>) =>
  items.enabledRules({ customerId: rule.customerId, scope: scopeOf(rule), situation: rule.situation });

const kinds = {
  users: items.user,
  sensors: items.sensor,
  bots: items.bot,
  webhooks: items.webhook,
  rules: items.ruleById,
  sensorGroups: items.sensorGroup,
} as const satisfies Record<Counted, { read: (key: { pk: string; sk: string }) => unknown }>;

/**
 * Counts what a customer has, once: nothing is created or removed in it before it is counted, and whoever counts at the
 * same time finds the same.
 */
const countAll = async (table: Table, customerId: number): Promise<void> => {
  const keys = await table.queryAll({ pk: items.user.pk({ customerId }), only: [] });
  const rules = await table.queryAll<Rule>({ pk: items.rule.pk({ customerId }) });
  const enabled = Map.groupBy(
    rules.filter(({ isEnabled }) => isEnabled),
    (rule) => enabledKey(rule).sk,
  );
  const customer = items.customer({ customerId });
  const uncounted = where('attribute_exists(pk) AND attribute_not_exists(#users)');
  for (const [first, ...others] of enabled.values()) {
    if (!first) continue;
    const put = { ...enabledKey(first), enabled: 1 + others.length };
    await table.write({ put, where: absent }, { check: customer, where: uncounted });
  }
  const set = tally((kind) => keys.filter((key) => kinds[kind].read(key)).length);
  await table.update(customer, changes({ set, if: uncounted }));
};

/** The customer with what it has, read consistently and counted at the latest now; null: there is none. */
export const countedCustomer = async (table: Table, customerId: number): Promise<CountedCustomer | null> => {
  const customer = await table.get<CountedCustomer>(items.customer({ customerId }));
  if (!customer || customer.users !== undefined) return customer;
  await countAll(table, customerId);
  return countedCustomer(table, customerId);
};

/** Why a customer can't be given one more, if it can't. What it says may be over by the time of the write. */
export const roomFor = async (
  table: Table,
  customerId: number,
  kind: Counted,
  most: number,
): Promise<'customer_unknown' | 'limit_reached' | null> => {
  const customer = await countedCustomer(table, customerId);
  if (!customer) return 'customer_unknown';
  return (customer[kind] ?? 0) >= most ? 'limit_reached' : null;
};

/** Users and sensors are what a customer cannot be deleted with. */
const members: readonly Counted[] = ['users', 'sensors'];

/** What else the same transaction does with the item of the customer, in words that counting doesn't use. */
type Also = Pick<Changes, 'UpdateExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'>;

const counting = (customerId: number, kind: Counted, by: 1 | -1, text: string, given: object, also?: Also): Write => {
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
 * Part of every transaction that gives a customer one more: it fails when the customer has `most` of them, was not
 * counted yet, or is not there.
 */
export const oneMore = (customerId: number, kind: Counted, most: number, also?: Also): Write =>
  counting(customerId, kind, 1, `#${kind} < :most`, { most }, also);

/** Part of every transaction that takes one away: it fails when the customer was not counted yet, or is not there. */
export const oneLess = (customerId: number, kind: Counted, also?: Also): Write =>
  counting(customerId, kind, -1, `attribute_exists(#${kind})`, {}, also);

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
    const customer = await countedCustomer(table, customerId);
    if (!customer) return (await table.write(...writes)) ?? [];
    return besidesCount(await table.write(oneLess(customerId, kind, also), ...writes));
  });
