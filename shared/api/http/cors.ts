import type { APIGatewayProxyEvent } from 'aws-lambda';
import { header } from './exchange.ts';

/** Request headers read by operations, in addition to those any page may send. */
const REQUEST_HEADERS = 'Authorization, Content-Type, If-None-Match';
/** The methods allowed for a path that does not exist, so that the page sees the 404 response to the actual request. */
const METHODS = ['GET', 'POST', 'PUT', 'DELETE'];
/** How long (s) browsers may cache a preflight. Kept short so that an origin removed from the list is soon refused. */
const MAX_AGE = 600;

/**
 * Returns the response headers scripts may read in addition to the safelisted headers: some fixed headers, and every
 * `X-` header.
 */
const exposed = (names: readonly string[]): string =>
  ['Token', 'Retry-After', 'ETag', 'Link', ...names.filter((name) => /^x-/i.test(name))].join(', ');

type Headers = Readonly<Record<string, string | number | boolean>>;

/**
 * Returns the headers that let pages from a listed origin read a response with these headers. Only pages of this
 * service may use cookies, so Access-Control-Allow-Credentials is never sent. If origins are listed, every response
 * varies by origin.
 * https://fetch.spec.whatwg.org/#http-cors-protocol
 */
export const corsHeaders = (
  origins: readonly string[],
  origin: string | undefined,
  headers: Headers,
): Record<string, string> => {
  if (origins.length === 0) return {};
  const vary = { Vary: [headers.Vary, 'Origin'].filter(Boolean).join(', ') };
  if (origin === undefined || !origins.includes(origin)) return vary;
  return {
    ...vary,
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Expose-Headers': exposed(Object.keys(headers)),
  };
};

/**
 * Returns the additional headers for a preflight response to a listed origin, or null for any other request. `methods`
 * are the methods available at the path.
 */
export const preflightHeaders = (
  origins: readonly string[],
  event: APIGatewayProxyEvent,
  methods: readonly string[],
): Record<string, string> | null => {
  const isPreflight = event.httpMethod === 'OPTIONS' && header(event, 'access-control-request-method') !== undefined;
  if (!isPreflight || !origins.includes(header(event, 'origin') ?? '')) return null;
  return {
    'Access-Control-Allow-Methods': (methods.length > 0 ? methods : METHODS).join(', '),
    'Access-Control-Allow-Headers': REQUEST_HEADERS,
    'Access-Control-Max-Age': String(MAX_AGE),
  };
};
