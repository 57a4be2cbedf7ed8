import * as z from 'zod';
import { millis, text } from '../values.ts';
import { Permission } from './permission.ts';

/** The number of token characters stored so that users can recognize the token. */
export const PREFIX_LENGTH = 12;

/** The body of POST /users/{userId}/access-tokens. */
export const NewAccessToken = z
  .object({
    name: text(1, 64),
    permissions: z.array(Permission).max(32).nullable().default(null),
    readOnly: z.boolean().default(false),
    expiresAt: millis.nullable().default(null),
  })
  .meta({
    id: 'AccessTokenCreation',
    examples: [{ name: 'Dashboard', permissions: [], readOnly: true, expiresAt: null }],
  });

/** An access token in a list. If `permissions` is null, the token has all of the user's permissions. */
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
