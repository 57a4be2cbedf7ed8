import { expect, test } from 'vitest';
import { accessOf, OidcRules, profileOf } from '#shared/domain/identity/claims.ts';
import { User } from '#shared/domain/identity/user.ts';

const rules = OidcRules.parse([
  { claim: 'groups', value: 'nurses', customerId: 1 },
  { claim: 'groups', value: 'leads', customerId: 1, permissions: ['manage_rules', 'manage_users'] },
  { claim: 'realm_access.roles', value: 'leads', permissions: ['manage_rules'] },
  { claim: 'https://example.org/home', value: '2', customerId: 2 },
  { claim: 'it', value: 'true', isAdmin: true },
]);
const of = (customerId: number | null, permissions: string[] = [], isAdmin = false) => ({
  customerId,
  permissions,
  isAdmin,
});

test.each([
  ['a list with the value', { groups: ['nurses', 'x'] }, of(1)],
  ['the value alone', { groups: 'nurses' }, of(1)],
  [
    'several rules, whose rights add up, each once',
    {
      groups: ['nurses', 'leads'],
      realm_access: { roles: ['leads'] },
    },
    of(1, ['manage_rules', 'manage_users']),
  ],
  ['a name with dots, and a number', { 'https://example.org/home': 2 }, of(2)],
  ['a system admin of no customer', { it: true }, of(null, [], true)],
])('%s', (_, claims, access) => expect(accessOf(claims, rules)).toEqual(access));

test.each([
  ['none at all', {}],
  ['a part of the value, or more than it', { groups: ['nurse', 'nurses and more', 'Nurses'] }],
  ['rights without a customer', { realm_access: { roles: ['leads'] } }],
  ['two customers', { groups: ['nurses'], 'https://example.org/home': '2' }],
  ['what every object has', { groups: { constructor: 'nurses' }, realm_access: [] }],
  ['a text around it', { groups: '["nurses"]' }],
])('nobody gets in by %s', (_, claims) => expect(accessOf(claims, rules)).toBeNull());

test('names are cut, without control characters; an address counts only if it was verified', () => {
  const sub = 's'.repeat(100);
  expect(profileOf({ sub })).toEqual({ username: 's'.repeat(64), firstName: '', lastName: '', email: '' });
  const claims = { sub, email: 'a@example.org', preferred_username: 'an\u0000na', given_name: 'Anna', family_name: 7 };
  expect(profileOf(claims)).toEqual({ username: 'anna', firstName: 'Anna', lastName: '', email: '' });
  expect(profileOf({ ...claims, email_verified: true }).email).toBe('a@example.org');
  expect(profileOf({ ...claims, email_verified: 'true' }).email).toBe('');
});

test.each([
  ['a character that does not fit whole', { preferred_username: `${'a'.repeat(63)}😀b`, given_name: '😀'.repeat(65) }],
  ['a space where they are cut', { preferred_username: `${'a'.repeat(63)} b`, family_name: `${'b'.repeat(63)} c` }],
  ['characters that no text may have', { preferred_username: 'n\ufffex', given_name: '\ufffe', family_name: '\ud83d' }],
  ['no character that a name may have', { preferred_username: '\uffff', sub: '\u0007' }],
  ['an address that is none', { email: 'anna', email_verified: true }],
  ['a long address', { email: `${'a'.repeat(50)}@example.community`, email_verified: true }],
])('whatever the claims are, the profile is one that the API can answer: %s', (_, claims) => {
  const profile = profileOf({ sub: 'anna', ...claims });
  expect(User.pick({ username: true, firstName: true, lastName: true, email: true }).parse(profile)).toEqual(profile);
  for (const text of Object.values(profile)) expect(text).toBe(text.trim());
});

test('an address is kept whole or not at all: a part of it is the address of somebody else', () => {
  const email = `${'a'.repeat(52)}@example.community`;
  expect(profileOf({ sub: 's', email, email_verified: true }).email).toBe(email);
  expect(profileOf({ sub: 's', email: `${'a'.repeat(260)}@example.org`, email_verified: true }).email).toBe('');
});
