/** The number of characters to insert, delete or replace to make one text of another. */
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

/** Is a name so much like another that it may be meant by it? Short names must be the same but for case and signs. */
const isLike = (given: string, name: string): boolean => {
  const a = plain(given);
  const b = plain(name);
  const shorter = Math.min(a.length, b.length);
  if (a === b) return true;
  return shorter >= 6 && (a.startsWith(b) || b.startsWith(a) || distance(a, b) <= 2);
};

/** Gives the name among `known` that a given one may have been meant for; undefined when there is none. */
export const similarTo = (given: string, known: readonly string[]): string | undefined =>
  known.find((name) => name !== given && isLike(given, name));
