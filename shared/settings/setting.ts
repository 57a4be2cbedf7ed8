/**
 * How a value of a setting is read: of an environment variable, or of the CDK's context (JSON, or text from the command
 * line). `read` gives null for a wrong value. `otherwise` is the default, and `wants` describes the valid values.
 */
export type Setting<T> = {
  otherwise: T;
  wants: string;
  read: (given: unknown) => T | null;
  /** A valid value, for whoever gave a wrong one. */
  example?: string;
  /** Says more about a wrong value than that it is one. */
  why?: (given: unknown) => string;
  /** The value is never shown. */
  isSecret?: boolean;
};

export type ValueOf<S> = S extends { read: (given: unknown) => infer T | null } ? T : never;

/** The most characters of a wrong value that are shown. */
const SHOWN = 100;

/** A wrong value, cut, and without the password of an address (`https://user:password@host`). */
const shown = (given: unknown): string => {
  const whole = typeof given === 'string' ? given : JSON.stringify(given);
  const text = whole.replaceAll(/:\/\/[^/\s]*:[^/\s]*@/g, '://…@');
  return JSON.stringify(text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text);
};

/** Says in a sentence why the value of a setting is refused, without showing a secret. */
export const refusalOf = (
  name: string,
  { wants, example, why, isSecret }: Omit<Setting<unknown>, 'read' | 'otherwise'>,
  given: unknown,
): string =>
  [
    `${name} wants ${wants}`,
    ...(example === undefined ? [] : [`, such as ${example}`]),
    ...(isSecret ? [] : [`; it is ${shown(given)}`]),
    ...(why ? [`: ${why(given)}`] : []),
  ].join('');

/** A sentence for each of these variables that is not set though another one of them is. */
export const missingOf = (names: readonly string[], given: Readonly<Record<string, unknown>>): string[] => {
  const missing = names.filter((name) => given[name] === undefined);
  return missing.length === names.length
    ? []
    : missing.map((name) => `${name} is missing: ${names.join(', ')} go together`);
};

export const text = (pattern: RegExp, otherwise: string, wants: string, example?: string): Setting<string> => ({
  otherwise,
  wants,
  ...(example !== undefined && { example }),
  read: (given) => (typeof given === 'string' && pattern.test(given) ? given : null),
});

export const whole = (otherwise: number, minimum: number, maximum: number): Setting<number> => ({
  otherwise,
  wants: `a whole number from ${minimum} to ${maximum}`,
  example: String(otherwise),
  read: (given) => {
    const number = typeof given === 'string' && /^\d{1,9}$/.test(given) ? Number(given) : given;
    return Number.isInteger(number) && Number(number) >= minimum && Number(number) <= maximum ? Number(number) : null;
  },
});

export const flag = (otherwise: boolean): Setting<boolean> => ({
  otherwise,
  wants: 'true or false',
  read: (given) => (/^(true|false)$/.test(String(given)) ? String(given) === 'true' : null),
});

const partsOf = (given: unknown): unknown[] =>
  (Array.isArray(given) ? given : String(given).split(','))
    .map((part: unknown) => (typeof part === 'string' ? part.trim() : part))
    .filter((part) => part !== '');

export const list = <T>(setting: Setting<T>, most: number): Setting<readonly T[]> => ({
  otherwise: [],
  wants: `at most ${most}, separated by commas, of: ${setting.wants}`,
  ...(setting.example !== undefined && { example: setting.example }),
  read: (given) => {
    const read = partsOf(given).map(setting.read);
    return read.length <= most && !read.includes(null) ? (read as T[]) : null;
  },
  why: (given) => {
    const all = partsOf(given);
    const wrong = all.filter((part) => setting.read(part) === null);
    return wrong.length > 0 ? `wrong is ${wrong.map(shown).join(', ')}` : `there are ${all.length}`;
  },
});

/** Parses a JSON text, and gives any other value unchanged. Null means that the text is not JSON. */
export const parsed = (given: unknown): unknown => {
  try {
    return typeof given === 'string' ? JSON.parse(given) : given;
  } catch {
    return null;
  }
};

/** Is a value an object with parts, as JSON has them? */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Parts with what each takes, which is said once where it is the same for all. */
const listed = (wanted: readonly (readonly [name: string, wants: string])[]): string => {
  const [[, first] = ['', '']] = wanted;
  return wanted.length > 1 && wanted.every(([, wants]) => wants === first)
    ? `${wanted.map(([name]) => name).join(', ')} (each ${first})`
    : wanted.map(([name, wants]) => `${name} (${wants})`).join(', ');
};

/**
 * A setting that is a JSON object with some of these parts. Missing parts have their defaults; unknown names are an
 * error.
 */
export const parts = <const N extends string, T>(
  each: Readonly<Record<N, Setting<T>>>,
): Setting<Readonly<Record<N, T>>> => {
  const entries = Object.entries<Setting<T>>(each);
  const allOf = (partOf: (name: string, setting: Setting<T>) => T | null) =>
    Object.fromEntries(entries.map(([name, setting]) => [name, partOf(name, setting)]));
  return {
    otherwise: allOf((_, { otherwise }) => otherwise) as Record<N, T>,
    wants: `a JSON object with some of: ${listed(entries.map(([name, { wants }]) => [name, wants]))}`,
    read: (given) => {
      const named = parsed(given);
      if (!isObject(named)) return null;
      const isKnown = Object.keys(named).every((name) => entries.some(([known]) => known === name));
      const read = allOf((name, setting) =>
        named[name] === undefined ? setting.otherwise : setting.read(named[name]),
      );
      return isKnown && !Object.values(read).includes(null) ? (read as Record<N, T>) : null;
    },
    why: (given) => {
      const named = parsed(given);
      return isObject(named) ? wrongParts(each, named).join(', ') : 'it is no JSON object';
    },
  };
};

const wrongParts = (each: Readonly<Record<string, Setting<unknown>>>, named: Record<string, unknown>): string[] =>
  Object.entries(named).flatMap(([name, value]) => {
    const part = Object.hasOwn(each, name) ? each[name] : undefined;
    if (!part) return [`there is no part ${name}`];
    return part.read(value) === null ? [refusalOf(name, part, value)] : [];
  });

export const numbers = <const N extends string>(each: Readonly<Record<N, Setting<number>>>) => parts(each);
