import * as z from 'zod';
import { Permission } from './permission.ts';
import { millis, text } from './values.ts';

/** As many as a user can have at a time. */
export const ACCESS_TOKENS_MAXIMUM = 20;
/** Characters of a token that are kept to know it again. */
export const PREFIX_LENGTH = 12;

/** The body of POST /users/{userId}/access-tokens. */
export const NewAccessToken = z
  .object({
    name: text(1, 64),
    permissions: z.array(Permission).max(32).nullable().default(null),
    readOnly: z.boolean().default(false),
    expiresAt: millis.nullable().default(null),
  })
  .meta({ id: 'NewAccessToken', examples: [{ name: 'Dashboard', permissions: [], readOnly: true, expiresAt: null }] });

/** An access token as a list shows it. `permissions` null: all that its user may do. */
export const AccessToken = z
  .object({
    id: z.string().meta({ format: 'uuid' }),
    name: z.string(),
    prefix: z.string(),
    createDate: millis,
    lastUsed: millis.nullable(),
    expiresAt: millis.nullable(),
    permissions: z.array(Permission).nullable(),
    readOnly: z.boolean(),
  })
  .meta({ id: 'AccessToken' });
export type AccessToken = z.infer<typeof AccessToken>;
