/** Most messages in a call of a device, and the most bytes of one. */
export const MESSAGES = { count: 100, bytes: 200 * 1_024 } as const;
/** Lists show the bytes of a message up to so many. */
export const LISTED_BYTES = 16 * 1_024;
/**
 * All messages of a page together, as a Lambda answers with them: 6 MB are the most, and the body is a text inside of
 * JSON there, in which each quotation mark and backslash takes two. 160 messages always fit.
 */
const PAGE_BYTES = 5 * 1_024 * 1_024;

/** The messages of a page that fit into it, the first ones first; null for the others. */
export const fittingPage = (raws: readonly (string | null)[]): (string | null)[] => {
  let bytes = 0;
  return raws.map((raw) => {
    if (raw !== null) bytes += Buffer.byteLength(JSON.stringify(raw)) - '""'.length;
    return bytes <= PAGE_BYTES ? raw : null;
  });
};

const endOfString = (text: string, start: number): number => {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
};

/** How many elements a JSON array has, as its text tells: 1 for what is none. Whether it is valid doesn't matter. */
export const countIn = (json: string): number => {
  const start = json.search(/\S/);
  let [depth, count] = [0, 1];
  for (let at = Math.max(0, start); json[start] === '[' && at < json.length; at++) {
    const character = json[at];
    if (character === '"') at = endOfString(json, at);
    else if (character === '[' || character === '{') depth++;
    else if (character === ']' || character === '}') depth--;
    else if (character === ',' && depth === 1) count++;
    if (depth === 0) return count;
  }
  return count;
};

/**
 * The elements of a JSON array as the text has them, or the whole text when it is no array. The text is valid JSON:
 * only where its elements end is looked for, for their bytes are to be kept as they came.
 */
export const messagesIn = (json: string): string[] => {
  const text = json.trim();
  if (!text.startsWith('[')) return [text];
  const found: string[] = [];
  let [depth, start] = [0, 1];
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (character === '[' || character === '{') depth++;
    else if (character === ']' || character === '}') depth--;
    if ((character === ',' && depth === 1) || depth === 0) {
      found.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  return found.filter((element) => element !== '');
};
