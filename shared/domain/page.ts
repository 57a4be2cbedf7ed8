export type PageOf<T> = { total: number; page: number; perPage: number; data: T[] };

/**
 * A page of a list of which one call looks at a bounded part. With `isWhole`, `total` counts the whole list; otherwise
 * it counts only what was looked at, and the list continues after the id `next`.
 */
export type LookedPage<T> = PageOf<T> & { isWhole: boolean; next: string | number | undefined };

type Sortable = { id: string | number };
/**
 * Compares values of one sort. It has one collator, because one for each of thousands of comparisons takes too long; and
 * none before a text is compared, because the first of a process takes 9 ms.
 */
const comparing = () => {
  let collator: Intl.Collator | undefined;
  return (a: unknown, b: unknown): number => {
    if (typeof a !== 'string' || typeof b !== 'string') return Number(a) - Number(b);
    collator ??= new Intl.Collator('en', { sensitivity: 'base' });
    return collator.compare(a, b);
  };
};

/** Sorts by `asc(field)` or `desc(field)`. Ties are sorted by ascending id. */
export const sorted = <T extends Sortable>(items: readonly T[], by: string): T[] => {
  const [, direction, field = 'id'] = /^(asc|desc)\((\w+)\)$/.exec(by) ?? [];
  const sign = direction === 'desc' ? -1 : 1;
  const value = (item: T) => (item as Record<string, unknown>)[field];
  const byId = (a: T, b: T) => {
    if (a.id === b.id) return 0;
    return a.id < b.id ? -1 : 1;
  };
  const compare = comparing();
  return items.toSorted((a, b) => sign * (field === 'id' ? byId(a, b) : compare(value(a), value(b))) || byId(a, b));
};

/** Gives one page of a list that is in memory as a whole. */
export const pageOf = <T>(items: readonly T[], { page, perPage }: { page: number; perPage: number }): [PageOf<T>] => [
  { total: items.length, page, perPage, data: items.slice(page * perPage, (page + 1) * perPage) },
];

/** A letter with an accent may be one or two code points, depending on the keyboard. Both forms match. */
const plain = (text: string): string => text.normalize('NFC').toLowerCase();

/** Is the search text in one of these values? Case is ignored. */
export const matches = (searchText: string, ...values: readonly (string | null | undefined)[]): boolean => {
  const needle = plain(searchText);
  return needle === '' || values.some((value) => value && plain(value).includes(needle));
};
