import { invalid, partlyApplied, tableError } from './errors.ts';
import { checkItem, primaryKeyOf } from './keys.ts';
import { boundOf, conditionOf, EXPRESSIONS, type Input, optionsOf } from './request.ts';
import type { Rows } from './rows.ts';
import { parseUpdate } from './update.ts';
import { type Document, documentOf, duplicateOf } from './values.ts';

/** A write whose condition is met. `apply` executes the write and returns the result. */
type Prepared = { key: { pk: string; sk: string }; apply: () => Document };
type Prepare = (rows: Rows, input: Input) => Prepared;

const CONDITION = [...EXPRESSIONS, 'ConditionExpression'];
const isKey = (name: string) => name === 'pk' || name === 'sk';

export const prepareUpdate: Prepare = (rows, input) => {
  const options = optionsOf(input, [...CONDITION, 'Key', 'UpdateExpression', 'ReturnValues']);
  const update = parseUpdate(String(options.UpdateExpression));
  const condition = conditionOf(options);
  const bound = boundOf(options, [update, condition]);
  const key = primaryKeyOf(options.Key);
  const before = rows.get(key.pk, key.sk);
  condition.check(before, bound);
  const { ReturnValues = 'NONE' } = options;
  const changed: Document = before ? duplicateOf(before) : { ...key };
  const set = update.run(changed, bound);
  if (changed.pk !== key.pk || changed.sk !== key.sk || set.some(isKey))
    throw invalid('Cannot update attribute. This attribute is part of the key');
  const size = checkItem(changed);
  const returnValues: Record<string, () => Document | null> = {
    NONE: () => null,
    ALL_NEW: () => changed,
    ALL_OLD: () => before,
    UPDATED_NEW: () => Object.fromEntries(set.map((name) => [name, changed[name] ?? null])),
  };
  const returned = returnValues[String(ReturnValues)];
  if (!returned) throw invalid(`the local table does not support ReturnValues ${ReturnValues}`);
  return {
    key,
    apply: () => {
      rows.put(changed, size);
      const Attributes = returned();
      return Attributes ? { Attributes } : {};
    },
  };
};

export const preparePut: Prepare = (rows, input) => {
  const options = optionsOf(input, [...CONDITION, 'Item']);
  const condition = conditionOf(options);
  const bound = boundOf(options, [condition]);
  const item = documentOf(Object(options.Item));
  const size = checkItem(item);
  const key = { pk: String(item.pk), sk: String(item.sk) };
  if (options.ConditionExpression !== undefined) condition.check(rows.get(key.pk, key.sk), bound);
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
    const options = optionsOf(input, [...CONDITION, 'Key']);
    const condition = conditionOf(options);
    const bound = boundOf(options, [condition]);
    const key = primaryKeyOf(options.Key);
    if (options.ConditionExpression !== undefined) condition.check(rows.get(key.pk, key.sk), bound);
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
const MAX_ACTIONS = 100;

const prepareAction = (rows: Rows, action: Input): Prepared => {
  const [first, ...more] = Object.entries(action).filter(([, value]) => value !== undefined);
  const [name, input] = first ?? ['', undefined];
  const prepare = actions[name];
  if (!prepare || more.length > 0) throw invalid(`a transaction does not support the action ${name}`);
  return prepare(rows, input as Input);
};

/** Returns the reason why a write cancels its transaction. Rethrows errors that concern the whole call. */
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

/** Executes all writes or none. The error lists the reason for each failed write. */
export const transact = (rows: Rows, list: readonly Input[]): void => {
  if (list.length === 0 || list.length > MAX_ACTIONS)
    throw invalid(`a transaction must have 1 to ${MAX_ACTIONS} actions`);
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
  for (const [at, { apply }] of prepared.entries()) {
    try {
      apply();
    } catch (error) {
      throw at === 0 ? error : partlyApplied(error);
    }
  }
};
