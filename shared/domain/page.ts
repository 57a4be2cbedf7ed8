import * as z from 'zod';
import { anyText, int64, integerQuery } from './values.ts';

export const PER_PAGE_MAXIMUM = 200;
export const PER_PAGE_DEFAULT = 30;

/** Query of every paged list: page >= 0, perPage >= 1, cut silently to 200 (D1 O7 rule 7). */
export const pageQuery = {
  page: integerQuery(z.int().min(0)).default(0).meta({ description: 'the page, counted from 0' }),
  perPage: integerQuery(
    z
      .number()
      .transform((n) => Math.min(n, PER_PAGE_MAXIMUM))
      // Not `z.int()`: to a reader that has a maximum, and here there is none.
      .pipe(z.number().min(1).meta({ type: 'integer' })),
  )
    .default(PER_PAGE_DEFAULT)
    .meta({ description: `the length of a page; over ${PER_PAGE_MAXIMUM} it is cut to that` }),
};

/** The same of a list that is counted only so far (store/look.ts). `after`: the form of its ids. */
export const lookedQuery = <T extends z.ZodType>(after: T) => ({
  ...pageQuery,
  after: after.optional().meta({ description: 'goes on behind the one of this id, as a `Link` of an answer says it' }),
});

/** The headers of its answers. */
export const lookedHeaders = {
  describedHeaders: { 'X-Total-Is': '`exact`, or `at-least` where `total` counts only what was looked at' },
  optionalHeaders: { Link: 'Leads to the next page, while there is one: `<?page=1>; rel="next"`' },
} as const;

/** What its description says: how many of them are counted always, and how many are looked at in one call. */
export const lookedText = (counted: string, most: string): string =>
  `What one call looks at is bounded: \`total\` is exact up to ${counted}, and pages reach as far as ${most}. Behind ` +
  'that the header `Link` goes on.';

export const search = anyText.default('').meta({ description: 'what names or other texts must contain, in any case' });

type Sort<F extends string> = `${'asc' | 'desc'}(${F})`;

/** `asc(x)` and `desc(x)` for each field. */
export const sortBy = <const F extends string>(fields: readonly F[], byDefault: NoInfer<Sort<F>>) =>
  z
    .literal<Sort<F>[]>(fields.flatMap((field): Sort<F>[] => [`asc(${field})`, `desc(${field})`]))
    .default(() => byDefault as never)
    .meta({ description: 'the order; ties are broken by id' });

/** The wrapper of D1: an array that holds one page object. */
export const paged = <T extends z.ZodType>(item: T) =>
  z.array(z.object({ total: int64, page: int64, perPage: int64, data: z.array(item) })).length(1);

export type PageOf<T> = { total: number; page: number; perPage: number; data: T[] };

/**
 * A page of a list that is looked at only so far. `isWhole`: `total` counts all there is, not just what was looked at;
 * else the list goes on behind the id `next`.
 */
export type LookedPage<T> = PageOf<T> & { isWhole: boolean; next: string | number | undefined };

type Sortable = { id: string | number };
// Made once: it sorts thousands of names, and a comparison by locale that sets itself up each time takes too long.
const collator = new Intl.Collator('en', { sensitivity: 'base' });
const compare = (a: unknown, b: unknown): number => {
  if (typeof a === 'string' && typeof b === 'string') return collator.compare(a, b);
  return Number(a) - Number(b);
};

/** Sorts by `asc(field)` or `desc(field)`; ties are broken by id, ascending. */
export const sorted = <T extends Sortable>(items: readonly T[], by: string): T[] => {
  const [, direction, field = 'id'] = /^(asc|desc)\((\w+)\)$/.exec(by) ?? [];
  const sign = direction === 'desc' ? -1 : 1;
  const value = (item: T) => (item as Record<string, unknown>)[field];
  const byId = (a: T, b: T) => (a.id === b.id ? 0 : a.id < b.id ? -1 : 1);
  return items.toSorted((a, b) => sign * (field === 'id' ? byId(a, b) : compare(value(a), value(b))) || byId(a, b));
};

/** One page of a list that is at hand as a whole. */
export const pageOf = <T>(items: readonly T[], { page, perPage }: { page: number; perPage: number }): [PageOf<T>] => [
  { total: items.length, page, perPage, data: items.slice(page * perPage, (page + 1) * perPage) },
];

/** The same for a letter with its accent in one code point or in two: keyboards differ. */
const plain = (text: string): string => text.normalize('NFC').toLowerCase();

/** Case-insensitive substring search over several strings. */
export const matches = (searchText: string, ...values: readonly (string | null | undefined)[]): boolean => {
  const needle = plain(searchText);
  return needle === '' || values.some((value) => value && plain(value).includes(needle));
};
