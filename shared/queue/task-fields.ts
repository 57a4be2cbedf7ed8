import * as z from 'zod';
import { int64, uuid } from '../domain/values.ts';

export const CustomerId = int64.min(0).meta({ description: '0: no customer has linked the sensor' });

/**
 * The ids by which the log lines of a task can be found: `requestId` is the `X-Request-Id` of the API call that caused the
 * task, and `uuid` the UUID of the message. Tasks of the sweep have neither. Both are only for logs, so an invalid one is
 * ignored: it must never send a fall to the quarantine.
 */
export const traceFields = {
  requestId: z
    .string()
    .regex(/^[\w=+/.-]{1,128}$/)
    .optional()
    .catch(undefined),
  uuid: uuid.optional().catch(undefined),
};
