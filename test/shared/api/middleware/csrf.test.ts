import { describe, expect, test } from 'vitest';
import { checkCsrf, checkOneAuthorization } from '#shared/api/middleware/csrf.ts';
import { hashSecret } from '#shared/auth/tokens.ts';
import type { Session } from '#shared/store/identity/sessions.ts';
import {
  codeOf,
  cookieOf,
  createGuard,
  exchangeOf,
  loggedIn,
  logInAs,
  operationWith,
  START,
} from '#test/fixtures/guard.ts';

const write = operationWith({ method: 'POST' });
const CSRF = loggedIn.csrf;

/**
 * Checks a request with a session cookie. Returns the error, the response cookies, and whether the session still
 * exists.
 */
const callWith = async (
  headers: Record<string, string | string[]>,
  {
    operation = write,
    session = {},
    check = checkCsrf,
  }: { operation?: typeof write; session?: Partial<Session>; check?: typeof checkCsrf } = {},
) => {
  const world = createGuard();
  const token = await logInAs(world, session);
  const exchange = exchangeOf(operation, { headers: { ...cookieOf(token).headers, ...headers } });
  const code = await codeOf(() => check(world.guard, exchange));
  const isLive = (await world.its.sessions.session(hashSecret(token))) !== null;
  return { code, isLive, cookies: exchange.cookies, exchange, world };
};
const passed = { code: null, isLive: true, cookies: [] };

test('a request with a session cookie needs the CSRF token for that session', async () => {
  expect(await callWith({ 'X-CSRF-Token': CSRF })).toMatchObject(passed);
});

test.each([
  ['no token', {}],
  ['another token', { 'X-CSRF-Token': `${CSRF}x` }],
  ['an empty token', { 'X-CSRF-Token': '' }],
  ['the token twice', { 'X-CSRF-Token': [CSRF, CSRF] }],
])('a wrong or missing CSRF token ends the cookie session: %s', async (_, headers) => {
  const { code, isLive, cookies } = await callWith(headers);
  expect([code, isLive]).toEqual(['csrf_detected', false]);
  expect(cookies.map((text) => text.split(';')[0])).toEqual(['PSAUTHTOKEN=', 'PSUSERID=', 'PSCSRF=']);
  for (const text of cookies) expect(text).toContain('Max-Age=0');
});

test('a session cookie needs a CSRF token only for methods that can change something', async () => {
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH'])
    expect((await callWith({}, { operation: operationWith({ method }) })).code).toBe('csrf_detected');
  for (const method of ['GET', 'HEAD', 'OPTIONS'])
    expect(await callWith({}, { operation: operationWith({ method }) })).toMatchObject(passed);
});

test('a login does not need a CSRF token, even with an old cookie', async () => {
  const operation = operationWith({ method: 'POST', csrfExempt: true });
  expect(await callWith({}, { operation })).toMatchObject(passed);
});

test('a cookie with an expired session or an access token does not need a CSRF token', async () => {
  expect((await callWith({}, { session: { expires: START } })).code).toBeNull();
  expect(await callWith({}, { session: { kind: 'token' } })).toMatchObject(passed);
});

test('a cookie for a nonexistent session does not need a CSRF token', async () => {
  const { guard } = createGuard();
  const exchange = exchangeOf(write, cookieOf('ses_garbage'));
  expect(await codeOf(() => checkCsrf(guard, exchange))).toBeNull();
});

test('two CSRF tokens without a session are rejected with a 400, or a 429 above the limit', async () => {
  const { guard } = createGuard();
  const headers = { 'X-CSRF-Token': [CSRF, CSRF] };
  const exchange = exchangeOf(write, { headers });
  await expect(checkCsrf(guard, exchange)).rejects.toMatchObject({
    code: 'bad_request',
    fieldErrors: [{ path: 'X-CSRF-Token', problem: 'repeated_header' }],
  });
  exchange.rate = { limit: 30, remaining: 0, reset: 1, isExceeded: true };
  expect(await codeOf(() => checkCsrf(guard, exchange))).toBe('rate_limited');
  expect(await codeOf(() => checkCsrf(guard, exchangeOf(write)))).toBeNull();
});

describe('two Authorization headers', () => {
  const twice = { Authorization: ['Bearer a', 'Bearer b'] };
  test('two Authorization headers with a session cookie are rejected with a 403', async () => {
    const refused = await callWith({ ...twice, 'X-CSRF-Token': CSRF }, { check: checkOneAuthorization });
    expect([refused.code, refused.isLive]).toEqual(['csrf_detected', false]);
  });

  test('two Authorization headers without a session cookie are rejected with a 400 and counted by address', async () => {
    const { guard, counted } = createGuard({ RATE_LIMIT_PER_SECOND: 1 });
    const refusalOf = () => checkOneAuthorization(guard, exchangeOf(write, { headers: twice }));
    await expect(refusalOf()).rejects.toMatchObject({
      code: 'bad_request',
      fieldErrors: [{ path: 'Authorization', problem: 'repeated_header' }],
    });
    expect(await counted('address:192.0.2.1')).toBe(1);
    await expect(refusalOf()).rejects.toMatchObject({ code: 'rate_limited' });
  });

  test('two Authorization headers are counted in memory on the device API', async () => {
    const { guard, counted } = createGuard();
    const exchange = exchangeOf(operationWith({ auth: 'device', method: 'POST' }), { headers: twice });
    expect(await codeOf(() => checkOneAuthorization(guard, exchange))).toBe('bad_request');
    expect(exchange.rate.remaining).toBe(29);
    expect(await counted('address:192.0.2.1')).toBe(0);
  });

  test('a request with at most one Authorization header passes', async () => {
    const { guard, counted } = createGuard();
    for (const headers of [{ Authorization: 'Bearer a' }, {}])
      expect(await codeOf(() => checkOneAuthorization(guard, exchangeOf(write, { headers })))).toBeNull();
    expect(await counted('address:192.0.2.1')).toBe(0);
  });
});
