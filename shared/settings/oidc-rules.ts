import type * as z from 'zod';
import { OidcRules } from '../domain/identity/claims.ts';
import { json } from './kinds.ts';

/** Claim rules. The value stays JSON text, which functions parse with `parseRules` during a login. */
export const oidcRules = (): z.ZodType<string> =>
  json(
    OidcRules.transform((rules) => JSON.stringify(rules)),
    'a JSON array of objects with claim and value, and some of customerId, permissions and isAdmin',
  );
