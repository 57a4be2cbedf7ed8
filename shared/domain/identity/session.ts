import * as z from 'zod';
import { millis } from '../values.ts';

/** How many characters of what a browser says of itself are kept. */
export const USER_AGENT_LENGTH = 256;

/** A session of a user in a list. `address` and `userAgent` are those of the login. */
export const SessionView = z
  .object({
    id: z.string().meta({ format: 'uuid' }),
    createDate: millis,
    expires: millis,
    address: z.string(),
    userAgent: z.string(),
    isCurrent: z.boolean().meta({ description: 'The session of this call' }),
  })
  .meta({ id: 'Session' });
