/** The maximum number of messages in a device call, and the maximum message size in bytes. */
export const MESSAGE_LIMITS = { count: 100, bytes: 200 * 1_024 } as const;
/** The largest message (bytes) shown in lists. */
export const MAX_LISTED_BYTES = 16 * 1_024;
/**
 * The maximum total size (bytes) of messages on a page. A Lambda response is limited to 6 MB and contains the body as a
 * JSON string, where quotation marks and backslashes take two bytes. 160 messages always fit.
 */
const PAGE_BYTES = 5 * 1_024 * 1_024;

/** Returns the messages on a page, with null in place of each message that no longer fits. */
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

/** Returns the number of elements in a JSON array; 1 for anything else. The input need not be valid JSON. */
export const countMessages = (json: string): number => {
  const start = json.search(/\S/);
  let depth = 0;
  let count = 1;
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
 * Splits a JSON array into its elements as strings. Any other input is one element. The input must be valid JSON. It is
 * not parsed, so the messages keep their bytes.
 */
export const splitMessages = (json: string): string[] => {
  const text = json.trim();
  if (!text.startsWith('[')) return [text];
  const found: string[] = [];
  let depth = 0;
  let start = 1;
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
