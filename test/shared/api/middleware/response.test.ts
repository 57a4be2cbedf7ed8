import { describe, expect, test } from 'vitest';
import { ApiError, type ErrorCode, errors } from '#shared/api/errors.ts';
import { baseHeaders, errorResponse, responseTo, withBaseHeaders } from '#shared/api/middleware/response.ts';
import { IssuerUnavailable } from '#shared/auth/unavailable.ts';
import { QueueUnavailable } from '#shared/queue/unavailable.ts';
import { TableUnavailable } from '#shared/store/engine/unavailable.ts';
import { createGuard, exchangeOf, operationWith } from '#test/fixtures/guard.ts';

const rate = { limit: 30, remaining: 4, reset: 1, isExceeded: false };

describe('base response headers', () => {
  test('base headers forbid caching and sniffing, and require HTTPS', () => {
    expect(baseHeaders('1.2.3', 'r', rate)).toEqual({
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'Strict-Transport-Security': 'max-age=63072000; includeSubDomains',
      'X-RateLimit-Limit': '30',
      'X-RateLimit-Remaining': '4',
      'X-RateLimit-Reset': '1',
      'X-Version-Id': '1.2.3',
      'X-Request-Id': 'r',
    });
  });

  test('base headers state a very large rate limit if no limit applies', () => {
    const unlimited = { 'X-RateLimit-Limit': '1000000', 'X-RateLimit-Remaining': '1000000', 'X-RateLimit-Reset': '0' };
    expect(baseHeaders('1', 'r')).toMatchObject(unlimited);
    expect(baseHeaders('1', 'r', { ...rate, limit: 0 })).toMatchObject(unlimited);
    expect(baseHeaders('1', 'r', { ...rate, limit: 1 })).toMatchObject({ 'X-RateLimit-Limit': '1' });
  });

  const ORIGIN = 'https://app.example.org';
  const complete = (response: object, { cookies = [], origin = '' }: { cookies?: string[]; origin?: string } = {}) => {
    const { guard } = createGuard({ CORS_ORIGINS: [ORIGIN], SERVICE_VERSION: '1.2.3' });
    const headers: Record<string, string> = origin ? { Origin: origin } : {};
    const exchange = exchangeOf(operationWith(), { headers }, { rate, cookies });
    return withBaseHeaders(guard.settings, exchange, { statusCode: 200, body: '{}', ...response });
  };
  test('base headers do not replace headers set by the response', () => {
    const { statusCode, body, headers } = complete({ headers: { 'Cache-Control': 'public', ETag: 'x' } });
    expect([statusCode, body]).toEqual([200, '{}']);
    expect(headers).toMatchObject({ 'Cache-Control': 'public', ETag: 'x', 'X-Version-Id': '1.2.3' });
    expect(headers).toMatchObject({ 'X-Request-Id': 'the-request', 'X-RateLimit-Remaining': '4' });
  });

  test('base headers let only listed origins read the response', () => {
    const allowed = 'Access-Control-Allow-Origin';
    expect(complete({}, { origin: ORIGIN }).headers).toMatchObject({ [allowed]: ORIGIN, Vary: 'Origin' });
    expect(complete({}, { origin: 'https://other.example.org' }).headers).not.toHaveProperty(allowed);
    expect(complete({}).headers).not.toHaveProperty(allowed);
    const { headers } = complete({ headers: { Vary: 'Accept' } }, { origin: ORIGIN });
    expect(headers?.Vary).toBe('Accept, Origin');
  });

  test('response cookies take precedence over cookies from checks', () => {
    const own = { multiValueHeaders: { 'Set-Cookie': ['a=2'] } };
    expect(complete(own, { cookies: ['a=1'] }).multiValueHeaders).toEqual({ 'Set-Cookie': ['a=1', 'a=2'] });
    expect(complete({}, { cookies: ['a=1'] }).multiValueHeaders).toEqual({ 'Set-Cookie': ['a=1'] });
    expect(complete(own).multiValueHeaders).toEqual({ 'Set-Cookie': ['a=2'] });
    expect(complete({})).not.toHaveProperty('multiValueHeaders');
  });
});

const bodyOf = ({ body }: { body: string }) => JSON.parse(body);

describe('the response for an expected failure', () => {
  test('an error response has a status, a code in a header, and a message', async () => {
    for (const code of ['forbidden', 'rule_not_found', 'credentials_invalid', 'internal'] as const) {
      const response = await errorResponse(new ApiError(code));
      expect(response).toMatchObject({ statusCode: errors[code], headers: { 'X-Error-Code': code } });
      expect(bodyOf(response)).toEqual({ message: expect.stringMatching(/./), statusCode: errors[code] });
    }
  });

  test('an error response is in English unless another language is known', async () => {
    const text = async (locale?: string) => bodyOf(await errorResponse(new ApiError('forbidden'), locale)).message;
    expect(await text()).toBe(await text('en'));
    expect(await text('de')).toBe('Das ist nicht erlaubt');
  });

  test('an error response lists each invalid field with a message', async () => {
    const error = new ApiError('bad_request', {
      fieldErrors: [{ path: 'page', problem: 'minimum', values: { limit: 0 } }],
    });
    expect(bodyOf(await errorResponse(error, 'de')).errors).toEqual([
      { path: 'page', message: 'muss mindestens 0 sein' },
    ]);
    expect(bodyOf(await errorResponse(new ApiError('forbidden')))).not.toHaveProperty('errors');
  });

  test('an error response asks for a second factor only if nothing else is missing', async () => {
    expect(bodyOf(await errorResponse(new ApiError('otp_required')))).toMatchObject({ otpRequired: true });
    expect(bodyOf(await errorResponse(new ApiError('credentials_invalid')))).not.toHaveProperty('otpRequired');
  });
  const headersOf = async (code: ErrorCode, details = {}, allowed?: string[]) =>
    (await errorResponse(new ApiError(code, details), 'en', allowed)).headers;
  test('only 401 responses state how to authenticate', async () => {
    for (const code of ['credentials_invalid', 'otp_required', 'reset_code_invalid'] as const)
      expect(await headersOf(code)).toMatchObject({ 'WWW-Authenticate': 'Bearer' });
    expect(await headersOf('forbidden')).toEqual({ 'X-Error-Code': 'forbidden' });
  });

  test('a 429 states when to retry and that no requests remain', async () => {
    expect(await headersOf('rate_limited', { waitSeconds: 7 })).toEqual({
      'X-Error-Code': 'rate_limited',
      'Retry-After': '7',
      'X-RateLimit-Remaining': '0',
      'X-RateLimit-Reset': '7',
    });
    expect(await headersOf('rate_limited')).toMatchObject({ 'X-RateLimit-Reset': '1' });
    expect(await headersOf('unavailable', { waitSeconds: 2 })).toEqual({
      'X-Error-Code': 'unavailable',
      'Retry-After': '2',
    });
  });

  test('a 405 lists the allowed methods', async () => {
    expect(await headersOf('method_not_allowed', {}, ['GET', 'OPTIONS'])).toMatchObject({ Allow: 'GET, OPTIONS' });
    expect(await headersOf('method_not_allowed')).toMatchObject({ Allow: '' });
    expect(await headersOf('path_unknown', {}, ['GET'])).not.toHaveProperty('Allow');
  });
});

describe('responses to any error', () => {
  const respond = async (error: Error) => {
    const lines: unknown[] = [];
    const measured: string[] = [];
    const exchange = exchangeOf(operationWith(), {}, { locale: 'de', allowedMethods: ['GET'] });
    const log = (level: string, _: string, fields?: object) => void lines.push([level, fields]);
    const response = await responseTo(exchange, error, log, (name: string) => void measured.push(name));
    return { statusCode: response.statusCode, headers: response.headers, body: bodyOf(response), lines, measured };
  };
  test('an unavailable service returns a 503 with a retry time', async () => {
    const timeout = Object.assign(new Error('slow'), { name: 'TimeoutError' });
    for (const error of [new TableUnavailable('x'), new QueueUnavailable('x'), new IssuerUnavailable('x'), timeout]) {
      const { statusCode, headers, lines } = await respond(error);
      expect([statusCode, headers]).toEqual([503, { 'X-Error-Code': 'unavailable', 'Retry-After': '2' }]);
      expect(lines).toEqual([['warn', { operation: 'theOperation' }]]);
    }
  });

  test('a bug results in a 500 without details, and is logged', async () => {
    const { statusCode, body, headers, lines } = await respond(new Error('the secret is x'));
    expect([statusCode, headers]).toEqual([500, { 'X-Error-Code': 'internal' }]);
    expect(JSON.stringify(body)).not.toContain('secret');
    expect(lines).toEqual([['error', { operation: 'theOperation' }]]);
  });

  test("an expected error results in a response in the caller's language, and is not logged", async () => {
    const { statusCode, body, lines, measured } = await respond(new ApiError('forbidden'));
    expect([statusCode, body.message]).toEqual([403, 'Das ist nicht erlaubt']);
    expect([lines, measured]).toEqual([[], []]);
    expect((await respond(new ApiError('method_not_allowed'))).headers).toMatchObject({ Allow: 'GET' });
  });

  test('a rate-limited request is counted in the metrics', async () => {
    expect((await respond(new ApiError('rate_limited'))).measured).toEqual(['CallsLimited']);
  });
});
