export type PageOf<T> = { total: number; page: number; perPage: number; data: T[] };

/**
 * A page of a list that is read in bounded parts, one per request. If `isWhole`, `total` counts the whole list.
 * Otherwise it counts only what was read, and the list continues after the id in `next`.
 */
export type PartialPage<T> = PageOf<T> & { isWhole: boolean; next: string | number | undefined };

type Sortable = { id: string | number };
/**
 * Returns a comparison function for one sort. It reuses a single collator, because creating thousands of them takes too
 * long. The collator is created when the first strings are compared, because the first collator in a process takes 9
 * ms.
 */
const comparator = () => {
  let collator: Intl.Collator | undefined;
  return (a: unknown, b: unknown): number => {
    if (typeof a !== 'string' || typeof b !== 'string') return Number(a) - Number(b);
    collator ??= new Intl.Collator('en', { sensitivity: 'base' });
    return collator.compare(a, b);
  };
};

/** Returns the items sorted by `asc(field)` or `desc(field)`. Ties are sorted by ascending id. */
export const sortedBy = <T extends Sortable>(items: readonly T[], by: string): T[] => {
  const [, direction, field = 'id'] = /^(asc|desc)\((\w+)\)$/.exec(by) ?? [];
  const sign = direction === 'desc' ? -1 : 1;
  const value = (item: T) => (item as Record<string, unknown>)[field];
  const byId = (a: T, b: T) => {
    if (a.id === b.id) return 0;
    return a.id < b.id ? -1 : 1;
  };
  const compare = comparator();
  return items.toSorted((a, b) => sign * (field === 'id' ? byId(a, b) : compare(value(a), value(b))) || byId(a, b));
};

/** Returns one page from a list held entirely in memory. */
export const pageOf = <T>(items: readonly T[], { page, perPage }: { page: number; perPage: number }): [PageOf<T>] => [
  { total: items.length, page, perPage, data: items.slice(page * perPage, (page + 1) * perPage) },
];

/** Depending on the keyboard, an accented character consists of one or two code points. Both forms match. */
const normalized = (text: string): string => text.normalize('NFC').toLowerCase();

/** Whether any value contains the search text, ignoring case. */
export const matchesSearch = (searchText: string, ...values: readonly (string | null | undefined)[]): boolean => {
  const needle = normalized(searchText);
  return needle === '' || values.some((value) => value && normalized(value).includes(needle));
};
