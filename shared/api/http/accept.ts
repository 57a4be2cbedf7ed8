type AcceptedRange = { range: string; quality: number };

const parseAccept = (accept: string): AcceptedRange[] =>
  accept
    .slice(0, 1_024)
    .split(',')
    .map((entry) => {
      const [range = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase());
      const quality = parameters
        .map((parameter) => /^q=([\d.]+)$/.exec(parameter)?.[1])
        .find((value) => value !== undefined);
      return { range, quality: quality === undefined ? 1 : Number(quality) };
    });

/**
 * Returns the quality of a media type according to the most specific matching range: the type itself, the main type, or
 * any type.
 */
const rankOf = (type: string, accepted: readonly AcceptedRange[]): { quality: number; specific: number } => {
  const ranges = ['*/*', `${type.split('/')[0]}/*`, type];
  const found = accepted.filter(({ range }) => ranges.includes(range));
  const [best] = found.sort((a, b) => ranges.indexOf(b.range) - ranges.indexOf(a.range));
  return best ? { quality: best.quality, specific: ranges.indexOf(best.range) } : { quality: 0, specific: -1 };
};

/**
 * Returns the offered media type preferred by an Accept header. Among types of equal quality, the one named more
 * specifically in the header wins, then the one offered first. If the header accepts none of them, returns the first
 * one.
 * https://www.rfc-editor.org/rfc/rfc9110#field.accept
 */
export const preferredMediaType = <T extends string>(accept: string | undefined, offered: readonly [T, ...T[]]): T => {
  const accepted = parseAccept(accept ?? '*/*');
  const ranked = offered.map((type) => ({ type, ...rankOf(type, accepted) }));
  const [best] = ranked.sort((a, b) => b.quality - a.quality || b.specific - a.specific);
  return best && best.quality > 0 ? best.type : offered[0];
};
