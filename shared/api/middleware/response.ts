import type { APIGatewayProxyResult } from 'aws-lambda';
import { IssuerUnavailable } from '#shared/auth/unavailable.ts';
import type { Log } from '#shared/observability/log.ts';
import type { Measure } from '#shared/observability/metrics.ts';
import { QueueUnavailable } from '#shared/queue/unavailable.ts';
import { TableUnavailable } from '#shared/store/engine/unavailable.ts';
import { ApiError, errors } from '../errors.ts';
import { corsHeaders } from '../http/cors.ts';
import { type Exchange, header, type Rate } from '../http/exchange.ts';
import { errorTexts } from '../messages/texts.ts';
import type { Guard } from './guard.ts';

/** The seconds until a client may retry a request the service could not handle. */
export const RETRY_AFTER_SECONDS = 2;

const constant = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Strict-Transport-Security': 'max-age=63072000; includeSubDomains',
} as const;

/** Sent if no limit applies. The values are large because clients may slow down when few requests remain. */
const NO_LIMIT: Omit<Rate, 'isExceeded'> = { limit: 1_000_000, remaining: 1_000_000, reset: 0 };

/** Returns the headers for every response, including errors. */
export const baseHeaders = (version: string, requestId: string, rate?: Rate): Record<string, string> => {
  const { limit, remaining, reset } = rate && rate.limit > 0 ? rate : NO_LIMIT;
  return {
    'Content-Type': 'application/json',
    ...constant,
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': String(reset),
    'X-Version-Id': version,
    'X-Request-Id': requestId,
  };
};

/** Adds the common headers and the cookies to a response. */
export const withBaseHeaders = (
  { SERVICE_VERSION, CORS_ORIGINS }: Guard['settings'],
  { event, requestId, rate, cookies }: Exchange,
  response: APIGatewayProxyResult,
): APIGatewayProxyResult => {
  const headers = { ...baseHeaders(SERVICE_VERSION, requestId, rate), ...response.headers };
  // Cookies set by the response itself come last. Browsers keep the last cookie for each name, and a logout deletes
  // cookies.
  const ownCookies = response.multiValueHeaders?.['Set-Cookie'] ?? [];
  return {
    ...response,
    headers: { ...headers, ...corsHeaders(CORS_ORIGINS, header(event, 'origin'), headers) },
    ...(cookies.length > 0 && { multiValueHeaders: { 'Set-Cookie': [...cookies, ...ownCookies] } }),
  };
};

const unavailable = [TableUnavailable, QueueUnavailable, IssuerUnavailable];

const asApiError = (error: Error, operation: string, log: Log): ApiError => {
  if (error instanceof ApiError) return error;
  // Either the table is unavailable, or another AWS service did not respond in time (transport.ts).
  if (unavailable.some((errorClass) => error instanceof errorClass) || error.name === 'TimeoutError') {
    log('warn', 'a service that an operation needs is unavailable', { operation }, error);
    return new ApiError('unavailable', { waitSeconds: RETRY_AFTER_SECONDS });
  }
  log('error', 'an operation failed', { operation }, error);
  return new ApiError('internal');
};

const bodyOf = async (error: ApiError, locale: string) => {
  const { code, fieldErrors } = error;
  const { message, fieldErrors: localized } = await errorTexts(locale, error);
  const more = code === 'otp_required' && { otpRequired: true };
  return { message, statusCode: errors[code], ...more, ...(fieldErrors && { errors: localized }) };
};

/** The rate in a 429 response, whichever limit caused it. No requests remain until the wait is over (D1 "Errors" 3). */
const usedUp = (waitSeconds: number) => ({
  'X-RateLimit-Remaining': '0',
  'X-RateLimit-Reset': String(waitSeconds),
});

/** Returns the response for an expected failure. `allowed`: the methods available at the path, for a 405 response. */
export const errorResponse = async (error: ApiError, locale = 'en', allowed: readonly string[] = []) => {
  const { code, waitSeconds } = error;
  return {
    statusCode: errors[code],
    headers: {
      'X-Error-Code': code,
      ...(waitSeconds !== null && { 'Retry-After': String(waitSeconds) }),
      ...(code === 'rate_limited' && usedUp(waitSeconds ?? 1)),
      // Required for every 401 response (https://www.rfc-editor.org/rfc/rfc9110#section-15.5.2). API Gateway renames it
      // (openapi/headers.ts).
      ...(errors[code] === 401 && { 'WWW-Authenticate': 'Bearer' }),
      ...(code === 'method_not_allowed' && { Allow: allowed.join(', ') }),
    },
    body: JSON.stringify(await bodyOf(error, locale)),
  };
};

/** Returns the response for an error, with the status for its code if it was expected, otherwise 500. */
export const responseTo = (
  { name, locale, allowedMethods }: Exchange,
  error: Error,
  log: Log,
  measure: Measure,
): Promise<APIGatewayProxyResult> => {
  const expected = asApiError(error, name, log);
  if (expected.code === 'rate_limited') measure('CallsLimited');
  return errorResponse(expected, locale, allowedMethods);
};
