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

/** Authenticates a call, and returns its exchange with the code of the error that ended it. */
const call = async (guard: Guard, ...request: Parameters<typeof exchangeOf>): Promise<Exchange & { code: unknown }> => {
  const exchange = exchangeOf(...request);
  const code = await codeOf(() => authenticate(guard, exchange));
  return Object.assign(exchange, { code });
};

describe('a session is valid', () => {
  const isValid = (session: Partial<Session> = {}, account: Partial<Account> = {}, since = 0) =>
    isValidSession(
      { settings: { CREDENTIALS_SINCE: since }, now: () => START },
      { ...loggedIn, ...session },
      { ...nurse, ...account },
    );
  test('a session is valid only with an account that may log in', () => {
    const guard = { settings: { CREDENTIALS_SINCE: 0 }, now: () => START };
    expect(isValidSession(guard, loggedIn, nurse)).toBe(true);
    expect(isValidSession(guard, null, nurse)).toBe(false);
    expect(isValidSession(guard, loggedIn, null)).toBe(false);
    expect(isValidSession(guard, null, null)).toBe(false);
    expect(isValid({}, { canLogin: false })).toBe(false);
  });

  test('a session is valid only with the account that it belongs to', () => {
    expect(isValid({ accountId: 8 })).toBe(false);
    expect(isValid({}, { accountId: 8 })).toBe(false);
  });

  test('a session is valid until the millisecond in which it expires, or indefinitely', () => {
    expect(isValid({ expires: START + 1 })).toBe(true);
    expect(isValid({ expires: START })).toBe(false);
    expect(isValid({ expires: null })).toBe(true);
  });

  test('a session is valid only if it was created after the time that a recovery sets', () => {
    expect(isValid({ createDate: START - 5 }, {}, START - 5)).toBe(true);
    expect(isValid({ createDate: START - 5 }, {}, START - 4)).toBe(false);
  });

  test('a session is valid until the password changes, while an access token stays valid', () => {
    expect(isValid({}, { epoch: 3 })).toBe(false);
    expect(isValid({ kind: 'token' }, { epoch: 3 })).toBe(true);
    expect(isValid({ kind: 'token' }, { epoch: 3, canLogin: false })).toBe(false);
  });

  test('a session that lacks a required second factor becomes invalid once the account has one', () => {
    expect(isValid({ mustSetOtp: true })).toBe(true);
    expect(isValid({ mustSetOtp: true }, { hasOtp: true })).toBe(false);
    expect(isValid({}, { hasOtp: true })).toBe(true);
  });
});

describe('the caller', () => {
  const callerOf = async (session: Partial<Session> = {}, account: Partial<Account> = {}) => {
    const world = createGuard();
    return (await call(world.guard, read, bearer(await logInAs(world, session, account)))).caller;
  };
  const who = { accountId: 7, customerId: 3, locale: 'de', readOnly: false, mustSetOtp: false, isAdmin: false };
  test('the caller of a session has the name, the customer and all permissions of the account', async () => {
    const { permissions } = nurse;
    expect(await callerOf()).toEqual({ ...who, kind: 'session', name: 'nurse', permissions });
    expect(await callerOf({ name: 'a token' }, { username: null as never })).toMatchObject({ name: null });
    expect(await callerOf({}, { isAdmin: true })).toMatchObject({ isAdmin: true });
    expect(await callerOf({ mustSetOtp: true })).toMatchObject({ mustSetOtp: true });
  });

  test('the caller of an access token has the limits of the token, and a name that includes the name of the token', async () => {
    const token = { kind: 'token', name: 'Rota', expires: null } as const;
    const { permissions } = nurse;
    expect(await callerOf(token)).toEqual({ ...who, kind: 'token', name: 'nurse (Rota)', permissions });
    expect(await callerOf({ ...token, permissions: null })).toMatchObject({ permissions });
    expect(await callerOf({ ...token, readOnly: true })).toMatchObject({ readOnly: true });
  });

  test('the caller of a limited token has only the permissions of the token that the account still has', async () => {
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

  test('the caller of a limited token is not a system admin, even if its user is one', async () => {
    const token = { kind: 'token', permissions: ['manage_users'] } as const;
    const caller = await callerOf(token, { isAdmin: true, permissions: [] });
    expect(caller).toMatchObject({ isAdmin: false, permissions: ['manage_users'] });
  });

  test('the caller of a display has no permissions, even if a system admin set it up', async () => {
    const caller = await callerOf({ display: true }, { isAdmin: true });
    expect(caller).toMatchObject({ isDisplay: true, isAdmin: false, permissions: [], customerId: 3 });
  });

  test('the caller determines the language of the response, and the user that `me` in the path refers to', async () => {
    const { guard, ...world } = createGuard();
    const token = await logInAs({ guard, ...world });
    const me = await call(guard, read, bearer(token), { path: { userId: 'me', tokenId: 't' } });
    expect([me.locale, me.path]).toEqual(['de', { userId: '7', tokenId: 't' }]);
    const other = await call(guard, read, bearer(token), { path: { userId: '8' } });
    expect(other.path).toEqual({ userId: '8' });
  });
});

test('the token of a call identifies the session by its hash, and contains the key of the account', async () => {
  const world = createGuard();
  const token = await logInAs(world);
  const { code, accountKey, sessionHash } = await call(world.guard, read, bearer(token));
  expect([code, accountKey, sessionHash]).toEqual([null, ACCOUNT_KEY, hashSecret(token)]);
});

test('the token of a call can come from a cookie if it belongs to a session, because an access token has no CSRF token', async () => {
  const world = createGuard();
  const session = await logInAs(world);
  expect((await call(world.guard, read, cookieOf(session))).caller).toMatchObject({ accountId: 7 });
  const token = await logInAs(world, { kind: 'token' });
  expect((await call(world.guard, read, cookieOf(token))).code).toBe('credentials_invalid');
  expect((await call(world.guard, read, bearer(token))).code).toBeNull();
});

test('the token of a call comes from the Authorization header alone if there is one, valid or not', async () => {
  const world = createGuard();
  const headers = { ...cookieOf(await logInAs(world)).headers, Authorization: 'Basic bnVyc2U6eA==' };
  expect((await call(world.guard, read, { headers })).code).toBe('credentials_invalid');
});

test('the token of a call gets 401 if it is missing, malformed, unknown or expired, or belongs to a device', async () => {
  const world = createGuard();
  const expired = await logInAs(world, { expires: START });
  const tokens = ['', 'garbage', newToken('session', ACCOUNT_KEY), newToken('device'), expired];
  for (const token of tokens) {
    const { code, caller } = await call(world.guard, read, bearer(token));
    expect([token, code, caller]).toEqual([token, 'credentials_invalid', null]);
  }
  expect((await call(world.guard, read)).code).toBe('credentials_invalid');
});

test('the token of a call gets 401 for a session without an account, and 429 after the address of the caller has reached its limit', async () => {
  const world = createGuard({ RATE_LIMIT_PER_SECOND: 1 });
  const token = newToken('session', ACCOUNT_KEY);
  await world.table.write({ put: { ...loggedIn, ...items.session({ hash: hashSecret(token) }) } });
  expect((await call(world.guard, read, bearer(token))).code).toBe('credentials_invalid');
  expect((await call(world.guard, read, bearer(token))).code).toBe('rate_limited');
});

test('a call without a valid token is anonymous where a login is optional', async () => {
  const world = createGuard();
  const optional = operationWith({ auth: 'optional' });
  expect(await call(world.guard, optional, bearer('garbage'))).toMatchObject({ code: null, caller: null });
  const token = await logInAs(world);
  expect((await call(world.guard, optional, bearer(token))).caller).toMatchObject({ accountId: 7 });
});

test('a call that needs no login can carry the token of a webhook instead, which the handler checks', async () => {
  const { guard } = createGuard();
  const feed = operationWith({ orWebhook: true });
  expect(await call(guard, feed, bearer('whs'))).toMatchObject({ code: null, caller: null });
  const other = operationWith({ orWebhook: undefined });
  expect((await call(guard, other, bearer('whs'))).code).toBe('credentials_invalid');
});

test('a call that anybody may make has no caller, even with a valid token', async () => {
  const world = createGuard();
  const anyone = await call(world.guard, operationWith({ auth: 'anyone' }), bearer(await logInAs(world)));
  expect(anyone).toMatchObject({ code: null, caller: null, accountKey: '' });
  expect(await world.counted(OF_ADDRESS)).toBe(1);
});

describe('an outage of the table', () => {
  const down = (fields: object) => {
    const { guard } = createGuard();
    const session = () => Promise.reject(new Error('the table is down'));
    const store = { ...guard.store, sessions: { ...guard.store.sessions, session } };
    return call({ ...guard, store }, operationWith(fields), bearer(newToken('session', ACCOUNT_KEY)));
  };
  test('an operation that needs no table has an anonymous caller while the table is unavailable, and all other operations fail', async () => {
    expect(await down({ auth: 'optional', withoutTable: true })).toMatchObject({ code: null, caller: null });
    await expect(down({ auth: 'optional' })).rejects.toThrow('the table is down');
  });
});

describe('a valid call counts against its account:', () => {
  test('a read with a session is counted in memory, a write exactly, and neither counts against the address', async () => {
    const world = createGuard();
    const token = await logInAs(world);
    const first = await call(world.guard, read, bearer(token));
    expect([first.rate.remaining, await world.counted(OF_ACCOUNT)]).toEqual([29, 0]);
    expect((await call(world.guard, read, bearer(token))).rate.remaining).toBe(28);
    expect((await call(world.guard, write, bearer(token))).rate.remaining).toBe(29);
    expect(await world.counted(OF_ACCOUNT)).toBe(1);
    expect(await world.counted(OF_ADDRESS)).toBe(0);
  });

  test('every call with an access token is counted exactly', async () => {
    const world = createGuard();
    const token = await logInAs(world, { kind: 'token' });
    for (const operation of [read, write]) await call(world.guard, operation, bearer(token));
    expect(await world.counted(OF_ACCOUNT)).toBe(2);
  });
});

test('an invalid call counts against its address, and never against its account', async () => {
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

test('an invalid call makes its account a suspect, whose calls are counted only after their token has been verified', async () => {
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

describe('a session is read', () => {
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
  test('a session is read with a lag only for frequent reads with that session', async () => {
    expect(await readsOf({ isFrequent: true }, false)).toEqual([true, true]);
    expect(await readsOf({ isFrequent: true }, true)).toEqual([false, false]);
    expect(await readsOf({ isFrequent: true, method: 'POST' }, false)).toEqual([false, false]);
    expect(await readsOf({}, false)).toEqual([false, false]);
  });

  test('a session is read consistently if it seems invalid, because it may have just started', async () => {
    expect(await readsOf({ isFrequent: true }, false, true)).toEqual([true, true, false, false]);
  });
});

describe('the last use of a token', () => {
  const lastUsedAfterCall = async (session: Partial<Session>) => {
    const world = createGuard();
    const token = await logInAs(world, session);
    await call(world.guard, read, bearer(token));
    return (await world.its.sessions.session(hashSecret(token)))?.lastUsed;
  };
  test('the last use of a token is recorded at most once a minute', async () => {
    expect(await lastUsedAfterCall({ kind: 'token' })).toBe(START);
    expect(await lastUsedAfterCall({ kind: 'token', lastUsed: START - 60_000 })).toBe(START);
    expect(await lastUsedAfterCall({ kind: 'token', lastUsed: START - 59_999 })).toBe(START - 59_999);
  });

  test('recording the last use of a token costs no further write within the same minute, and never a write for a session', async () => {
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

describe('a device', () => {
  const message = operationWith({ auth: 'device', method: 'POST' });
  const device = { sensorId: 'id_a', customerId: 3, manufacturer: 'maker_a', registeredDate: START };
  const withDevice = async (fields: object = {}, kind: 'device' | 'provisioning' = 'device') => {
    const world = createGuard();
    const token = newToken(kind);
    await world.table.write({ put: { ...device, ...fields, ...items.device({ hash: hashSecret(token) }) } });
    return { world, token };
  };
  test('a device is identified by its token, and counted in memory', async () => {
    const { world, token } = await withDevice();
    const { code, rate, ...exchange } = await call(world.guard, message, bearer(token));
    expect([code, exchange.device]).toEqual([null, expect.objectContaining({ sensorId: 'id_a', isBusy: false })]);
    expect(rate).toMatchObject({ limit: 20, remaining: 19 });
    expect(await world.counted(OF_ADDRESS)).toBe(0);
  });

  test('a device gets 401 with a token of another kind, an unknown token or no token', async () => {
    const { world, token } = await withDevice({}, 'provisioning');
    for (const request of [bearer(token), bearer(newToken('device')), {}]) {
      const { code, device } = await call(world.guard, message, request);
      expect([code, device]).toEqual(['credentials_invalid', null]);
    }
  });

  test('a device can use a replaced token only where that is allowed', async () => {
    const { world, token } = await withDevice({ replacedUntil: START + 1 });
    const refused = await call(world.guard, message, bearer(token));
    expect(refused).toMatchObject({ code: 'credentials_invalid', device: null });
    const allowed = operationWith({ auth: 'device', allowsFormerToken: true });
    expect((await call(world.guard, allowed, bearer(token))).device).toMatchObject({ sensorId: 'id_a' });
    world.clock.time += 1;
    expect((await call(world.guard, allowed, bearer(token))).code).toBe('credentials_invalid');
  });

  test('a device counts as busy from its 61st call within a minute', async () => {
    const { world, token } = await withDevice();
    const isBusy: unknown[] = [];
    for (let n = 0; n < 61; n++) isBusy.push((await call(world.guard, message, bearer(token))).device?.isBusy);
    expect(isBusy.indexOf(true)).toBe(60);
  });
});

describe('a provisioning key', () => {
  const register = operationWith({ auth: 'provisioner', method: 'POST' });
  const key = { id: 'key', name: 'k', manufacturer: null, maxDevices: null, createDate: START, expires: null };
  test('a provisioning key is identified by its hash until it expires, and counts against its address', async () => {
    const world = createGuard();
    await world.its.provisioning.put(hashSecret('a-key'), { ...key, expires: START + 1 });
    expect((await call(world.guard, register, bearer('a-key'))).provisioner).toMatchObject({ id: 'key' });
    expect((await call(world.guard, register, bearer('a-key'))).rate).toMatchObject({ limit: 30, remaining: 28 });
    world.clock.time += 1;
    expect((await call(world.guard, register, bearer('a-key'))).code).toBe('credentials_invalid');
  });

  test('a provisioning key gets 401 if it is empty or unknown, whatever is stored', async () => {
    const world = createGuard();
    await world.its.provisioning.put(hashSecret(''), key);
    for (const request of [{}, bearer(''), bearer('another')])
      expect((await call(world.guard, register, request)).code).toBe('credentials_invalid');
  });
});
