import { ResponseType } from 'aws-cdk-lib/aws-apigateway';
import type { ErrorCode } from '#shared/api/errors.ts';
import { corsHeaders } from '#shared/api/http/cors.ts';
import type { Stage } from '../settings/settings.ts';

/**
 * The answers that API Gateway gives by itself, with the texts and the shape of the service's own answers, but always
 * in English:
 * - 429, when all callers together exceed the throttle of the stage;
 * - 413, when a body is too large for an invocation: above 10 MB here, above about 4.5 MB as base64 in Lambda;
 * - 503, when a function could not be invoked, was throttled, ended without an answer or took too long;
 * - 400, when a request is not valid HTTP for API Gateway, such as one with a malformed header or query;
 * - 403, when the web ACL of the stage, if there is one, refuses the call.
 * Unknown paths usually do not get one of these, because a function answers them; the 404 here is for paths that
 * cannot reach it. Nor is there a 401: functions answer it, and API Gateway renames their WWW-Authenticate header.
 * Only an answer of API Gateway itself (for an authorizer) would keep the name. The OpenAPI document mentions both
 * names.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-known-issues.html
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html
 */
const answers: readonly {
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

/**
 * The headers of these answers. Such calls were not counted, so the rate-limit headers are those of a caller who must
 * wait for the next second.
 */
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
 * The headers by which pages of other origins may read these answers. API Gateway puts fixed values or those of the
 * request into them, and cannot choose: where a stage lists several origins, none is named, and a page sees a network
 * error, for to name whichever asks would let in those that are not listed.
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
 * All these answers by their types, with the body `{message, statusCode}` and the headers of every answer.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-swagger-extensions-gateway-responses.html
 */
export const answersOnOurBehalf = (stage: Stage) =>
  Object.fromEntries(
    answers.map(({ type, status, code, message, retryAfter }) => {
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
