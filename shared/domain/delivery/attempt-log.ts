import * as z from 'zod';
import { int64, millis } from '../values.ts';

const phase = int64.nullable();

/**
 * One attempt in the delivery log. Exactly one of `status` and `error` is null; both, where a person's channel took it, for
 * that has no status.
 */
export const AttemptLog = z
  .object({
    number: int64,
    startDate: millis,
    durationMs: int64,
    status: int64.nullable(),
    error: z.string().nullable().meta({ description: 'a stable word for why there was no status, such as timeout' }),
    responseBody: z.string().meta({ description: 'the first 4 KiB of the answer' }),
    timings: z
      .object({ dns: phase, connect: phase, tls: phase, firstByte: phase })
      .meta({ description: 'ms of each phase; null where it did not take place' }),
  })
  .meta({ id: 'AttemptLog' });
export type AttemptLog = z.output<typeof AttemptLog>;
