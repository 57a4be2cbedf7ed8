import * as z from 'zod';
import { id, toValidText } from '../values.ts';
import { email } from './email.ts';
import { Permission } from './permission.ts';

/**
 * Permissions for users whose `claim` equals `value` or is a list containing it. `claim` is a name, or a dotted path to
 * a nested claim.
 */
const OidcRule = z.strictObject({
  claim: z.string().min(1).max(256),
  value: z.string().min(1).max(256),
  customerId: id.optional(),
  permissions: z.array(Permission).max(32).default([]),
  isAdmin: z.boolean().default(false),
});
export const OidcRules = z.array(OidcRule).max(200);
export type OidcRules = z.output<typeof OidcRules>;
/** Parses the rules in a setting. They were validated when it was set. */
export const parseRules = (text: string): OidcRules => OidcRules.parse(JSON.parse(text));

export type Claims = Readonly<Record<string, unknown>>;
type Access = { customerId: number | null; permissions: Permission[]; isAdmin: boolean };

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;

/** Finds a claim by its full name, which may contain dots (URLs do), or else by its path. */
const claimOf = (claims: Claims, name: string): unknown =>
  fieldOf(claims, name) ?? name.split('.').reduce(fieldOf, claims);

const hasValue = (claim: unknown, value: string): boolean =>
  [claim].flat().some((item) => ['string', 'number', 'boolean'].includes(typeof item) && String(item) === value);

/**
 * Returns the combined permissions from all rules matching the claims. Null if the rules grant neither a customer nor
 * the system admin role, or if they name several customers.
 */
export const accessOf = (claims: Claims, rules: OidcRules): Access | null => {
  const matching = rules.filter(({ claim, value }) => hasValue(claimOf(claims, claim), value));
  const [customerId, ...others] = new Set(matching.flatMap(({ customerId }) => customerId ?? []));
  const isAdmin = matching.some((rule) => rule.isAdmin);
  if (others.length > 0 || (customerId === undefined && !isAdmin)) return null;
  const permissions = [...new Set(matching.flatMap((rule) => rule.permissions))];
  return { customerId: customerId ?? null, permissions, isAdmin };
};

/** Returns a claim as profile text, with forbidden characters removed and truncated to 64 whole characters. */
const textOf = (claim: unknown): string => {
  const text = typeof claim === 'string' ? toValidText(claim).trim() : '';
  return [...text].slice(0, 64).join('').trim();
};

/**
 * Returns the email address if the issuer has verified it, otherwise an empty string. It is never truncated, because a
 * truncated address could belong to someone else.
 */
const verifiedEmail = (claims: Claims): string =>
  claims.email_verified === true ? (email.safeParse(claims.email).data ?? '') : '';

/** Returns the profile for a new user with these claims. */
export const profileOf = (claims: Claims) => ({
  username: textOf(claims.preferred_username) || textOf(claims.email) || textOf(claims.sub) || 'user',
  firstName: textOf(claims.given_name),
  lastName: textOf(claims.family_name),
  email: verifiedEmail(claims),
});
