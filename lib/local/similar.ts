/** The Levenshtein distance of two texts. */
const distance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [at, character] of [...a].entries()) {
    const next = [at + 1];
    for (const [to, other] of [...b].entries())
      next.push(Math.min((row[to + 1] ?? 0) + 1, (next[to] ?? 0) + 1, (row[to] ?? 0) + Number(character !== other)));
    row = next;
  }
  return row[b.length] ?? 0;
};

const plain = (name: string): string => name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');

/** Whether a name may be a misspelling of another. Short names must be equal except for case and punctuation. */
const isSimilar = (candidate: string, name: string): boolean => {
  const a = plain(candidate);
  const b = plain(name);
  const shorter = Math.min(a.length, b.length);
  if (a === b) return true;
  return shorter >= 6 && (a.startsWith(b) || b.startsWith(a) || distance(a, b) <= 2);
};

/** Returns the known name that was probably meant; undefined if there is none. */
export const similarTo = (candidate: string, known: readonly string[]): string | undefined =>
  known.find((name) => name !== candidate && isSimilar(candidate, name));
