/** Matches one JSON token. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/gs;

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/** Indents JSON without changing its tokens, because parsing would round long numbers. Other text stays unchanged. */
export const pretty = (text: string): string => {
  if (!isJson(text)) return text;
  let out = '';
  let depth = 0;
  const line = () => `\n${'  '.repeat(depth)}`;
  let last = '';
  for (const [token] of text.matchAll(TOKEN)) {
    const isEnd = token === '}' || token === ']';
    if (isEnd) depth--;
    const isEmpty = isEnd && (last === '{' || last === '[');
    if ((isEnd && !isEmpty) || (!isEnd && (last === '{' || last === '[' || last === ','))) out += line();
    out += token === ':' ? ': ' : token;
    if (token === '{' || token === '[') depth++;
    last = token;
  }
  return out;
};
