import type * as z from 'zod';
import { type Rows, type Setting, textOf, type Values } from './setting.ts';

/** A value that a setting does not accept, and why. */
export type Wrong = {
  name: string;
  setting: Setting;
  schema: z.ZodType;
  given: unknown;
  issues: readonly z.core.$ZodIssue[];
};

/**
 * Reads settings by their names: text, or for a stage also JSON. A setting that is not given (undefined) has its default,
 * and so has a wrong one.
 */
export const readSettings = <R extends Rows>(
  rows: R,
  given: (name: string) => unknown,
): { values: Values<R>; wrong: readonly Wrong[] } => {
  const wrong: Wrong[] = [];
  const read = (name: string, setting: Setting): unknown => {
    const value = given(name);
    // An empty text is accepted where the default is empty.
    if (value === undefined || value === textOf(setting.default)) return setting.default;
    const schema = setting.schema?.();
    if (!schema) return value;
    const { data, error } = schema.safeParse(value, { reportInput: true });
    if (!error) return data;
    wrong.push({ name, setting, schema, given: value, issues: error.issues });
    return setting.default;
  };
  const values = Object.fromEntries(Object.entries(rows).map(([name, setting]) => [name, read(name, setting)]));
  return { values: values as Values<R>, wrong };
};

/** Returns a sentence for each of these settings that is missing though another one of them is given. */
export const missingOf = <N extends string>(names: readonly N[], isGiven: (name: N) => boolean): string[] => {
  const missing = names.filter((name) => !isGiven(name));
  return missing.length === names.length
    ? []
    : missing.map((name) => `${name} is missing: set all or none of ${names.join(', ')}`);
};
