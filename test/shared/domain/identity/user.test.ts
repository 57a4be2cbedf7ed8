import { describe, expect, test } from 'vitest';
import { NewAccessToken, PREFIX_LENGTH } from '#shared/domain/identity/access-token.ts';
import { OidcRules } from '#shared/domain/identity/claims.ts';
import { isOutdated } from '#shared/domain/identity/credential.ts';
import { CustomerUpdate } from '#shared/domain/identity/customer.ts';
import { email } from '#shared/domain/identity/email.ts';
import { bestLocale } from '#shared/domain/identity/language.ts';
import {
  isAppCode,
  normalizedOtp,
  OtpCode,
  OtpRemoval,
  RECOVERY_BYTES,
  RecoveryCodes,
  recoveryCodes,
} from '#shared/domain/identity/otp.ts';
import {
  type Caller,
  hasPermission,
  mayChangeCredentials,
  mayChangeRights,
  Permission,
} from '#shared/domain/identity/permission.ts';
import { DISPLAY_SECONDS, extendedExpiry, SESSION_SECONDS } from '#shared/domain/identity/session-life.ts';
import {
  Login,
  mailboxOf,
  NewUser,
  PasswordChange,
  PasswordReset,
  UserAccess,
  UserUpdate,
} from '#shared/domain/identity/user.ts';
import { usernameKey } from '#shared/domain/identity/username.ts';

const now = 1_800_000_000_000;
const permissions = (count: number) =>
  Array.from({ length: count }, (_, at) => Permission.options[at % Permission.options.length]);
const person = { username: 'night', firstName: '', lastName: '', email: '' };

describe('permissions', () => {
  const rule = { claim: 'groups', value: 'nurses' };
  test.each<[string, (list: unknown) => boolean]>([
    ['creating a user', (list) => NewUser.safeParse({ ...person, permissions: list }).success],
    ['changing a user', (list) => UserAccess.safeParse({ canLogin: true, permissions: list }).success],
    ['creating an access token', (list) => NewAccessToken.safeParse({ name: 'n', permissions: list }).success],
    ['creating an OIDC rule', (list) => OidcRules.safeParse([{ ...rule, permissions: list }]).success],
  ])('requests accept at most 32 known permissions: %s', (_, accepts) => {
    expect([accepts(permissions(32)), accepts(permissions(33)), accepts(['manage_everything'])]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test('permission names never change', () => {
    expect(Permission.options).toEqual([
      'manage_users',
      'manage_customers',
      'manage_bots',
      'manage_sensors',
      'edit_sensor_room',
      'edit_sensor_config',
      'manage_rules',
    ]);
  });

  test('permissions do not imply each other, but a system admin has them all', () => {
    for (const one of Permission.options)
      expect(
        Permission.options.filter((other) => hasPermission({ isAdmin: false, permissions: [one] }, other)),
      ).toEqual([one]);
    expect(Permission.options.every((one) => hasPermission({ isAdmin: true, permissions: [] }, one))).toBe(true);
  });
});

describe('user credentials', () => {
  const caller = (more: Partial<Caller> = {}): Caller => ({
    accountId: 1,
    customerId: 1,
    isAdmin: false,
    permissions: ['manage_users'],
    name: null,
    locale: 'en',
    kind: 'session',
    readOnly: false,
    ...more,
  });
  const user = (id: number, more: Partial<{ isAdmin: boolean; permissions: Permission[] }> = {}) => ({
    id,
    isAdmin: false,
    permissions: [],
    ...more,
  });

  test("credentials can be changed by the user, system admins or callers with all of the user's permissions", () => {
    const stronger = user(2, { permissions: ['manage_users', 'manage_bots'] });
    expect(mayChangeCredentials(caller(), user(2, { permissions: ['manage_users'] }))).toBe(true);
    expect(mayChangeCredentials(caller(), stronger)).toBe(false);
    expect(mayChangeCredentials(caller(), user(2, { isAdmin: true }))).toBe(false);
    expect(mayChangeCredentials(caller(), { ...stronger, id: 1 })).toBe(true);
    expect(mayChangeCredentials(caller({ isAdmin: true, permissions: [] }), user(2, { isAdmin: true }))).toBe(true);
  });

  test("a restricted token cannot change the user's credentials", () => {
    const own = user(1, { permissions: ['manage_bots'] });
    expect([mayChangeRights(caller(), own), mayChangeRights(caller({ kind: 'token' }), own)]).toEqual([true, false]);
    expect(mayChangeRights(caller({ kind: 'token', permissions: ['manage_bots'] }), own)).toBe(true);
    expect(mayChangeRights(caller({ kind: 'token' }), user(0, { permissions: ['manage_bots'] }))).toBe(true);
  });
});

test('a new user can log in by default, with no permissions and the default locale', () => {
  expect(NewUser.parse(person)).toEqual({
    ...person,
    invite: false,
    locale: 'en',
    telegramId: null,
    mobileNumber: null,
    canLogin: true,
    permissions: [],
  });
  for (const more of [
    { username: '' },
    { username: 'u'.repeat(65) },
    { firstName: 'f'.repeat(65) },
    { lastName: 'l'.repeat(65) },
    { telegramId: '' },
  ])
    expect(NewUser.safeParse({ ...person, ...more }).success).toBe(false);
  expect(NewUser.safeParse({ ...person, username: 'u'.repeat(64), firstName: 'f'.repeat(64) }).success).toBe(true);
});

test.each([
  ['ü'.repeat(5), null],
  ['x'.repeat(9), 'password_length'],
  ['x'.repeat(1_024), null],
  ['x'.repeat(1_025), 'password_length'],
  [`${'x'.repeat(10)}\u0000`, 'text_characters'],
  ['\u0000', 'text_characters'],
])('a password must have 10 to 1,024 bytes and no forbidden characters: %j', (newPassword, key) => {
  const { error } = PasswordChange.safeParse({ newPassword });
  expect(error?.issues ?? []).toMatchObject(key ? [{ code: 'custom', params: { key } }] : []);
});

test('usernameKey ignores case and Unicode variants, so lookalikes cannot be registered', () => {
  expect(usernameKey('Ａnna')).toBe(usernameKey('anna'));
  expect(usernameKey('anna')).not.toBe(usernameKey('annä'));
  expect(usernameKey('anna')).toMatch(/^[\w-]{43}$/);
  expect(usernameKey('stra\u00dfe')).not.toBe(usernameKey('strasse'));
});

test.each([
  ['', true],
  ['a@b.example', true],
  ['a.b@c.d.example', true],
  ['büro@bücher.example', true],
  ['a@b', false],
  ['a@@b.example', false],
  ['a@b.example ', false],
  ['.a@b.example', false],
  ['a@-b.example', false],
  ['a@b.12', false],
  [`${'a'.repeat(242)}@b.example`, true],
  [`${'a'.repeat(244)}@b.example`, true],
  [`${'a'.repeat(245)}@b.example`, false],
])('email address %j is valid: %j', (address, expected) => {
  expect(email.safeParse(address).success).toBe(expected);
});

test('reset codes go to the old address for a while after an address change', () => {
  expect(mailboxOf({ email: 'new' }, now)).toBe('new');
  expect(mailboxOf({ email: 'new', resetTo: null }, now)).toBe('new');
  expect(mailboxOf({ email: 'new', resetTo: { email: 'old', until: now + 1 } }, now)).toBe('old');
  expect(mailboxOf({ email: 'new', resetTo: { email: 'old', until: now } }, now)).toBe('new');
});

test.each([
  [undefined, 'en'],
  ['', 'en'],
  ['de', 'de'],
  ['de-AT,en;q=0.8', 'de'],
  ['en;q=0.5, DE;q=0.6', 'de'],
  ['fr, de;q=0.1', 'de'],
  ['fr', 'en'],
  ['*', 'en'],
  ['*, de;q=0.5', 'en'],
  ['de;q=0, en;q=0.1', 'en'],
  ['de;q=0', 'en'],
  ['en;q=0.3, de; q=0.4', 'de'],
  [`${' '.repeat(1_022)}de`, 'de'],
  [`${' '.repeat(1_023)}de`, 'en'],
  ['en;q=0.5, de;xq=0', 'de'],
  ['en;q=0.5, de;q=0.1x', 'de'],
  ['de; q=0.2, en;q=0.3', 'en'],
  ['de;q=0.2 ;x, en;q=0.3', 'en'],
  ['de;x;q=0.2, en;q=0.3', 'en'],
  ['en;q=1.5, de', 'en'],
])('Accept-Language %j selects the language %s', (header, language) => {
  expect(bestLocale(header)).toBe(language);
});

describe('second factors', () => {
  test('recoveryCodes returns ten 16-character codes in groups of four', () => {
    const codes = recoveryCodes(Uint8Array.from({ length: RECOVERY_BYTES }, (_, at) => at));
    expect(codes).toHaveLength(10);
    expect([codes[0], codes[1]]).toEqual(['2345-6789-ABCD-EFGH', 'JKLM-NPQR-STUV-WXYZ']);
    expect(new Set(codes).size).toBeGreaterThan(1);
    for (const code of codes) expect(code).toMatch(/^([2-9A-HJ-NP-Z]{4}-){3}[2-9A-HJ-NP-Z]{4}$/);
  });

  test('code comparison ignores case, spaces and hyphens', () => {
    expect(normalizedOtp(' 12 34-56\n')).toBe('123456');
    expect(normalizedOtp('abcd-EFGH')).toBe('ABCDEFGH');
    expect(['123456', '12345', '1234567', '12345a'].map(isAppCode)).toEqual([true, false, false, false]);
  });
});

describe('sessions', () => {
  test('a display session is extended hourly to a day after last use, up to 90 days', () => {
    const hour = 3_600_000;
    const expiry = (expires: number, createDate = now - hour) => extendedExpiry({ createDate, expires }, now);
    expect(expiry(now + 23 * hour)).toBe(now + 24 * hour);
    expect(expiry(now + 23 * hour + 1)).toBeNull();
    expect(expiry(now, now - DISPLAY_SECONDS * 1_000 + 2 * hour)).toBe(now + 2 * hour);
    expect([SESSION_SECONDS, DISPLAY_SECONDS]).toEqual([86_400, 90 * 86_400]);
  });

  test('isOutdated is true for a session created before the cutoff', () => {
    expect([isOutdated({ createDate: 4 }, 5), isOutdated({ createDate: 5 }, 5)]).toEqual([true, false]);
  });
});

describe('login input', () => {
  const accepts = (
    schema: { safeParse: (body: object) => { success: boolean } },
    body: object,
    field: string,
    most: number,
  ) => [most, most + 1].map((length) => schema.safeParse({ ...body, [field]: 'x'.repeat(length) }).success);
  test('login input is limited in length because it is hashed', () => {
    const login = { username: 'u', password: 'p' };
    expect(accepts(Login, login, 'username', 1_024)).toEqual([true, false]);
    expect(accepts(Login, login, 'password', 4_096)).toEqual([true, false]);
    expect(accepts(Login, login, 'otp', 64)).toEqual([true, false]);
    expect([OtpCode.safeParse('x'.repeat(64)).success, OtpCode.safeParse('x'.repeat(65)).success]).toEqual([
      true,
      false,
    ]);
    expect(accepts(OtpRemoval, {}, 'password', 4_096)).toEqual([true, false]);
    expect(accepts(PasswordChange, { newPassword: 'seven rivers' }, 'currentPassword', 4_096)).toEqual([true, false]);
    expect(accepts(PasswordReset, { newPassword: 'seven rivers' }, 'code', 1_024)).toEqual([true, false]);
    const profile = { ...person, locale: 'en', telegramId: null, mobileNumber: null };
    expect(accepts(UserUpdate, profile, 'currentPassword', 4_096)).toEqual([true, false]);
    expect(Login.safeParse({ ...login, id: null, otp: null, display: true }).success).toBe(true);
  });

  test('a login requires a username and a password, and a password reset requires a code', () => {
    for (const body of [{ username: 'u' }, { password: 'p' }, {}]) expect(Login.safeParse(body).success).toBe(false);
    expect(PasswordReset.safeParse({ newPassword: 'seven rivers' }).success).toBe(false);
  });

  test('profile fields have at most 64 characters', () => {
    for (const field of ['username', 'firstName', 'lastName', 'telegramId', 'mobileNumber'])
      expect([field, ...accepts(NewUser, person, field, 64)]).toEqual([field, true, false]);
    expect(NewUser.safeParse({ ...person, mobileNumber: '' }).success).toBe(false);
  });
});

test('RecoveryCodes requires exactly ten codes', () => {
  const codes = (count: number) => RecoveryCodes.safeParse({ recoveryCodes: Array(count).fill('c') }).success;
  expect([codes(9), codes(10), codes(11)]).toEqual([false, true, false]);
});

test('a customer needs a name, but not a time zone or second factor settings', () => {
  const body = { name: 'n', location: '', email: '' };
  expect(CustomerUpdate.parse(body)).toEqual(body);
  expect(CustomerUpdate.safeParse({ ...body, name: 'n'.repeat(128), location: 'l'.repeat(256) }).success).toBe(true);
  for (const more of [{ name: '' }, { name: 'n'.repeat(129) }, { location: 'l'.repeat(257) }, { timeZone: 'Nowhere' }])
    expect(CustomerUpdate.safeParse({ ...body, ...more }).success).toBe(false);
});

test("an access token never expires by default and has all of the user's permissions", () => {
  const token = { name: 'n', permissions: null, readOnly: false, expiresAt: null };
  expect(NewAccessToken.parse({ name: 'n' })).toEqual(token);
  expect(PREFIX_LENGTH).toBe(12);
  expect([1, 64, 65, 0].map((length) => NewAccessToken.safeParse({ name: 'n'.repeat(length) }).success)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
