import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { Reply } from '../operation.ts';
import { type APIGatewayProxyEvent, header, matchesEtag } from './exchange.ts';

/** Public content: the compressed bytes, and an entity tag that changes with them. */
export type Publication = { tag: string; gzip: Uint8Array };

/** Returns the first 16 hex digits of the SHA-256 hash of the content. */
export const shortHash = (content: Uint8Array | string): string =>
  createHash('sha256').update(content).digest('hex').slice(0, 16);

export const createPublication = (content: Uint8Array | string): Publication => ({
  tag: `"${shortHash(content)}"`,
  gzip: gzipSync(content, { level: 9 }),
});

const acceptsGzip = (event: APIGatewayProxyEvent): boolean =>
  /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(header(event, 'accept-encoding') ?? '');

/**
 * Returns the response for a `published` operation: 304 if the caller already has the content, and uncompressed bytes
 * if the caller does not accept gzip.
 */
export const publish = (
  event: APIGatewayProxyEvent,
  { tag, gzip }: Publication,
  headers: Record<string, string> = {},
): Reply<Uint8Array> => {
  // The tag is weak because compressed and plain responses share it.
  const tagged = { ...headers, ETag: `W/${tag}` };
  if (matchesEtag(event, tag)) return new Reply<Uint8Array>(Buffer.alloc(0), { status: 304, headers: tagged });
  if (!acceptsGzip(event)) return new Reply<Uint8Array>(gunzipSync(gzip), { headers: tagged });
  return new Reply(gzip, { headers: { ...tagged, 'Content-Encoding': 'gzip' } });
};
