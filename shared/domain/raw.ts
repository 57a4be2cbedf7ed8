/** Most messages in a call of a device, and the most bytes of one. */
export const MESSAGES = { count: 100, bytes: 200 * 1_024 } as const;
/** Lists show the bytes of a message up to so many: 200 of them fit into one answer of a Lambda, which has 6 MB. */
export const LISTED_BYTES = 16 * 1_024;

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
