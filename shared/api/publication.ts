import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { type APIGatewayProxyEvent, header, knows } from './exchange.ts';
import { Reply } from './operation.ts';

/** What everybody may read: its bytes, packed once, and an entity tag that is another one as soon as they are. */
export type Publication = { tag: string; gzip: Uint8Array };

/** A short name for these bytes and no others. */
export const digestOf = (content: Uint8Array | string): string =>
  createHash('sha256').update(content).digest('hex').slice(0, 16);

export const publicationOf = (content: Uint8Array | string): Publication => ({
  tag: `"${digestOf(content)}"`,
  gzip: gzipSync(content, { level: 9 }),
});

const takesGzip = (event: APIGatewayProxyEvent): boolean =>
  /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(header(event, 'accept-encoding') ?? '');

/** The answer of a `published` operation: nothing for who has it already, plain bytes for who cannot unpack. */
export const publish = (
  event: APIGatewayProxyEvent,
  { tag, gzip }: Publication,
  headers: Record<string, string> = {},
): Reply<Uint8Array> => {
  // Weak: packed or plain, it says the same.
  const tagged = { ...headers, ETag: `W/${tag}` };
  if (knows(event, tag)) return new Reply<Uint8Array>(Buffer.alloc(0), { status: 304, headers: tagged });
  if (!takesGzip(event)) return new Reply<Uint8Array>(gunzipSync(gzip), { headers: tagged });
  return new Reply(gzip, { headers: { ...tagged, 'Content-Encoding': 'gzip' } });
};
