import { describe, expect, test } from 'vitest';
import { authorise } from '#shared/api/middleware/authorise.ts';
import type { Caller } from '#shared/domain/identity/permission.ts';
import { callerWith, codeOf, exchangeOf, operationWith } from '#test/fixtures/guard.ts';

const SELF = '7';
const OTHER = '8';
/**
 * Returns the refusal code, null if the caller may make the request, or `anonymous` if it is allowed only without
 * logging in.
 */
const refusalOf = async (operation: object, caller: Partial<Caller>, userId?: string) => {
  const path = userId === undefined ? {} : { userId };
  const exchange = exchangeOf(operationWith(operation), {}, { caller: callerWith(caller), path });
  const code = await codeOf(() => authorise(exchange));
  return exchange.caller ? code : 'anonymous';
};

describe('permissions', () => {
  test('a caller with other permissions still needs the required one', async () => {
    const operation = { may: 'manage_rules' };
    expect(await refusalOf(operation, { permissions: ['manage_rules'] })).toBeNull();
    expect(await refusalOf(operation, { permissions: ['manage_bots', 'manage_users'] })).toBe('forbidden');
    expect(await refusalOf(operation, { isAdmin: true })).toBeNull();
  });

  test('one of several allowed permissions is sufficient', async () => {
    const operation = { may: ['manage_rules', 'manage_bots'] };
    expect(await refusalOf(operation, { permissions: ['manage_bots'] })).toBeNull();
    expect(await refusalOf(operation, { permissions: ['manage_users'] })).toBe('forbidden');
    expect(await refusalOf(operation, { permissions: [] })).toBe('forbidden');
  });

  test('a login is sufficient where no permission is required', async () => {
    expect(await refusalOf({ may: 'logged_in' }, {})).toBeNull();
    expect(await refusalOf({ may: 'system_admin' }, { permissions: ['manage_customers'] })).toBe('forbidden');
    expect(await refusalOf({ may: 'system_admin' }, { isAdmin: true })).toBeNull();
  });
});

describe('operations that need a session', () => {
  test('rejects access tokens for operations that require a session', async () => {
    for (const rule of [{ may: 'logged_in' }, { may: 'system_admin' }, { may: 'manage_users', orSelf: true }]) {
      const operation = { auth: 'session', ...rule };
      expect(await refusalOf(operation, { kind: 'token', isAdmin: true }, SELF)).toBe('forbidden');
      expect(await refusalOf(operation, { isAdmin: true }, SELF)).toBeNull();
    }
  });

  test('operations that require a session also check permissions', async () => {
    expect(await refusalOf({ auth: 'session', may: 'manage_rules' }, {})).toBe('forbidden');
  });
});

test('users do not need a permission for their own account', async () => {
  const operation = { may: 'manage_users', orSelf: true };
  expect(await refusalOf(operation, {}, SELF)).toBeNull();
  expect(await refusalOf(operation, { kind: 'token' }, SELF)).toBeNull();
  expect(await refusalOf(operation, {}, OTHER)).toBe('forbidden');
  expect(await refusalOf(operation, {})).toBe('forbidden');
  expect(await refusalOf({ may: 'manage_users' }, {}, SELF)).toBe('forbidden');
});

test("an access token is not enough for sensitive operations on the user's own account", async () => {
  const operation = { may: 'manage_users', orSelf: 'by_session' };
  expect(await refusalOf(operation, {}, SELF)).toBeNull();
  expect(await refusalOf(operation, { kind: 'token' }, SELF)).toBe('forbidden');
  expect(await refusalOf(operation, {}, OTHER)).toBe('forbidden');
  expect(await refusalOf(operation, { kind: 'token', permissions: ['manage_users'] }, SELF)).toBeNull();
});

describe('required second factor setup', () => {
  const caller = { mustSetOtp: true, isAdmin: true };
  test('a caller who must set up a second factor may not do anything else', async () => {
    expect(await refusalOf({}, caller)).toBe('otp_setup_required');
    expect(await refusalOf({ may: 'system_admin' }, caller, SELF)).toBe('otp_setup_required');
    expect(await refusalOf({ may: 'logged_in' }, { mustSetOtp: false })).toBeNull();
  });

  test('a caller who must set up a second factor may not set one up for another user', async () => {
    expect(await refusalOf({ beforeOtp: true }, caller)).toBeNull();
    expect(await refusalOf({ beforeOtp: true }, caller, SELF)).toBeNull();
    expect(await refusalOf({ beforeOtp: true }, caller, OTHER)).toBe('otp_setup_required');
  });

  test('a caller who must set up a second factor is treated as anonymous where login is optional', async () => {
    expect(await refusalOf({ auth: 'optional' }, caller)).toBe('anonymous');
    expect(await refusalOf({ auth: 'optional', beforeOtp: true }, caller)).toBeNull();
    expect(await refusalOf({ auth: 'optional' }, {})).toBeNull();
  });
});

describe('displays', () => {
  const display = { isDisplay: true };
  test('a display may only make requests meant for displays', async () => {
    expect(await refusalOf({ display: true }, display)).toBeNull();
    expect(await refusalOf({}, display)).toBe('forbidden');
    expect(await refusalOf({ display: true, may: 'manage_rules' }, display)).toBe('forbidden');
    expect(await refusalOf({ may: 'logged_in' }, { isDisplay: false })).toBeNull();
  });

  test('a display is treated as anonymous where login is optional', async () => {
    expect(await refusalOf({ auth: 'optional' }, display)).toBe('anonymous');
    expect(await refusalOf({ auth: 'optional', display: true }, display)).toBeNull();
  });
});

test('a read-only token can be used only for reads that change nothing', async () => {
  const token = { kind: 'token', readOnly: true, isAdmin: true } as const;
  expect(await refusalOf({}, token)).toBeNull();
  expect(await refusalOf({ changes: true }, token)).toBe('forbidden');
  for (const method of ['POST', 'PUT', 'DELETE']) expect(await refusalOf({ method }, token)).toBe('forbidden');
  expect(await refusalOf({ method: 'POST' }, { ...token, readOnly: false })).toBeNull();
});

test('operations that do not require a login are open to anyone, logged in or not', async () => {
  for (const auth of ['anyone', 'optional', 'device', 'provisioner'])
    expect(await refusalOf({ auth, may: 'system_admin' }, {})).toBeNull();
  const exchange = exchangeOf(operationWith({ may: 'system_admin' }));
  expect(await codeOf(() => authorise(exchange))).toBeNull();
});
