export type HttpAnswer = { status: number; body: string };

const END_OF_HEAD = '\r\n\r\n';

/**
 * Gives the answer at the beginning of some bytes, or the number of bytes that must be there before it is worth
 * looking again.
 */
const answerIn = (bytes: Buffer): HttpAnswer | number => {
  const end = bytes.indexOf(END_OF_HEAD);
  if (end < 0) return bytes.length + 1;
  const head = bytes.toString('latin1', 0, end);
  const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(head) ?? [];
  const [, length] = /\r\ncontent-length: *(\d+)/i.exec(head) ?? [];
  if (!status || !length) throw new Error(`not an answer with a length: ${head}`);
  const start = end + END_OF_HEAD.length;
  const total = start + Number(length);
  if (bytes.length < total) return total;
  if (bytes.length > total) throw new Error('more than an answer');
  return { status: Number(status), body: bytes.toString('utf8', start, total) };
};

/**
 * Creates a reader that takes the pieces of one answer after the other, and gives null until an answer is complete.
 * It reads only answers with a Content-Length.
 */
export const answerReader = () => {
  let pieces: Buffer[] = [];
  let bytes = 0;
  let enough = 0;
  return (piece: Buffer): HttpAnswer | null => {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes < enough) return null;
    const all = pieces.length === 1 ? piece : Buffer.concat(pieces);
    const found = answerIn(all);
    const isWhole = typeof found !== 'number';
    enough = isWhole ? 0 : found;
    pieces = isWhole ? [] : [all];
    bytes = isWhole ? 0 : bytes;
    return isWhole ? found : null;
  };
};
