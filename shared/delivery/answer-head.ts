/** What an attempt needs from a response head, and the head that the Node parser reads instead. */
export type AnswerHead = {
  status: number;
  retryAfter: string | null;
  acknowledgedBy: string | null;
  forParser: string;
};

/** RFC 9112, section 4, lets a reader accept any whitespace between the words in a status line. */
const STATUS_LINE = /^HTTP\/1\.([01])[ \t]+([1-5]\d\d)(?:[ \t].*)?$/s;
/** A head without the CR LF CR LF at the end. All lines conform to RFC 9112. */
const WELL_FORMED = /^[^\r\n]*(?:\r\n[\w!#$%&'*+.^`|~-]+:[\t\x20-\x7e\x80-\xff]*)*$/;
const LENGTH = /^\d{1,15}$/;
const NO_CONTENT = 204;
const NOT_MODIFIED = 304;

/** Returns the response status from the first line, or null if that is not a status line. */
export const statusIn = (line: string): number | null => {
  const [, , status] = STATUS_LINE.exec(line) ?? [];
  return status === undefined ? null : Number(status);
};

/** The response header fields, by lower-case name. */
type Fields = ReadonlyMap<string, readonly string[]>;

const fieldsIn = (lines: readonly string[]): Fields => {
  const fields = new Map<string, string[]>();
  let latest: string[] = [];
  for (const line of lines) {
    if (/^[ \t]/.test(line)) {
      // A folded line continues the previous one (RFC 9112, section 5.2).
      latest.push(`${latest.pop() ?? ''} ${line.trim()}`);
      continue;
    }
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon)).trim().toLowerCase();
    latest = fields.get(name) ?? [];
    latest.push(line.slice(colon + 1).trim());
    fields.set(name, latest);
  }
  return fields;
};

/** Returns a field value. A repeated field counts only if all values are equal. */
const fieldValue = (fields: Fields, name: string): string | null => {
  const [value = null, ...others] = fields.get(name) ?? [];
  return others.every((other) => other === value) ? value : null;
};

const fieldList = (fields: Fields, name: string): string[] =>
  (fields.get(name) ?? []).flatMap((value) => value.toLowerCase().split(',')).map((part) => part.trim());

/** How a response body ends: after a number of bytes, with the last chunk, or with the connection. */
type BodyEnd = number | 'last_chunk' | 'close';
/** `isClear`: no header contradicts `bodyEnd`. */
type Framing = { bodyEnd: BodyEnd; isClear: boolean };

/** RFC 9112, section 6.3. */
const framingOf = (status: number, isHttp10: boolean, fields: Fields): Framing => {
  const codings = fieldList(fields, 'transfer-encoding');
  const lengths = fieldList(fields, 'content-length');
  const [length = ''] = lengths;
  if (status === NO_CONTENT || status === NOT_MODIFIED)
    return { bodyEnd: 0, isClear: codings.length === 0 && lengths.every((other) => other === '0') };
  if (codings.length > 0) {
    const isClear = codings.length === 1 && lengths.length === 0 && !isHttp10;
    return { bodyEnd: codings.at(-1) === 'chunked' ? 'last_chunk' : 'close', isClear };
  }
  if (LENGTH.test(length) && lengths.every((other) => other === length))
    return { bodyEnd: Number(length), isClear: lengths.length === 1 };
  return { bodyEnd: 'close', isClear: true };
};

/** Returns the head that the Node parser needs to read the body. */
const parserHead = (status: number, bodyEnd: BodyEnd, isKept: boolean, idleLimit: string | undefined): string => {
  const lines = [`HTTP/1.1 ${status} `, `Connection: ${isKept ? 'keep-alive' : 'close'}`];
  if (typeof bodyEnd === 'number') lines.push(`Content-Length: ${bodyEnd}`);
  if (bodyEnd === 'last_chunk') lines.push('Transfer-Encoding: chunked');
  if (idleLimit !== undefined) lines.push(`Keep-Alive: ${idleLimit}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
};

/**
 * Reads the status line and header lines, decoded as Latin-1. `end`: the line breaks that end the head, or '' if they
 * were not received. The status is used whatever the headers contain. A connection is kept for the next request only if
 * nothing in the head was malformed, so that the rest of this response is never mistaken for the next one.
 */
export const readHead = (head: string, end: string): AnswerHead => {
  const [statusLine = '', ...fieldLines] = head.split(/\r*\n/);
  const [, minor, digits] = STATUS_LINE.exec(statusLine) ?? [];
  const status = Number(digits);
  const isCut = end === '';
  const isHttp10 = minor === '0';
  const fields = fieldsIn(fieldLines);
  const { bodyEnd, isClear } = framingOf(status, isHttp10, fields);
  const isWellFormed = isClear && end === '\r\n\r\n' && WELL_FORMED.test(head);
  const options = fieldList(fields, 'connection');
  const mayStayOpen = isHttp10 ? options.includes('keep-alive') : !options.includes('close');
  const isKept = isWellFormed && bodyEnd !== 'close' && mayStayOpen;
  const [idleLimit] = /^timeout=\d{1,9}/.exec(fieldValue(fields, 'keep-alive') ?? '') ?? [];
  return {
    status,
    retryAfter: fieldValue(fields, 'retry-after'),
    acknowledgedBy: fieldValue(fields, 'x-acknowledged-by'),
    forParser: parserHead(status, isCut ? 0 : bodyEnd, isKept, idleLimit),
  };
};
