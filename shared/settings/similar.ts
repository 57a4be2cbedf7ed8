/**
 * Returns the number of characters to insert, remove, replace or swap with a neighbor to turn one string into the
 * other.
 */
const distance = (a: string, b: string): number => {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let at = 1; at <= a.length; at++) {
    const next = [at];
    for (let to = 1; to <= b.length; to++) {
      const replaced = (row[to - 1] ?? 0) + Number(a[at - 1] !== b[to - 1]);
      const isSwap = at > 1 && to > 1 && a[at - 1] === b[to - 2] && a[at - 2] === b[to - 1];
      const swapped = isSwap ? (before[to - 2] ?? 0) + 1 : replaced;
      next.push(Math.min((row[to] ?? 0) + 1, (next[to - 1] ?? 0) + 1, replaced, swapped));
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
};

const plain = (name: string): string => name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');

/**
 * Whether a name is a misspelling of another: one character differs in a short name, two in a long name, or only case
 * and punctuation.
 */
const isMisspelled = (candidate: string, name: string): boolean => {
  const a = plain(candidate);
  const b = plain(name);
  const shorter = Math.min(a.length, b.length);
  return shorter >= 3 && distance(a, b) <= (shorter >= 6 ? 2 : 1);
};

/** Whether one name begins with the other. Short names do not count. */
const isLonger = (candidate: string, name: string): boolean => {
  const a = plain(candidate);
  const b = plain(name);
  return Math.min(a.length, b.length) >= 6 && (a.startsWith(b) || b.startsWith(a));
};

/** Returns the known name that the candidate misspells, or undefined if there is none. */
export const misspelled = (candidate: string, known: readonly string[]): string | undefined =>
  known.find((name) => name !== candidate && isMisspelled(candidate, name));

/** Returns the known name that was probably meant, or undefined if there is none. */
export const similarTo = (candidate: string, known: readonly string[]): string | undefined =>
  misspelled(candidate, known) ?? known.find((name) => name !== candidate && isLonger(candidate, name));
