import { isIP } from 'node:net';
import * as z from 'zod';
import { defaultQuotas, type QuotaOverrides, quotaOverridesSchema } from '../domain/identity/quota.ts';
import { readTime } from '../domain/time/time.ts';

// Kinds of values, as schemas for what the environment (text) or the CDK context (text or JSON) holds. A schema is
// created only when such a value is read, because a function starts with many settings and checks few of them. The
// description completes the sentence "must be ...", which serves as the error message.

type Kind<T> = z.ZodType<T>;

export const text = (pattern: RegExp, words: string): z.ZodString =>
  z.string(`must be ${words}`).regex(pattern, `must be ${words}`).describe(words);

/** Text for which a function returns true. */
const textThat = (isValid: (text: string) => boolean, words: string) =>
  z.string(`must be ${words}`).refine(isValid, `must be ${words}`).describe(words);

const numberIn = (input: unknown) => (typeof input === 'string' && /^\d{1,9}$/.test(input) ? Number(input) : input);

export const wholeNumber = (minimum: number, maximum: number): Kind<number> => {
  const words = `a whole number from ${minimum} to ${maximum}`;
  const requirement = `must be ${words}`;
  return z
    .transform(numberIn)
    .pipe(z.int(requirement).min(minimum, requirement).max(maximum, requirement))
    .describe(words);
};

/** One of these numbers. */
export const oneOfNumbers = <N extends number>(numbers: readonly N[], words: string): Kind<N> =>
  z
    .transform(numberIn)
    .pipe(z.literal(numbers, `must be ${words}`))
    .describe(words);

/** One of these words. */
export const wordOf = <W extends string>(choices: readonly W[]): Kind<W> => {
  const words = `one of ${choices.join(', ')}`;
  return z.literal(choices, `must be ${words}`).describe(words);
};

const flagIn = (input: unknown) => (input === 'true' ? true : input === 'false' ? false : input);
export const flag = (): Kind<boolean> =>
  z
    .transform(flagIn)
    .pipe(z.literal([true, false], 'must be true or false'))
    .describe('true or false');

const entriesOf = (input: unknown): unknown[] =>
  (Array.isArray(input) ? input : String(input).split(','))
    .map((entry: unknown) => (typeof entry === 'string' ? entry.trim() : entry))
    .filter((entry) => entry !== '');

/** A list, as comma-separated text or as an array. */
export const list = <T>(entry: Kind<T>, maximum: number): Kind<readonly T[]> =>
  z
    .transform(entriesOf)
    .pipe(z.array(entry).max(maximum, `has more than ${maximum} entries`))
    .describe(`up to ${maximum} comma-separated values, each ${entry.description}`);

const jsonIn = (input: unknown): unknown => {
  try {
    return typeof input === 'string' ? JSON.parse(input) : input;
  } catch {
    return input === '' ? undefined : input;
  }
};

/** JSON, as text or parsed. */
export const json = <T>(schema: Kind<T>, words: string): Kind<T> => z.transform(jsonIn).pipe(schema).describe(words);

/** Describes what each part must be, but only once if it is the same for all parts. */
const described = (parts: Readonly<Record<string, z.ZodType>>): string => {
  const names = Object.keys(parts);
  const [first = '', ...others] = new Set(Object.values(parts).map(({ description = '' }) => description));
  return others.length === 0
    ? `${names.join(', ')} (each ${first})`
    : names.map((name) => `${name} (${parts[name]?.description})`).join(', ');
};

/** A JSON object with some of these parts. The others have their defaults. */
export const parts = <T>(defaults: T, each: { readonly [N in keyof T]: Kind<T[N]> }): Kind<T> =>
  json(
    z
      .strictObject(each)
      .partial()
      .transform((input) => ({ ...defaults, ...input }) as T),
    `a JSON object with some of: ${described(each)}`,
  );

export const quotas = (): Kind<QuotaOverrides> =>
  json(
    quotaOverridesSchema(),
    `a JSON object with whole numbers for some of: ${Object.keys(defaultQuotas).join(', ')}`,
  );

const isRange = (text: string): boolean => {
  const [address = '', bits = '', ...more] = text.split('/');
  const isBits = /^\d{1,3}$/.test(bits) && Number(bits) <= (isIP(address) === 6 ? 128 : 32);
  return isIP(address) !== 0 && isBits && more.length === 0;
};
export const addressRange = () => textThat(isRange, 'a range like 10.1.0.0/16');

const isPageOrigin = (text: string): boolean =>
  /^https?:\/\/(\[[0-9a-f:]+\]|[a-z0-9.-]+)(:\d+)?$/.test(text) && URL.parse(text)?.origin === text;
/** An origin exactly as browsers send it: in lower case, without a path, and without the default port. */
export const pageOrigin = () =>
  textThat(isPageOrigin, 'an origin as browsers send it (scheme, host, no default port, no path, no *)');

const isOrigin = (text: string): boolean => /^https?:\/\/[^/?#@\\\s]+\/?$/.test(text) && URL.canParse(text);
/** An address without a path. */
export const origin = (): Kind<string> => {
  const words = 'an http or https address without a path (no /api/v1)';
  return textThat(isOrigin, words)
    .transform((text) => new URL(text).origin)
    .describe(words);
};

/** An ISO 8601 time, or empty for none. */
export const time = () => textThat((text) => readTime(text) !== null, 'an ISO 8601 time with a time zone');

export const headerName = () => text(/^[\w!#$%&'*+.^`|~-]{1,128}$/, 'a header name of at most 128 characters');

/** A secret, or `sha256:` and its SHA-256 in hex. */
export const secretOrHash = () =>
  text(
    /^(sha256:[0-9a-f]{64}|(?!sha256:)[!-~]{16,1024})$/,
    '16 to 1024 printable characters without spaces, or sha256: and its hash in hex',
  );

/** A short name shown to people. */
export const shortName = () => text(/^[^\p{Cc}\p{Cs}]{1,64}$/u, '1 to 64 characters without control characters');
