import type { APIGatewayProxyEvent } from 'aws-lambda';
import { header } from './exchange.ts';

/** The headers of a request that operations read, beside those that every page may send. */
const REQUEST_HEADERS = 'Authorization, Content-Type, If-None-Match';
/** The methods of a preflight to a path that does not exist: the call itself then says so. */
const METHODS = ['GET', 'POST', 'PUT', 'DELETE'];
/** Browsers ask again after so many seconds, so an origin that is no longer listed is soon refused. */
const MAX_AGE = 600;

/** What scripts may read of an answer, beside what every page may: these, and each `X-` header that the answer has. */
const exposed = (names: readonly string[]): string =>
  ['Token', 'Retry-After', 'ETag', 'Link', ...names.filter((name) => /^x-/i.test(name))].join(', ');

type Headers = Readonly<Record<string, string | number | boolean>>;

/**
 * The headers by which browsers let pages of a listed origin read an answer with these headers. Cookies are for the
 * service's own pages alone: Access-Control-Allow-Credentials is never sent. Where origins are listed, each answer varies
 * by the origin; without any, there are no such headers.
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
 * The further headers of the answer to a preflight, by which a browser asks whether a page of a listed origin may make a
 * call; null if the request is none. `methods` are those of the path.
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
