import { errors } from '../errors.ts';
import { headersOfPublished, type Operation } from '../operation.ts';
import type { Json } from './schemas.ts';

const header = (description: string, schema: Json = { type: 'string' }) => ({ description, required: true, schema });
const integer = { type: 'integer', minimum: 0 };
/** The name that API Gateway gives to WWW-Authenticate in the answers of functions. It cannot be changed back. */
export const RENAMED = 'x-amzn-Remapped-WWW-Authenticate';
export const headers = {
  'X-RateLimit-Limit': header('Requests in a second; 1000000: no limit', integer),
  'X-RateLimit-Remaining': header('Requests left in this second', integer),
  'X-RateLimit-Reset': header('Seconds until the limit resets', integer),
  'X-Version-Id': header('Version of the service'),
  'X-Request-Id': header('Id of the request. Name it when you ask for support'),
  'X-Error-Code': header('What is wrong, by a word that stays the same in every language', {
    type: 'string',
    enum: Object.keys(errors),
  }),
  'Cache-Control': header('Answers must not be cached', { const: 'no-store' }),
  'X-Content-Type-Options': header('The content type must not be guessed', { const: 'nosniff' }),
  'Strict-Transport-Security': header('The service must only be called by https'),
  'Retry-After': header('Seconds after which another call may succeed', integer),
  'WWW-Authenticate': { ...header(`How to authenticate; behind API Gateway it is \`${RENAMED}\``), required: false },
  [RENAMED]: { ...header('WWW-Authenticate as API Gateway renames it'), required: false },
};
type Header = keyof typeof headers;
export const refer = (...names: readonly Header[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const notOfAll: readonly Header[] = ['X-Error-Code', 'Retry-After', 'WWW-Authenticate', RENAMED];
/** The headers of every answer. */
export const commonHeaders = refer(...(Object.keys(headers) as Header[]).filter((name) => !notOfAll.includes(name)));

/** The headers of an operation's answer after a success. */
export const headersOf = ({
  responseHeaders = {},
  describedHeaders = {},
  optionalHeaders = {},
  published,
}: Operation): Json => ({
  ...commonHeaders,
  ...(published && {
    ETag: header(
      'Entity tag of the content; a request with it in If-None-Match is answered by 304 until the content changes',
    ),
  }),
  ...Object.fromEntries(
    Object.entries({ ...(published && headersOfPublished[published]), ...responseHeaders }).map(([name, value]) => [
      name,
      header(name, { const: value }),
    ]),
  ),
  ...Object.fromEntries(Object.entries(describedHeaders).map(([name, text]) => [name, header(text)])),
  ...Object.fromEntries(
    Object.entries(optionalHeaders).map(([name, text]) => [name, { ...header(text), required: false }]),
  ),
});
