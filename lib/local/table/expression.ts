import { invalid } from './errors.ts';
import { reservedWords } from './reserved-words.ts';
import type { Document, Value } from './values.ts';

/** The values for the placeholders in an expression. */
export type Bound = { names: Readonly<Record<string, string>>; values: Document };
/** Returns an item's value. `undefined` if the item has none. */
export type Operand = (item: Document, bound: Bound) => Value | undefined;
/** The path from an item to a value inside it: names, name placeholders, and list indexes. */
export type Path = readonly (string | number)[];

const TOKENS = /\s*(<>|<=|>=|[<>=(),.[\]+-]|[#:]?\w+)/y;

const tokensOf = (text: string): string[] => {
  const tokens: string[] = [];
  TOKENS.lastIndex = 0;
  for (let at = 0; at < text.trimEnd().length; at = TOKENS.lastIndex) {
    const token = TOKENS.exec(text)?.[1];
    if (token === undefined) throw invalid(`Invalid expression: ${text}`);
    tokens.push(token);
  }
  return tokens;
};

/** Creates an expression tokenizer that also collects placeholders. */
const readerOf = (text: string) => {
  const tokens = tokensOf(text);
  const used = new Set<string>();
  let at = 0;
  const wrong = () => invalid(`Invalid expression: ${text}, at ${tokens[at] ?? 'its end'}`);
  const isNext = (...words: string[]): boolean => words.includes(tokens[at]?.toUpperCase() ?? '');
  const accept = (word: string): boolean => {
    const isThere = isNext(word);
    if (isThere) at += 1;
    return isThere;
  };
  const expect = (word: string): void => {
    if (!accept(word)) throw wrong();
  };
  const take = (form: RegExp): string => {
    const token = tokens[at] ?? '';
    if (!form.test(token)) throw wrong();
    at += 1;
    if (/^[#:]/.test(token)) used.add(token);
    return token;
  };
  const name = (): string => {
    const token = take(/^#\w+$|^[a-z]\w*$/i);
    if (reservedWords.has(token.toUpperCase())) throw invalid(`Attribute name is a reserved keyword: ${token}`);
    return token;
  };
  const path = (): Path => {
    const steps: (string | number)[] = [name()];
    for (;;) {
      if (accept('.')) steps.push(name());
      else if (accept('[')) {
        steps.push(Number(take(/^\d+$/)));
        expect(']');
      } else return steps;
    }
  };
  return {
    used,
    isNext,
    accept,
    expect,
    path,
    wrong,
    /** Returns the function name if a function call comes next, otherwise null. */
    call: (): string | null =>
      tokens[at + 1] === '(' && /^[a-z]/i.test(tokens[at] ?? '') ? (tokens[at] ?? null) : null,
    value: (): string => take(/^:\w+$/),
    isValue: () => tokens[at]?.startsWith(':') ?? false,
    isAtEnd: () => at === tokens.length,
  };
};
export type Reader = ReturnType<typeof readerOf>;

/** Reads a comma-separated list. */
export const listOf = <T>(reader: Reader, readElement: () => T): T[] => {
  const all = [readElement()];
  while (reader.accept(',')) all.push(readElement());
  return all;
};

export const namesOf = (path: Path, { names }: Bound): Path =>
  path.map((step) => {
    if (typeof step === 'number' || !step.startsWith('#')) return step;
    const name = names[step];
    if (name === undefined)
      throw invalid(`An expression attribute name used in the document path is not defined; ${step}`);
    return name;
  });

/** Returns the value at a path without placeholders. */
export const valueAt = (item: Document, path: Path): Value | undefined => {
  let found: Value | undefined = item;
  for (const step of path) {
    if (typeof found !== 'object' || found === null) return undefined;
    if (Array.isArray(found)) found = typeof step === 'number' ? found[step] : undefined;
    else found = typeof step === 'string' && Object.hasOwn(found, step) ? found[step] : undefined;
  }
  return found;
};

export const operandAt =
  (path: Path): Operand =>
  (item, bound) =>
    valueAt(item, namesOf(path, bound));

/** Reads a path or a value placeholder. */
export const operandOf = (reader: Reader): Operand => {
  if (!reader.isValue()) return operandAt(reader.path());
  const placeholder = reader.value();
  return (_, { values }) => {
    if (!Object.hasOwn(values, placeholder))
      throw invalid(`An expression attribute value used in expression is not defined; ${placeholder}`);
    return values[placeholder];
  };
};

/** Returns a parser that caches results. The store uses the same few expressions over and over. */
export const cachedParser = <T>(parse: (reader: Reader) => T) => {
  const known = new Map<string, { run: T; used: ReadonlySet<string> }>();
  return (text: string) => {
    const found = known.get(text);
    if (found) return found;
    const reader = readerOf(text);
    const run = parse(reader);
    if (!reader.isAtEnd()) throw reader.wrong();
    const parsed = { run, used: reader.used };
    known.set(text, parsed);
    return parsed;
  };
};
