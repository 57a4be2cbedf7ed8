import { parseCondition } from './condition.ts';
import { conditionFailed, invalid } from './errors.ts';
import type { Bound } from './expression.ts';
import { type Document, documentOf } from './values.ts';

/** A call of the table, or one write of a transaction. */
export type Input = Readonly<Record<string, unknown>>;

/** The options of a call, without those that are `undefined`. What this table does not know is refused, never ignored. */
export const optionsOf = (input: Input, known: readonly string[]): Input => {
  const given = Object.entries(input).filter(([, value]) => value !== undefined);
  const unknown = given.filter(([name]) => !known.includes(name)).map(([name]) => name);
  if (unknown.length > 0) throw invalid(`this table does not know ${unknown.join(', ')}`);
  return Object.fromEntries(given);
};

/** The options of whatever has expressions. */
export const EXPRESSIONS = ['TableName', 'ExpressionAttributeNames', 'ExpressionAttributeValues'];

/** What the placeholders of a call stand for; each must be in one of its expressions. */
export const boundOf = (input: Input, expressions: readonly { used: ReadonlySet<string> }[]): Bound => {
  const { ExpressionAttributeNames: names, ExpressionAttributeValues: values } = input;
  for (const given of [names, values])
    if (given !== undefined && Object.keys(given as object).length === 0)
      throw invalid('ExpressionAttributeNames and ExpressionAttributeValues must not be empty');
  const bound = { names: { ...(names as Record<string, string>) }, values: documentOf({ ...(values as object) }) };
  const given = [...Object.keys(bound.names), ...Object.keys(bound.values)];
  const unused = given.filter((name) => !expressions.some(({ used }) => used.has(name)));
  if (unused.length > 0) throw invalid(`Value provided in the expression attributes unused: ${unused.join(', ')}`);
  return bound;
};

/** The condition of a write: throws when the item that is there does not meet it. */
export const conditionOf = (input: Input) => {
  const { ConditionExpression: text } = input;
  const parsed = text === undefined ? null : parseCondition(String(text));
  return {
    used: parsed?.used ?? new Set<string>(),
    check: (item: Document | null, bound: Bound): void => {
      if (parsed && !parsed.run(item ?? {}, bound)) throw conditionFailed();
    },
  };
};
