export type PageOf<T> = { total: number; page: number; perPage: number; data: T[] };

/**
 * A page of a list that is read in bounded parts, one per call. If `isWhole`, `total` counts the whole list; otherwise
 * it counts only what was read, and the list continues after the id `next`.
 */
export type PartialPage<T> = PageOf<T> & { isWhole: boolean; next: string | number | undefined };

type Sortable = { id: string | number };
/**
 * Returns a comparison function for one sort. All its calls share a collator, because creating thousands of collators
 * takes too long. The collator is created when the first text is compared, because the first collator of a process
 * takes 9 ms.
 */
const comparator = () => {
  let collator: Intl.Collator | undefined;
  return (a: unknown, b: unknown): number => {
    if (typeof a !== 'string' || typeof b !== 'string') return Number(a) - Number(b);
    collator ??= new Intl.Collator('en', { sensitivity: 'base' });
    return collator.compare(a, b);
  };
};

/** Returns the items sorted by `asc(field)` or `desc(field)`, and by ascending id where the field is equal. */
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

/** Returns one page of a list that is completely in memory. */
export const pageOf = <T>(items: readonly T[], { page, perPage }: { page: number; perPage: number }): [PageOf<T>] => [
  { total: items.length, page, perPage, data: items.slice(page * perPage, (page + 1) * perPage) },
];

/** An accented character can be one or two code points, depending on the keyboard. Both forms match. */
const normalized = (text: string): string => text.normalize('NFC').toLowerCase();

/** Whether one of the values contains the search text. Case is ignored. */
export const matchesSearch = (searchText: string, ...values: readonly (string | null | undefined)[]): boolean => {
  const needle = normalized(searchText);
  return needle === '' || values.some((value) => value && normalized(value).includes(needle));
};
