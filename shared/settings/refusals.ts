import type * as z from 'zod';
import type { Wrong } from './read.ts';

/** The most characters of a wrong value that are shown. */
const SHOWN = 100;

/** A wrong value as JSON, cut, and without the password of an address (`https://user:password@host`). */
const shown = (given: unknown): string => {
  const json = JSON.stringify(given).replaceAll(/:\/\/[^/\s]*:[^/\s]*@/g, '://…@');
  if (json.length <= SHOWN) return json;
  return `${json.slice(0, SHOWN)}…${json.startsWith('"') ? '"' : ''}`;
};

/** The place of an issue in a list or an object: `[2]`, `reads.rate`. */
const placeOf = (path: readonly PropertyKey[]): string =>
  path.map((part, at) => (typeof part === 'number' ? `[${part}]` : `${at > 0 ? '.' : ''}${String(part)}`)).join('');

/** What is wrong inside of a value; null where the description of the whole value says it. */
const detailOf = (
  { path, message, input }: z.core.$ZodIssue,
  description: string,
  isSecret: boolean,
): string | null => {
  const isDescribed = description.includes(message.replace('must be ', ''));
  if (path.length === 0) return isDescribed ? null : message;
  if (isSecret || input === undefined) return `${placeOf(path)}: ${message}`;
  return isDescribed ? `${placeOf(path)} is ${shown(input)}` : `${placeOf(path)}: ${message}, not ${shown(input)}`;
};

/** A sentence about a wrong value: what is allowed, with an example, and what is wrong, unless the value is secret. */
const refusalOf = ({ name, setting, schema, given, issues }: Wrong): string => {
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

/** Returns a sentence for each wrong setting. */
export const refusalsOf = (wrong: readonly Wrong[]): string[] => wrong.map(refusalOf);
