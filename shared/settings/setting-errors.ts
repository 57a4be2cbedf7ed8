import type * as z from 'zod';
import type { InvalidSetting } from './read.ts';

const MAX_SHOWN_LENGTH = 100;

/**
 * Returns an invalid value as JSON, shortened, and without the password in an address (`https://user:password@host`).
 */
const shown = (value: unknown): string => {
  const json = JSON.stringify(value).replaceAll(/:\/\/[^/\s]*:[^/\s]*@/g, '://…@');
  if (json.length <= MAX_SHOWN_LENGTH) return json;
  return `${json.slice(0, MAX_SHOWN_LENGTH)}…${json.startsWith('"') ? '"' : ''}`;
};

/** Returns the path to an issue in a list or an object: `[2]`, `reads.rate`. */
const pathText = (path: readonly PropertyKey[]): string =>
  path.map((part, at) => (typeof part === 'number' ? `[${part}]` : `${at > 0 ? '.' : ''}${String(part)}`)).join('');

/** Describes what is wrong inside a value. Null if the description of the whole value already does. */
const detailOf = (
  { path, message, input }: z.core.$ZodIssue,
  description: string,
  isSecret: boolean,
): string | null => {
  const isDescribed = description.includes(message.replace('must be ', ''));
  if (path.length === 0) return isDescribed ? null : message;
  if (isSecret || input === undefined) return `${pathText(path)}: ${message}`;
  return isDescribed ? `${pathText(path)} is ${shown(input)}` : `${pathText(path)}: ${message}, not ${shown(input)}`;
};

/** Describes an invalid value: what is allowed, with an example, and what is wrong, unless the value is secret. */
const refusalOf = ({ name, setting, schema, given, issues }: InvalidSetting): string => {
  const { description = '' } = schema;
  const {
    unit,
    isSecret = false,
    example = typeof setting.default === 'number' ? setting.default : undefined,
  } = setting.about ?? {};
  const details = new Set(issues.flatMap((issue) => detailOf(issue, description, isSecret) ?? []));
  return [
    `${name} must be ${description}`,
    unit ? ` (${unit})` : '',
    example === undefined ? '' : `, such as ${example}`,
    isSecret ? '' : `; it is ${shown(given)}`,
    details.size > 0 ? `: ${[...details].join('; ')}` : '',
  ].join('');
};

/** Returns a sentence for each invalid setting. */
export const settingErrors = (wrong: readonly InvalidSetting[]): string[] => wrong.map(refusalOf);
