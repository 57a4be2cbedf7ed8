import type * as z from 'zod';
import { type Setting, type SettingRows, type SettingValues, textOf } from './setting.ts';

/** An invalid value for a setting, and why it is invalid. */
export type InvalidSetting = {
  name: string;
  setting: Setting;
  schema: z.ZodType;
  given: unknown;
  issues: readonly z.core.$ZodIssue[];
};

/**
 * Reads settings by name. The values are text or, for a stage, also JSON. An unset (undefined) or invalid setting gets
 * its default.
 */
export const readSettings = <R extends SettingRows>(
  rows: R,
  inputOf: (name: string) => unknown,
): { values: SettingValues<R>; wrong: readonly InvalidSetting[] } => {
  const wrong: InvalidSetting[] = [];
  const read = (name: string, setting: Setting): unknown => {
    const value = inputOf(name);
    // An empty string is accepted if the default is empty.
    if (value === undefined || value === textOf(setting.default)) return setting.default;
    const schema = setting.schema?.();
    if (!schema) return value;
    const { data, error } = schema.safeParse(value, { reportInput: true });
    if (!error) return data;
    wrong.push({ name, setting, schema, given: value, issues: error.issues });
    return setting.default;
  };
  const values = Object.fromEntries(Object.entries(rows).map(([name, setting]) => [name, read(name, setting)]));
  return { values: values as SettingValues<R>, wrong };
};

/** Returns a sentence for each unset setting in this group, if another setting in the group is set. */
export const missingSettings = <N extends string>(names: readonly N[], isSet: (name: N) => boolean): string[] => {
  const missing = names.filter((name) => !isSet(name));
  return missing.length === names.length
    ? []
    : missing.map((name) => `${name} is missing: set all or none of ${names.join(', ')}`);
};
