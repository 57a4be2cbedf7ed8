import { ResponseType } from 'aws-cdk-lib/aws-apigateway';
import type { ErrorCode } from '#shared/api/errors.ts';
import { corsHeaders } from '#shared/api/http/cors.ts';
import type { Stage } from '../settings/settings.ts';

/**
 * API Gateway's own responses, with the same texts and shape as the service's, but always in English:
 * - 429 when all callers together exceed the stage throttle;
 * - 413 for a body over 10 MB here, or over about 4.5 MB as base64 in Lambda;
 * - 503 when a function could not be invoked, was throttled, ended without a response or took too long;
 * - 400 for requests that API Gateway does not accept as valid HTTP, for example with a malformed header or query;
 * - 403 when the stage's web ACL blocks the request. A function responds to unknown paths; the 404 here is for paths
 *   that cannot reach it. There is no 401 either, because 401 responses come from functions, and API Gateway renames
 *   their WWW-Authenticate header. (The OpenAPI document mentions both names.)
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-known-issues.html
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html
 */
const responses: readonly {
  type: ResponseType;
  status: number;
  code: ErrorCode;
  message: string;
  retryAfter?: number;
}[] = [
  {
    type: ResponseType.THROTTLED,
    status: 429,
    code: 'rate_limited',
    message: 'Too many requests, next attempt possible in 1 seconds from now',
    retryAfter: 1,
  },
  { type: ResponseType.REQUEST_TOO_LARGE, status: 413, code: 'body_too_large', message: 'The body is too large' },
  {
    type: ResponseType.MISSING_AUTHENTICATION_TOKEN,
    status: 404,
    code: 'path_unknown',
    message: 'There is nothing at this path',
  },
  {
    type: ResponseType.RESOURCE_NOT_FOUND,
    status: 404,
    code: 'path_unknown',
    message: 'There is nothing at this path',
  },
  { type: ResponseType.WAF_FILTERED, status: 403, code: 'forbidden', message: 'This is not permitted' },
  { type: ResponseType.DEFAULT_4XX, status: 400, code: 'bad_request', message: 'The request is not valid' },
  {
    type: ResponseType.API_CONFIGURATION_ERROR,
    status: 500,
    code: 'internal',
    message: 'Something went wrong on our side',
  },
  {
    type: ResponseType.DEFAULT_5XX,
    status: 503,
    code: 'unavailable',
    message: 'The service is not available at the moment',
    retryAfter: 2,
  },
];

/** Returns the response headers. The request was not counted, so the rate-limit headers ask for a one-second wait. */
const headersOf = (stage: Stage, code: ErrorCode, retryAfter: number | undefined): Record<string, string> => ({
  'Cache-Control': "'no-store'",
  'X-Content-Type-Options': "'nosniff'",
  'Strict-Transport-Security': "'max-age=63072000; includeSubDomains'",
  'X-RateLimit-Limit': `'${stage.rateLimit}'`,
  'X-RateLimit-Remaining': "'0'",
  'X-RateLimit-Reset': "'1'",
  'X-Version-Id': `'${stage.serviceVersion}'`,
  'X-Request-Id': 'context.requestId',
  'X-Error-Code': `'${code}'`,
  ...(retryAfter !== undefined && { 'Retry-After': `'${retryAfter}'` }),
});

/**
 * Returns the CORS headers that let pages from other origins read a response. API Gateway cannot compare the origin
 * with a list: its headers are fixed, or copied from the request, which would allow any origin. So in a stage with
 * several `corsOrigins`, the headers allow no origin, and a page sees a network error.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-gatewayResponse-definition.html
 */
const corsOf = ({ corsOrigins }: Stage, headers: Record<string, string>): Record<string, string> => {
  const only = corsOrigins.length === 1 ? corsOrigins[0] : undefined;
  const cors = Object.entries(corsHeaders(corsOrigins, only, headers));
  return Object.fromEntries(cors.map(([name, value]) => [name, `'${value}'`]));
};

const parametersOf = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [`gatewayresponse.header.${name}`, value]));

/**
 * Returns all of these responses by type, with the body `{message, statusCode}` and the usual headers.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-swagger-extensions-gateway-responses.html
 */
export const gatewayResponses = (stage: Stage) =>
  Object.fromEntries(
    responses.map(({ type, status, code, message, retryAfter }) => {
      const headers = headersOf(stage, code, retryAfter);
      return [
        type.responseType,
        {
          statusCode: String(status),
          responseParameters: parametersOf({ ...headers, ...corsOf(stage, headers) }),
          responseTemplates: { 'application/json': JSON.stringify({ message, statusCode: status }) },
        },
      ];
    }),
  );
