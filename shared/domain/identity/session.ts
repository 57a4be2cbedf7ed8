import * as z from 'zod';
import { millis } from '../values.ts';

/** How many characters of the `User-Agent` header are stored. */
export const USER_AGENT_LENGTH = 256;

/** A user session in a list. `address` and `userAgent` come from the login. */
export const SessionView = z
  .object({
    id: z.string().meta({ format: 'uuid' }),
    createDate: millis,
    expires: millis,
    address: z.string(),
    userAgent: z.string(),
    display: z.boolean().meta({ description: "A wall display's session, which expires a day after the last use" }),
    isCurrent: z.boolean().meta({ description: 'The session that makes this request' }),
  })
  .meta({ id: 'Session' });
