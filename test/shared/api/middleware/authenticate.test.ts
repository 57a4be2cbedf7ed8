import { describe, expect, test } from 'vitest';
import type { Exchange } from '#shared/api/http/exchange.ts';
import { authenticate, isValidSession } from '#shared/api/middleware/authenticate.ts';
import type { Guard } from '#shared/api/middleware/guard.ts';
import { hashSecret } from '#shared/auth/tokens.ts';
import type { Account, Session } from '#shared/store/identity/sessions.ts';
import { items } from '#shared/store/table.ts';
import {
  ACCOUNT_KEY,
  bearer,
  codeOf,
  cookieOf,
  createGuard,
  exchangeOf,
  loggedIn,
  logInAs,
  newToken,
  nurse,
  operationWith,
  START,
} from '#test/fixtures/guard.ts';

const OF_ACCOUNT = `account:${ACCOUNT_KEY}`;
const OF_ADDRESS = 'address:192.0.2.1';
const read = operationWith();
const write = operationWith({ method: 'POST' });

/** Authenticates a request, and returns the exchange with the error code that ended it. */
const call = async (guard: Guard, ...request: Parameters<typeof exchangeOf>): Promise<Exchange & { code: unknown }> => {
  const exchange = exchangeOf(...request);
  const code = await codeOf(() => authenticate(guard, exchange));
  return Object.assign(exchange, { code });
};

describe('session validity', () => {
  const isValid = (session: Partial<Session> = {}, account: Partial<Account> = {}, since = 0) =>
    isValidSession(
      { settings: { CREDENTIALS_SINCE: since }, now: () => START },
      { ...loggedIn, ...session },
      { ...nurse, ...account },
    );
  test('a session is invalid if the account may not log in', () => {
    const guard = { settings: { CREDENTIALS_SINCE: 0 }, now: () => START };
    expect(isValidSession(guard, loggedIn, nurse)).toBe(true);
    expect(isValidSession(guard, null, nurse)).toBe(false);
    expect(isValidSession(guard, loggedIn, null)).toBe(false);
    expect(isValidSession(guard, null, null)).toBe(false);
    expect(isValid({}, { canLogin: false })).toBe(false);
  });

  test('a session is not valid for another account', () => {
    expect(isValid({ accountId: 8 })).toBe(false);
    expect(isValid({}, { accountId: 8 })).toBe(false);
  });

  test('a session is valid until it expires, and forever if it has no expiry', () => {
    expect(isValid({ expires: START + 1 })).toBe(true);
    expect(isValid({ expires: START })).toBe(false);
    expect(isValid({ expires: null })).toBe(true);
  });

  test('a session is invalid if it was created before the last recovery', () => {
    expect(isValid({ createDate: START - 5 }, {}, START - 5)).toBe(true);
    expect(isValid({ createDate: START - 5 }, {}, START - 4)).toBe(false);
  });

  test('a password change invalidates sessions, but not access tokens', () => {
    expect(isValid({}, { epoch: 3 })).toBe(false);
    expect(isValid({ kind: 'token' }, { epoch: 3 })).toBe(true);
    expect(isValid({ kind: 'token' }, { epoch: 3, canLogin: false })).toBe(false);
  });

  test('a session for setting up a second factor becomes invalid once one is set up', () => {
    expect(isValid({ mustSetOtp: true })).toBe(true);
    expect(isValid({ mustSetOtp: true }, { hasOtp: true })).toBe(false);
    expect(isValid({}, { hasOtp: true })).toBe(true);
  });
});

describe('callers', () => {
  const callerOf = async (session: Partial<Session> = {}, account: Partial<Account> = {}) => {
    const world = createGuard();
    return (await call(world.guard, read, bearer(await logInAs(world, session, account)))).caller;
  };
  const who = { accountId: 7, customerId: 3, locale: 'de', readOnly: false, mustSetOtp: false, isAdmin: false };
  test("a session gives the caller the account's name, customer and permissions", async () => {
    const { permissions } = nurse;
    expect(await callerOf()).toEqual({ ...who, kind: 'session', name: 'nurse', permissions });
    expect(await callerOf({ name: 'a token' }, { username: null as never })).toMatchObject({ name: null });
    expect(await callerOf({}, { isAdmin: true })).toMatchObject({ isAdmin: true });
    expect(await callerOf({ mustSetOtp: true })).toMatchObject({ mustSetOtp: true });
  });

  test("a caller with an access token is subject to the token's limits", async () => {
    const token = { kind: 'token', name: 'Rota', expires: null } as const;
    const { permissions } = nurse;
    expect(await callerOf(token)).toEqual({ ...who, kind: 'token', name: 'nurse (Rota)', permissions });
    expect(await callerOf({ ...token, permissions: null })).toMatchObject({ permissions });
    expect(await callerOf({ ...token, readOnly: true })).toMatchObject({ readOnly: true });
  });

  test('a limited token grants only permissions that the account still has', async () => {
    const token = { kind: 'token', name: 'Rota', permissions: ['manage_rules', 'manage_users'] } as const;
    const { permissions } = nurse;
    expect(permissions).not.toContain('manage_users');
    expect(await callerOf(token)).toEqual({
      ...who,
      kind: 'token',
      name: 'nurse (Rota)',
      permissions: ['manage_rules'],
    });
  });

  test('a limited token does not make the caller a system admin, even if the user is one', async () => {
    const token = { kind: 'token', permissions: ['manage_users'] } as const;
    const caller = await callerOf(token, { isAdmin: true, permissions: [] });
    expect(caller).toMatchObject({ isAdmin: false, permissions: ['manage_users'] });
  });

  test('a display has no permissions, even if a system admin set it up', async () => {
    const caller = await callerOf({ display: true }, { isAdmin: true });
    expect(caller).toMatchObject({ isDisplay: true, isAdmin: false, permissions: [], customerId: 3 });
  });

  test("`me` in the path means the caller's own user id", async () => {
    const { guard, ...world } = createGuard();
    const token = await logInAs({ guard, ...world });
    const me = await call(guard, read, bearer(token), { path: { userId: 'me', tokenId: 't' } });
    expect([me.locale, me.path]).toEqual(['de', { userId: '7', tokenId: 't' }]);
    const other = await call(guard, read, bearer(token), { path: { userId: '8' } });
    expect(other.path).toEqual({ userId: '8' });
  });
});

test("finds a session by the token's hash", async () => {
  const world = createGuard();
  const token = await logInAs(world);
  const { code, accountKey, sessionHash } = await call(world.guard, read, bearer(token));
  expect([code, accountKey, sessionHash]).toEqual([null, ACCOUNT_KEY, hashSecret(token)]);
});

test('rejects an access token in a cookie', async () => {
  const world = createGuard();
  const session = await logInAs(world);
  expect((await call(world.guard, read, cookieOf(session))).caller).toMatchObject({ accountId: 7 });
  const token = await logInAs(world, { kind: 'token' });
  expect((await call(world.guard, read, cookieOf(token))).code).toBe('credentials_invalid');
  expect((await call(world.guard, read, bearer(token))).code).toBeNull();
});

test('ignores the cookie if there is an Authorization header, even an invalid one', async () => {
  const world = createGuard();
  const headers = { ...cookieOf(await logInAs(world)).headers, Authorization: 'Basic bnVyc2U6eA==' };
  expect((await call(world.guard, read, { headers })).code).toBe('credentials_invalid');
});

test('a missing, malformed, unknown, expired or device token is rejected with a 401', async () => {
  const world = createGuard();
  const expired = await logInAs(world, { expires: START });
  const tokens = ['', 'garbage', newToken('session', ACCOUNT_KEY), newToken('device'), expired];
  for (const token of tokens) {
    const { code, caller } = await call(world.guard, read, bearer(token));
    expect([token, code, caller]).toEqual([token, 'credentials_invalid', null]);
  }
  expect((await call(world.guard, read)).code).toBe('credentials_invalid');
});

test('rejects a session without an account with a 401, or a 429 above the limit', async () => {
  const world = createGuard({ RATE_LIMIT_PER_SECOND: 1 });
  const token = newToken('session', ACCOUNT_KEY);
  await world.table.write({ put: { ...loggedIn, ...items.session({ hash: hashSecret(token) }) } });
  expect((await call(world.guard, read, bearer(token))).code).toBe('credentials_invalid');
  expect((await call(world.guard, read, bearer(token))).code).toBe('rate_limited');
});

test('treats a request without a valid token as anonymous where login is optional', async () => {
  const world = createGuard();
  const optional = operationWith({ auth: 'optional' });
  expect(await call(world.guard, optional, bearer('garbage'))).toMatchObject({ code: null, caller: null });
  const token = await logInAs(world);
  expect((await call(world.guard, optional, bearer(token))).caller).toMatchObject({ accountId: 7 });
});

test('leaves webhook tokens to the handler where login is optional', async () => {
  const { guard } = createGuard();
  const feed = operationWith({ orWebhook: true });
  expect(await call(guard, feed, bearer('whs'))).toMatchObject({ code: null, caller: null });
  const other = operationWith({ orWebhook: undefined });
  expect((await call(guard, other, bearer('whs'))).code).toBe('credentials_invalid');
});

test('ignores a valid token for an operation that is open to anyone', async () => {
  const world = createGuard();
  const anyone = await call(world.guard, operationWith({ auth: 'anyone' }), bearer(await logInAs(world)));
  expect(anyone).toMatchObject({ code: null, caller: null, accountKey: '' });
  expect(await world.counted(OF_ADDRESS)).toBe(1);
});

describe('table outages', () => {
  const down = (fields: object) => {
    const { guard } = createGuard();
    const session = () => Promise.reject(new Error('the table is down'));
    const store = { ...guard.store, sessions: { ...guard.store.sessions, session } };
    return call({ ...guard, store }, operationWith(fields), bearer(newToken('session', ACCOUNT_KEY)));
  };
  test('allows anonymous callers during a table outage only if the operation does not need the table', async () => {
    expect(await down({ auth: 'optional', withoutTable: true })).toMatchObject({ code: null, caller: null });
    await expect(down({ auth: 'optional' })).rejects.toThrow('the table is down');
  });
});

describe('account limits', () => {
  test('counts session reads in memory and session writes in the table', async () => {
    const world = createGuard();
    const token = await logInAs(world);
    const first = await call(world.guard, read, bearer(token));
    expect([first.rate.remaining, await world.counted(OF_ACCOUNT)]).toEqual([29, 0]);
    expect((await call(world.guard, read, bearer(token))).rate.remaining).toBe(28);
    expect((await call(world.guard, write, bearer(token))).rate.remaining).toBe(29);
    expect(await world.counted(OF_ACCOUNT)).toBe(1);
    expect(await world.counted(OF_ADDRESS)).toBe(0);
  });

  test('counts every request with an access token in the table', async () => {
    const world = createGuard();
    const token = await logInAs(world, { kind: 'token' });
    for (const operation of [read, write]) await call(world.guard, operation, bearer(token));
    expect(await world.counted(OF_ACCOUNT)).toBe(2);
  });
});

test('counts a request with a forged token toward the address limit, not the account limit', async () => {
  const world = createGuard();
  await logInAs(world);
  for (const operation of [read, write]) {
    const forged = newToken('session', ACCOUNT_KEY);
    expect((await call(world.guard, operation, bearer(forged))).rate.isExceeded).toBe(false);
  }
  expect(await world.counted(OF_ACCOUNT)).toBe(0);
  expect(await world.counted(OF_ADDRESS)).toBe(2);
  expect(world.guard.rates.count(OF_ACCOUNT, 0, START).calls).toBe(1);
});

test("after a forged token, the account's requests are counted only once they have been verified", async () => {
  const world = createGuard();
  const token = await logInAs(world);
  const counts: number[] = [];
  const { limits } = world.guard.store;
  const countCall: typeof limits.countCall = (subject, time, by) => {
    if (subject === OF_ACCOUNT) counts.push(by ?? 1);
    return limits.countCall(subject, time, by);
  };
  const guard = { ...world.guard, store: { ...world.guard.store, limits: { ...limits, countCall } } };
  await call(guard, write, bearer(newToken('session', ACCOUNT_KEY)));
  expect(counts).toEqual([1, -1]);
  await call(guard, write, bearer(newToken('session', ACCOUNT_KEY)));
  expect(counts).toEqual([1, -1]);
  expect((await call(guard, write, bearer(token))).rate.remaining).toBe(29);
  expect(counts).toEqual([1, -1, 1]);
});

describe('session reads', () => {
  const readsOf = async (fields: object, isToken: boolean, isLagging = false) => {
    const world = createGuard();
    const token = await logInAs(world, isToken ? { kind: 'token' } : {});
    const { sessions } = world.guard.store;
    const reads: unknown[] = [];
    const session: typeof sessions.session = async (hash, mayLag) => {
      reads.push(mayLag);
      return mayLag && isLagging ? null : sessions.session(hash);
    };
    const account: typeof sessions.account = (key, mayLag) => {
      reads.push(mayLag);
      return sessions.account(key);
    };
    const store = { ...world.guard.store, sessions: { ...sessions, session, account } };
    const { caller } = await call({ ...world.guard, store }, operationWith(fields), bearer(token));
    expect(caller).not.toBeNull();
    return reads;
  };
  test('allows stale session reads only for frequent read operations', async () => {
    expect(await readsOf({ isFrequent: true }, false)).toEqual([true, true]);
    expect(await readsOf({ isFrequent: true }, true)).toEqual([false, false]);
    expect(await readsOf({ isFrequent: true, method: 'POST' }, false)).toEqual([false, false]);
    expect(await readsOf({}, false)).toEqual([false, false]);
  });

  test('rereads a session with a consistent read before rejecting it', async () => {
    expect(await readsOf({ isFrequent: true }, false, true)).toEqual([true, true, false, false]);
  });
});

describe('token use', () => {
  const lastUsedAfterCall = async (session: Partial<Session>) => {
    const world = createGuard();
    const token = await logInAs(world, session);
    await call(world.guard, read, bearer(token));
    return (await world.its.sessions.session(hashSecret(token)))?.lastUsed;
  };
  test('records token use at most once a minute', async () => {
    expect(await lastUsedAfterCall({ kind: 'token' })).toBe(START);
    expect(await lastUsedAfterCall({ kind: 'token', lastUsed: START - 60_000 })).toBe(START);
    expect(await lastUsedAfterCall({ kind: 'token', lastUsed: START - 59_999 })).toBe(START - 59_999);
  });

  test('writes token use at most once a minute, and never for a session', async () => {
    const used = async (session: Partial<Session>) => {
      const world = createGuard();
      const token = await logInAs(world, session);
      let uses = 0;
      const recordUse = async () => void uses++;
      const accessTokens = { ...world.guard.store.accessTokens, recordUse };
      await call({ ...world.guard, store: { ...world.guard.store, accessTokens } }, read, bearer(token));
      return uses;
    };
    expect(await used({ kind: 'token', lastUsed: START - 60_000 })).toBe(1);
    expect(await used({ kind: 'token', lastUsed: START - 59_999 })).toBe(0);
    expect(await used({ lastUsed: null })).toBe(0);
  });
});

describe('devices', () => {
  const message = operationWith({ auth: 'device', method: 'POST' });
  const device = { sensorId: 'id_a', customerId: 3, manufacturer: 'maker_a', registeredDate: START };
  const withDevice = async (fields: object = {}, kind: 'device' | 'provisioning' = 'device') => {
    const world = createGuard();
    const token = newToken(kind);
    await world.table.write({ put: { ...device, ...fields, ...items.device({ hash: hashSecret(token) }) } });
    return { world, token };
  };
  test('a device is identified by its token and counted in memory', async () => {
    const { world, token } = await withDevice();
    const { code, rate, ...exchange } = await call(world.guard, message, bearer(token));
    expect([code, exchange.device]).toEqual([null, expect.objectContaining({ sensorId: 'id_a', isBusy: false })]);
    expect(rate).toMatchObject({ limit: 20, remaining: 19 });
    expect(await world.counted(OF_ADDRESS)).toBe(0);
  });

  test('a device with a missing, wrong or unknown token is rejected with a 401', async () => {
    const { world, token } = await withDevice({}, 'provisioning');
    for (const request of [bearer(token), bearer(newToken('device')), {}]) {
      const { code, device } = await call(world.guard, message, request);
      expect([code, device]).toEqual(['credentials_invalid', null]);
    }
  });

  test('a device can use a replaced token only where allowed', async () => {
    const { world, token } = await withDevice({ replacedUntil: START + 1 });
    const refused = await call(world.guard, message, bearer(token));
    expect(refused).toMatchObject({ code: 'credentials_invalid', device: null });
    const allowed = operationWith({ auth: 'device', allowsFormerToken: true });
    expect((await call(world.guard, allowed, bearer(token))).device).toMatchObject({ sensorId: 'id_a' });
    world.clock.time += 1;
    expect((await call(world.guard, allowed, bearer(token))).code).toBe('credentials_invalid');
  });

  test('a device counts as busy starting with the 61st request within a minute', async () => {
    const { world, token } = await withDevice();
    const isBusy: unknown[] = [];
    for (let n = 0; n < 61; n++) isBusy.push((await call(world.guard, message, bearer(token))).device?.isBusy);
    expect(isBusy.indexOf(true)).toBe(60);
  });
});

describe('provisioning keys', () => {
  const register = operationWith({ auth: 'provisioner', method: 'POST' });
  const key = { id: 'key', name: 'k', manufacturer: null, maxDevices: null, createDate: START, expires: null };
  test('a provisioning key is valid until it expires and counts toward the address limit', async () => {
    const world = createGuard();
    await world.its.provisioning.put(hashSecret('a-key'), { ...key, expires: START + 1 });
    expect((await call(world.guard, register, bearer('a-key'))).provisioner).toMatchObject({ id: 'key' });
    expect((await call(world.guard, register, bearer('a-key'))).rate).toMatchObject({ limit: 30, remaining: 28 });
    world.clock.time += 1;
    expect((await call(world.guard, register, bearer('a-key'))).code).toBe('credentials_invalid');
  });

  test('an empty or unknown provisioning key is rejected with a 401', async () => {
    const world = createGuard();
    await world.its.provisioning.put(hashSecret(''), key);
    for (const request of [{}, bearer(''), bearer('another')])
      expect((await call(world.guard, register, request)).code).toBe('credentials_invalid');
  });
});
