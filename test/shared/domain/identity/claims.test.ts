import { expect, test } from 'vitest';
import { accessOf, OidcRules, parseRules, profileOf } from '#shared/domain/identity/claims.ts';
import { User } from '#shared/domain/identity/user.ts';

const rules = OidcRules.parse([
  { claim: 'groups', value: 'nurses', customerId: 1 },
  { claim: 'groups', value: 'leads', customerId: 1, permissions: ['manage_rules', 'manage_users'] },
  { claim: 'realm_access.roles', value: 'leads', permissions: ['manage_rules'] },
  { claim: 'https://example.org/home', value: '2', customerId: 2 },
  { claim: 'it', value: 'true', isAdmin: true },
]);
const access = (customerId: number | null, permissions: string[] = [], isAdmin = false) => ({
  customerId,
  permissions,
  isAdmin,
});

test.each([
  ['a list with the value', { groups: ['nurses', 'x'] }, access(1)],
  ['the value itself', { groups: 'nurses' }, access(1)],
  [
    'several rules, whose rights are combined without duplicates',
    {
      groups: ['nurses', 'leads'],
      realm_access: { roles: ['leads'] },
    },
    access(1, ['manage_rules', 'manage_users']),
  ],
  ['a name with dots, and a number', { 'https://example.org/home': 2 }, access(2)],
  ['a system admin without a customer', { it: true }, access(null, [], true)],
])('accessOf grants access for %s', (_, claims, expected) => expect(accessOf(claims, rules)).toEqual(expected));

test.each([
  ['no claims', {}],
  ['a part of the value, or a longer value', { groups: ['nurse', 'nurses and more', 'Nurses'] }],
  ['rights without a customer', { realm_access: { roles: ['leads'] } }],
  ['two customers', { groups: ['nurses'], 'https://example.org/home': '2' }],
  ['properties that every object has', { groups: { constructor: 'nurses' }, realm_access: [] }],
  ['a string that contains the value', { groups: '["nurses"]' }],
])('accessOf denies access for %s', (_, claims) => expect(accessOf(claims, rules)).toBeNull());

test('profileOf truncates names, strips control characters and ignores unverified email addresses', () => {
  const sub = 's'.repeat(100);
  expect(profileOf({ sub })).toEqual({ username: 's'.repeat(64), firstName: '', lastName: '', email: '' });
  const claims = { sub, email: 'a@example.org', preferred_username: 'an\u0000na', given_name: 'Anna', family_name: 7 };
  expect(profileOf(claims)).toEqual({ username: 'anna', firstName: 'Anna', lastName: '', email: '' });
  expect(profileOf({ ...claims, email_verified: true }).email).toBe('a@example.org');
  expect(profileOf({ ...claims, email_verified: 'true' }).email).toBe('');
});

test.each([
  ['a character at the limit', { preferred_username: `${'a'.repeat(63)}😀b`, given_name: '😀'.repeat(65) }],
  ['a space at the limit', { preferred_username: `${'a'.repeat(63)} b`, family_name: `${'b'.repeat(63)} c` }],
  ['forbidden characters', { preferred_username: 'n\ufffex', given_name: '\ufffe', family_name: '\ud83d' }],
  ['only forbidden characters', { preferred_username: '\uffff', sub: '\u0007' }],
  ['an invalid email address', { email: 'anna', email_verified: true }],
  ['a long email address', { email: `${'a'.repeat(50)}@example.community`, email_verified: true }],
])('profileOf returns a profile the API accepts for claims with %s', (_, claims) => {
  const profile = profileOf({ sub: 'anna', ...claims });
  expect(User.pick({ username: true, firstName: true, lastName: true, email: true }).parse(profile)).toEqual(profile);
  for (const text of Object.values(profile)) expect(text).toBe(text.trim());
});

test("profileOf drops a long email address instead of truncating it to someone else's", () => {
  const email = `${'a'.repeat(52)}@example.community`;
  expect(profileOf({ sub: 's', email, email_verified: true }).email).toBe(email);
  expect(profileOf({ sub: 's', email: `${'a'.repeat(260)}@example.org`, email_verified: true }).email).toBe('');
});

test('an OIDC rule grants nothing by default and rejects unknown fields', () => {
  const rule = { claim: 'c'.repeat(256), value: 'v'.repeat(256) };
  expect(parseRules(JSON.stringify([rule]))).toEqual([{ ...rule, permissions: [], isAdmin: false }]);
  expect(OidcRules.safeParse(Array(200).fill(rule)).success).toBe(true);
  for (const rules of [
    Array(201).fill(rule),
    [{ ...rule, admin: true }],
    [{ ...rule, claim: '' }],
    [{ ...rule, value: '' }],
    [{ ...rule, claim: `c${rule.claim}` }],
    [{ ...rule, value: `v${rule.value}` }],
    [{ ...rule, customerId: 0 }],
  ])
    expect(OidcRules.safeParse(rules).success).toBe(false);
});

test('claims that are objects, lists or null are ignored', () => {
  const any = (claim: unknown, value: string) =>
    accessOf({ c: claim }, OidcRules.parse([{ claim: 'c', value, customerId: 1 }]));
  expect([any({}, '[object Object]'), any(null, 'null'), any(undefined, 'undefined'), any([[['a']]], 'a')]).toEqual([
    null,
    null,
    null,
    null,
  ]);
  expect([any(false, 'false'), any(['a', 7], '7')].map((access) => access?.customerId)).toEqual([1, 1]);
});

test('the username comes from the first suitable claim', () => {
  const all = { preferred_username: 'p', email: 'e@example.org', sub: 's' };
  expect(profileOf(all).username).toBe('p');
  expect(profileOf({ ...all, preferred_username: ' ' }).username).toBe('e@example.org');
  expect(profileOf({ ...all, preferred_username: 7, email: null }).username).toBe('s');
  expect(profileOf({}).username).toBe('user');
  expect(profileOf({ ...all, family_name: '  Meier ' }).lastName).toBe('Meier');
});

test('a nested claim path does not reach into strings or null', () => {
  const by = (claim: string, value: string, claims: object) =>
    accessOf(claims as Record<string, unknown>, OidcRules.parse([{ claim, value, customerId: 1 }]))?.customerId ?? null;
  expect(by('a.b', 'x', { a: { b: ['x'] } })).toBe(1);
  expect([by('a.length', '2', { a: 'xy' }), by('a.b.c', 'x', { a: { b: null } })]).toEqual([null, null]);
});

test('names are trimmed before truncation', () => {
  expect(profileOf({ given_name: `   ${'a'.repeat(64)}b` }).firstName).toBe('a'.repeat(64));
});
