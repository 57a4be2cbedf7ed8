import { expect, test } from 'vitest';
import { authenticate } from '#shared/api/middleware/authenticate.ts';
import { hashSecret } from '#shared/auth/tokens.ts';
import type { Session } from '#shared/store/identity/sessions.ts';
import { bearer, cookieOf, createGuard, exchangeOf, logInAs, operationWith, START } from '#test/fixtures/guard.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
const station = operationWith({ display: true });
const onWall = { display: true, createDate: START - DAY, expires: START + DAY - HOUR } as const;

const use = async (
  session: Partial<Session>,
  { operation = station, request = cookieOf as typeof bearer | typeof cookieOf, renews = true } = {},
) => {
  const world = createGuard();
  const token = await logInAs(world, { ...onWall, ...session });
  const exchange = exchangeOf(operation, request(token));
  const { sessions } = world.guard.store;
  const store = renews
    ? world.guard.store
    : { ...world.guard.store, sessions: { ...sessions, renew: async () => false } };
  await authenticate({ ...world.guard, store }, exchange);
  const expires = (await world.its.sessions.session(hashSecret(token)))?.expires;
  return { token, expires, cookies: exchange.cookies };
};

test('a display session and its cookies are extended to one day after last use', async () => {
  const { token, expires, cookies } = await use({});
  expect(expires).toBe(START + DAY);
  expect(cookies).toHaveLength(3);
  expect(cookies[0]).toMatch(`PSAUTHTOKEN=${token}; Path=/; Max-Age=86400;`);
  expect(cookies[1]).toMatch('PSUSERID=7;');
  expect(cookies[2]).toMatch('PSCSRF=the-csrf-token;');
});

test('a display session does not get new cookies if its token was sent in a header', async () => {
  expect(await use({}, { request: bearer })).toMatchObject({ expires: START + DAY, cookies: [] });
});

test('a display session is extended at most once an hour', async () => {
  const expires = START + DAY - HOUR + 1;
  expect(await use({ expires })).toMatchObject({ expires, cookies: [] });
});

test('a display session lasts at most 90 days', async () => {
  const createDate = START - 90 * DAY + HOUR;
  expect((await use({ createDate, expires: START + 1 })).expires).toBe(START + 1);
});

test('a display session does not get new cookies if it was ended or extended concurrently', async () => {
  expect((await use({}, { renews: false })).cookies).toEqual([]);
});

test('a display session is extended only by display requests, and only if it can expire', async () => {
  const { expires } = onWall;
  expect(await use({}, { operation: operationWith() })).toMatchObject({ expires, cookies: [] });
  expect(await use({ expires: null })).toMatchObject({ expires: null, cookies: [] });
});

test("a person's session is not extended by use", async () => {
  const { expires } = onWall;
  const person = { display: undefined, expires };
  expect(await use(person as never)).toMatchObject({ expires, cookies: [] });
});
