import * as z from 'zod';
import { int64, uuid } from '../domain/values.ts';

export const CustomerId = int64.min(0).meta({ description: '0: no customer has linked the sensor' });

/**
 * The ids by which all log lines of a task can be found: `requestId` is the `X-Request-Id` of the API call that the
 * task follows from, and `uuid` is the UUID of the message that the task is about. Tasks of the sweep
 * have none. Both are only for logs, so an invalid one is ignored: it must never put a fall into quarantine.
 */
export const traced = {
  requestId: z
    .string()
    .regex(/^[\w=+/.-]{1,128}$/)
    .optional()
    .catch(undefined),
  uuid: uuid.optional().catch(undefined),
};
