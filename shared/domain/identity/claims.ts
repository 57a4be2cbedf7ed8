import * as z from 'zod';
import { id } from '../values.ts';
import { email } from './email.ts';
import { Permission } from './permission.ts';

/**
 * What users with a claim of the issuer may do: those whose claim is `value`, or a list with it. `claim` is a name, or
 * names with dots between them for claims inside of claims.
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
/** Reads the rules of a setting, which was checked where it was set. */
export const readRules = (text: string): OidcRules => OidcRules.parse(JSON.parse(text));

export type Claims = Readonly<Record<string, unknown>>;
type Access = { customerId: number | null; permissions: Permission[]; isAdmin: boolean };

const inside = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;

/** Finds a claim by its name, which may have dots itself, as addresses have; otherwise claim by claim. */
const claimOf = (claims: Claims, name: string): unknown =>
  inside(claims, name) ?? name.split('.').reduce(inside, claims);

const hasValue = (claim: unknown, value: string): boolean =>
  [claim].flat().some((entry) => ['string', 'number', 'boolean'].includes(typeof entry) && String(entry) === value);

/**
 * Gives what somebody with these claims may do: all that the rules give whose claims fit. It is null if that is nothing,
 * neither a customer nor the role of a system admin, or if the rules name several customers.
 */
export const accessOf = (claims: Claims, rules: OidcRules): Access | null => {
  const fitting = rules.filter(({ claim, value }) => hasValue(claimOf(claims, claim), value));
  const [customerId, ...others] = new Set(fitting.flatMap(({ customerId }) => customerId ?? []));
  const isAdmin = fitting.some((rule) => rule.isAdmin);
  if (others.length > 0 || (customerId === undefined && !isAdmin)) return null;
  const permissions = [...new Set(fitting.flatMap((rule) => rule.permissions))];
  return { customerId: customerId ?? null, permissions, isAdmin };
};

/** Gives what fits into a text of a profile: a cut amid a character, or one that no text may have, fits nowhere. */
const textOf = (claim: unknown): string => {
  const text = typeof claim === 'string' ? claim.replaceAll(/[\p{Cc}\p{Cs}\ufffe\uffff]/gu, '').trim() : '';
  return [...text].slice(0, 64).join('').trim();
};

/** Gives the address that an issuer has verified, whole: a part of it would be the address of somebody else. */
const addressIn = (claims: Claims): string =>
  claims.email_verified === true ? (email.safeParse(claims.email).data ?? '') : '';

/** Gives the profile of a new user with these claims. An e-mail address counts only if the issuer has verified it. */
export const profileOf = (claims: Claims) => ({
  username: textOf(claims.preferred_username) || textOf(claims.email) || textOf(claims.sub) || 'user',
  firstName: textOf(claims.given_name),
  lastName: textOf(claims.family_name),
  email: addressIn(claims),
});
