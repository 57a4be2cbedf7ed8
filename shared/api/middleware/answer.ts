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

/** The seconds after which a call may be repeated that failed because of the service. */
export const RETRY_AFTER = 2;

const constant = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Strict-Transport-Security': 'max-age=63072000; includeSubDomains',
} as const;

/** What is told where no limit counts the call: clients that slow down as few calls remain must not stop. */
const NO_LIMIT: Omit<Rate, 'over'> = { limit: 1_000_000, remaining: 1_000_000, reset: 0 };

/** Gives the headers of every answer, errors included. */
export const headersOfAll = (version: string, requestId: string, rate?: Rate): Record<string, string> => {
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

/** Returns the response with the headers and cookies of every answer. */
export const decorate = (
  { SERVICE_VERSION, CORS_ORIGINS }: Guard['settings'],
  { event, requestId, rate, cookies }: Exchange,
  response: APIGatewayProxyResult,
): APIGatewayProxyResult => {
  const headers = { ...headersOfAll(SERVICE_VERSION, requestId, rate), ...response.headers };
  return {
    ...response,
    headers: { ...headers, ...corsHeaders(CORS_ORIGINS, header(event, 'origin'), headers) },
    ...(cookies.length > 0 && { multiValueHeaders: { ...response.multiValueHeaders, 'Set-Cookie': cookies } }),
  };
};

const unavailable = [TableUnavailable, QueueUnavailable, IssuerUnavailable];

const asApiError = (error: Error, operation: string, log: Log): ApiError => {
  if (error instanceof ApiError) return error;
  // The table, or another AWS service that did not answer in time (transport.ts).
  if (unavailable.some((errorClass) => error instanceof errorClass) || error.name === 'TimeoutError') {
    log('warn', 'a service that an operation needs is not available', { operation }, error);
    return new ApiError('unavailable', { waitSeconds: RETRY_AFTER });
  }
  log('error', 'an operation failed', { operation }, error);
  return new ApiError('internal');
};

const bodyOf = async (error: ApiError, locale: string) => {
  const { code, fieldErrors } = error;
  const { message, fieldErrors: told } = await errorTexts(locale, error);
  const more = code === 'otp_required' && { otpRequired: true };
  return { message, statusCode: errors[code], ...more, ...(fieldErrors && { errors: told }) };
};

/** After a 429, whichever limit caused it, nothing is left until the wait is over (D1 "Errors" 3). */
const usedUp = (waitSeconds: number) => ({
  'X-RateLimit-Remaining': '0',
  'X-RateLimit-Reset': String(waitSeconds),
});

/**
 * Makes the answer of an expected failure, with the headers that only errors have. `allowed` are the methods of the
 * path, for a 405.
 */
export const refusal = async (error: ApiError, locale = 'en', allowed: readonly string[] = []) => {
  const { code, waitSeconds } = error;
  return {
    statusCode: errors[code],
    headers: {
      'X-Error-Code': code,
      ...(waitSeconds !== null && { 'Retry-After': String(waitSeconds) }),
      ...(code === 'rate_limited' && usedUp(waitSeconds ?? 1)),
      // Every 401 has this header (https://www.rfc-editor.org/rfc/rfc9110#section-15.5.2). API Gateway renames it
      // (openapi/describe.ts).
      ...(errors[code] === 401 && { 'WWW-Authenticate': 'Bearer' }),
      ...(code === 'method_not_allowed' && { Allow: allowed.join(', ') }),
    },
    body: JSON.stringify(await bodyOf(error, locale)),
  };
};

/** Turns an error into an answer: an expected failure by its code, any other error as a 500. */
export const explain = (
  { name, locale, allowed }: Exchange,
  error: Error,
  log: Log,
  measure: Measure,
): Promise<APIGatewayProxyResult> => {
  const expected = asApiError(error, name, log);
  if (expected.code === 'rate_limited') measure('CallsLimited');
  return refusal(expected, locale, allowed);
};
