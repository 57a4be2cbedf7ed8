import { parseCondition } from './condition.ts';
import { conditionFailed, invalid } from './errors.ts';
import type { Bound } from './expression.ts';
import { type Document, documentOf } from './values.ts';

/** The input of a call, or of one write in a transaction. */
export type Input = Readonly<Record<string, unknown>>;

/** Returns a call's options, excluding those that are `undefined`. Throws if an option is not supported. */
export const optionsOf = (input: Input, known: readonly string[]): Input => {
  const options = Object.entries(input).filter(([, value]) => value !== undefined);
  const unknown = options.filter(([name]) => !known.includes(name)).map(([name]) => name);
  if (unknown.length > 0) throw invalid(`the local table does not support ${unknown.join(', ')}`);
  return Object.fromEntries(options);
};

/** The options for every call with expressions. */
export const EXPRESSIONS = ['TableName', 'ExpressionAttributeNames', 'ExpressionAttributeValues'];

/** Returns the values for a call's placeholders. Each must occur in one of the call's expressions. */
export const boundOf = (input: Input, expressions: readonly { used: ReadonlySet<string> }[]): Bound => {
  const { ExpressionAttributeNames: names, ExpressionAttributeValues: values } = input;
  for (const placeholders of [names, values])
    if (placeholders !== undefined && Object.keys(placeholders as object).length === 0)
      throw invalid('ExpressionAttributeNames and ExpressionAttributeValues must not be empty');
  const bound = { names: { ...(names as Record<string, string>) }, values: documentOf({ ...(values as object) }) };
  const declared = [...Object.keys(bound.names), ...Object.keys(bound.values)];
  const unused = declared.filter((name) => !expressions.some(({ used }) => used.has(name)));
  if (unused.length > 0) throw invalid(`Value provided in the expression attributes unused: ${unused.join(', ')}`);
  return bound;
};

/** Parses a write's condition. `check` throws if the stored item does not meet it. */
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
