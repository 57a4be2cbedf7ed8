/** A primary key in the single table. */
export type Key = { pk: string; sk: string };

type Name<T> = T extends `0${infer N}` | `=${infer N}` ? N : T;
type Names<T extends string> = T extends `${string}{${infer N}}${infer Rest}` ? Name<N> | Names<Rest> : never;
type KeyValues<T extends string> = Record<Names<T>, string | number>;

// '#' separates key parts, so it is escaped in values. Otherwise a value could look like two parts.
const escapes: Record<string, string> = { '%': '%25', '#': '%23' };
const escaped = (value: string) => value.replaceAll(/[%#]/g, (character) => escapes[character] ?? character);
const unescaped = (value: string) =>
  value.includes('%') ? value.replaceAll('%23', '#').replaceAll('%25', '%') : value;

/**
 * Splits a template once, and returns a function that fills it in. Every other part names a value. A `0` before the
 * name pads the value, and an `=` leaves it unescaped.
 */
const filler = (template: string) => {
  const parts = template.split(/\{(=?\w+)\}/);
  return (values: Readonly<Record<string, string | number>>): string => {
    let text = '';
    for (const [at, part] of parts.entries()) {
      if (at % 2 === 0) text += part;
      else if (part.startsWith('=')) text += String(values[part.slice(1)]);
      else if (part.startsWith('0')) text += escaped(String(values[part.slice(1)])).padStart(16, '0');
      else text += escaped(String(values[part]));
    }
    return text;
  };
};

/** Returns a function that adds the values in a key to `values`, or returns null if the key has another form. */
const reader = (template: string) => {
  const names = [...template.matchAll(/\{0?(\w+)\}/g)].map(([, name = '']) => name);
  // Named groups would take most of the time when thousands of keys are read.
  const pattern = new RegExp(`^${template.replaceAll(/\{\w+\}/g, '([^#]*)')}$`);
  return (text: string, values: Record<string, string>): Record<string, string> | null => {
    const match = pattern.exec(text);
    if (match) for (const [at, name] of names.entries()) values[name] = unescaped(match[at + 1] ?? '');
    return match && values;
  };
};

/**
 * A key part, both builder and documentation. `{0x}` pads a number, so that keys sort by number; `{=x}` is a string
 * that is neither escaped nor read back.
 */
export const part = <const T extends string>(template: T) =>
  Object.assign(filler(template) as (values: KeyValues<T>) => string, { template });

/** The key for an item kind, as two templates. Builds keys from typed values, which it escapes, and reads them back. */
export const item = <const P extends string, const S extends string>(pk: P, sk: S) => {
  const readPk = reader(pk);
  const readSk = reader(sk);
  const fillPk = filler(pk);
  const fillSk = filler(sk);
  return Object.assign((values: KeyValues<P> & KeyValues<S>): Key => ({ pk: fillPk(values), sk: fillSk(values) }), {
    pk: part(pk),
    sk: part(sk),
    template: `${pk} / ${sk}`,
    /** Returns the values in a key of this form, or null for any other key. */
    read: (key: Key): Record<Names<P> | Names<S>, string> | null => {
      const fromPk = readPk(key.pk, {});
      return fromPk && (readSk(key.sk, fromPk) as Record<Names<P> | Names<S>, string> | null);
    },
  });
};

/** The key for items in an index, as two templates. Builds both attributes from typed values. */
export const indexKey = <
  const A extends { partitionKey: string; sortKey: string },
  const P extends string,
  const S extends string,
>(
  { partitionKey, sortKey }: A,
  pk: P,
  sk: S,
) => {
  const parts = { pk: part(pk), sk: part(sk) };
  return Object.assign(
    (values: KeyValues<P> & KeyValues<S>) =>
      ({ [partitionKey]: parts.pk(values), [sortKey]: parts.sk(values) }) as Record<
        A['partitionKey' | 'sortKey'],
        string
      >,
    parts,
  );
};
