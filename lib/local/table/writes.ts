import { invalid, tableError } from './errors.ts';
import { checkItem, keyOf } from './keys.ts';
import { boundOf, conditionOf, EXPRESSIONS, type Input, optionsOf } from './request.ts';
import type { Rows } from './rows.ts';
import { parseUpdate } from './update.ts';
import { type Document, documentOf } from './values.ts';

/** A write whose condition holds: what it does, and what it answers. */
type Prepared = { key: { pk: string; sk: string }; apply: () => Document };
type Prepare = (rows: Rows, input: Input) => Prepared;

const CONDITION = [...EXPRESSIONS, 'ConditionExpression'];
const isKey = (name: string) => name === 'pk' || name === 'sk';

export const prepareUpdate: Prepare = (rows, input) => {
  const given = optionsOf(input, [...CONDITION, 'Key', 'UpdateExpression', 'ReturnValues']);
  const update = parseUpdate(String(given.UpdateExpression));
  const condition = conditionOf(given);
  const bound = boundOf(given, [update, condition]);
  const key = keyOf(given.Key);
  const before = rows.get(key.pk, key.sk);
  condition.check(before, bound);
  const { ReturnValues = 'NONE' } = given;
  const old = ReturnValues === 'ALL_OLD' ? rows.get(key.pk, key.sk) : null;
  const changed: Document = before ?? { ...key };
  const set = update.run(changed, bound);
  if (changed.pk !== key.pk || changed.sk !== key.sk || set.some(isKey))
    throw invalid('Cannot update attribute. This attribute is part of the key');
  const size = checkItem(changed);
  const answers: Record<string, () => Document | null> = {
    NONE: () => null,
    ALL_NEW: () => changed,
    ALL_OLD: () => old,
    UPDATED_NEW: () => Object.fromEntries(set.map((name) => [name, changed[name] ?? null])),
  };
  const answer = answers[String(ReturnValues)];
  if (!answer) throw invalid(`this table does not know ReturnValues ${ReturnValues}`);
  return {
    key,
    apply: () => {
      rows.put(changed, size);
      const Attributes = answer();
      return Attributes ? { Attributes } : {};
    },
  };
};

export const preparePut: Prepare = (rows, input) => {
  const given = optionsOf(input, [...CONDITION, 'Item']);
  const condition = conditionOf(given);
  const bound = boundOf(given, [condition]);
  const item = documentOf(Object(given.Item));
  const size = checkItem(item);
  const key = { pk: String(item.pk), sk: String(item.sk) };
  if (given.ConditionExpression !== undefined) condition.check(rows.get(key.pk, key.sk), bound);
  return {
    key,
    apply: () => {
      rows.put(item, size);
      return {};
    },
  };
};

const prepareKeyed =
  (apply: (rows: Rows, key: { pk: string; sk: string }) => void): Prepare =>
  (rows, input) => {
    const given = optionsOf(input, [...CONDITION, 'Key']);
    const condition = conditionOf(given);
    const bound = boundOf(given, [condition]);
    const key = keyOf(given.Key);
    if (given.ConditionExpression !== undefined) condition.check(rows.get(key.pk, key.sk), bound);
    return {
      key,
      apply: () => {
        apply(rows, key);
        return {};
      },
    };
  };
export const prepareDelete: Prepare = prepareKeyed((rows, { pk, sk }) => rows.remove(pk, sk));
const prepareCheck: Prepare = prepareKeyed(() => {});

const actions: Readonly<Record<string, Prepare>> = {
  Put: preparePut,
  Update: prepareUpdate,
  Delete: prepareDelete,
  ConditionCheck: prepareCheck,
};

/** https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html */
const MOST_ACTIONS = 100;

const prepareAction = (rows: Rows, action: Input): Prepared => {
  const [first, ...more] = Object.entries(action).filter(([, value]) => value !== undefined);
  const [name, input] = first ?? ['', undefined];
  const prepare = actions[name];
  if (!prepare || more.length > 0) throw invalid(`a transaction has no action ${name}`);
  return prepare(rows, input as Input);
};

/** Why one write of a transaction cancels all of it; other errors are of the whole call. */
const codeOf = (error: unknown): string => {
  const { name, isOfItem } = error as Error & { isOfItem?: boolean };
  if (name === 'ConditionalCheckFailedException') return 'ConditionalCheckFailed';
  if (isOfItem) return 'ValidationError';
  throw error;
};

const nameOf = (action: Input): string => {
  const { Key, Item } = Object(Object.values(action)[0]);
  const { pk, sk } = Object(Key ?? Item);
  return JSON.stringify([pk, sk]);
};

/** All writes, or none of them: then an error says of which the condition failed. */
export const transact = (rows: Rows, list: readonly Input[]): void => {
  if (list.length === 0 || list.length > MOST_ACTIONS) throw invalid(`a transaction has 1 to ${MOST_ACTIONS} actions`);
  if (new Set(list.map(nameOf)).size < list.length)
    throw invalid('Transaction request cannot include multiple operations on one item');
  const codes: string[] = [];
  const prepared = list.flatMap((action) => {
    try {
      const prepared = prepareAction(rows, action);
      codes.push('None');
      return [prepared];
    } catch (error) {
      codes.push(codeOf(error));
      return [];
    }
  });
  if (prepared.length < list.length) {
    const CancellationReasons = codes.map((Code) => ({ Code }));
    const message = `Transaction cancelled: [${codes.join(', ')}]`;
    throw tableError('TransactionCanceledException', message, { CancellationReasons });
  }
  for (const { apply } of prepared) apply();
};
