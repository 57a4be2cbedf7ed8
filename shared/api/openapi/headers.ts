import { errors } from '../errors.ts';
import { type Operation, publishedHeaders } from '../operation.ts';
import type { Json } from './schemas.ts';

const header = (description: string, schema: Json = { type: 'string' }) => ({ description, required: true, schema });
/** Returns a constant header with a type. Go clients cannot read the header without it. */
const constant = (value: string): Json => ({ type: 'string', const: value });
const integer = { type: 'integer', format: 'int32', minimum: 0 };
/** API Gateway renames WWW-Authenticate to this in function responses, and cannot be configured not to. */
export const REMAPPED_AUTHENTICATE = 'x-amzn-Remapped-WWW-Authenticate';
export const headers = {
  'X-RateLimit-Limit': header('Requests allowed per second; 1000000 means no limit', integer),
  'X-RateLimit-Remaining': header('Requests remaining in this second', integer),
  'X-RateLimit-Reset': header('Seconds until the limit resets', integer),
  'X-Version-Id': header('Service version'),
  'X-Request-Id': header('Request id. Include it when you contact support'),
  'X-Error-Code': header('Error code; does not depend on the language', {
    type: 'string',
    enum: Object.keys(errors),
  }),
  'Cache-Control': header('The response must not be cached', constant('no-store')),
  'X-Content-Type-Options': header('Browsers must not guess the content type', constant('nosniff')),
  'Strict-Transport-Security': header('Browsers must use HTTPS only'),
  'Retry-After': header('Seconds to wait before a retry', integer),
  'WWW-Authenticate': {
    ...header(`Authentication scheme; behind API Gateway \`${REMAPPED_AUTHENTICATE}\``),
    required: false,
  },
  [REMAPPED_AUTHENTICATE]: { ...header('WWW-Authenticate, as renamed by API Gateway'), required: false },
};
type Header = keyof typeof headers;
export const headerReferences = (...names: readonly Header[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const errorHeaders: readonly Header[] = ['X-Error-Code', 'Retry-After', 'WWW-Authenticate', REMAPPED_AUTHENTICATE];
/** The headers in every response. */
export const commonHeaders = headerReferences(
  ...(Object.keys(headers) as Header[]).filter((name) => !errorHeaders.includes(name)),
);

/** Returns the headers in a successful response. */
export const successHeaders = ({
  responseHeaders = {},
  describedHeaders = {},
  optionalHeaders = {},
  published,
}: Operation): Json => ({
  ...commonHeaders,
  ...(published && {
    ETag: header('Entity tag. A request with this value in If-None-Match returns 304 until the content changes'),
  }),
  ...Object.fromEntries(
    Object.entries({ ...(published && publishedHeaders[published]), ...responseHeaders }).map(([name, value]) => [
      name,
      header(name, constant(value)),
    ]),
  ),
  ...Object.fromEntries(Object.entries(describedHeaders).map(([name, text]) => [name, header(text)])),
  ...Object.fromEntries(
    Object.entries(optionalHeaders).map(([name, text]) => [name, { ...header(text), required: false }]),
  ),
});
