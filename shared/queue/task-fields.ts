import * as z from 'zod';
import { int64, uuid } from '../domain/values.ts';

export const CustomerId = int64.min(0).meta({ description: '0: no customer has linked the sensor' });

/**
 * The ids used to find a task's log lines. `requestId` is the `X-Request-Id` of the API request that caused the task,
 * and `uuid` the message UUID. Sweep tasks have neither. Both are only for logs, so an invalid one is ignored, and must
 * never cause a fall to be quarantined.
 */
export const traceFields = {
  requestId: z
    .string()
    .regex(/^[\w=+/.-]{1,128}$/)
    .optional()
    .catch(undefined),
  uuid: uuid.optional().catch(undefined),
};
