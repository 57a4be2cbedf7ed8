import * as z from 'zod';
import { int64, millis } from '../values.ts';

const phase = int64.nullable();

/**
 * One attempt in the delivery log. At least one of `status` and `error` is null. Both are null if a person's channel
 * accepted the message, because channels have no status.
 */
export const AttemptLog = z
  .object({
    number: int64,
    startDate: millis,
    durationMs: int64,
    status: int64.nullable(),
    error: z.string().nullable().meta({ description: 'why there is no status, as a stable code such as timeout' }),
    responseBody: z.string().meta({
      description:
        'the first 4 KiB of the response; with protocol_error, the first 200 bytes received instead; with ' +
        'tls_failed, the OpenSSL code, such as DEPTH_ZERO_SELF_SIGNED_CERT; for an email, the mail server response ' +
        'if the email was not accepted; for an undeliverable message, the reason reported by the mail or SMS service',
    }),
    timings: z
      .object({ dns: phase, connect: phase, tls: phase, firstByte: phase })
      .meta({ description: 'duration of each phase in ms; null if the phase did not take place' }),
    outbox: z.boolean().meta({ description: 'the message is only a file in the outbox and was not sent' }),
  })
  .meta({ id: 'AttemptLog' });
export type AttemptLog = z.output<typeof AttemptLog>;

/** The part of an attempt that lists of deliveries show. */
export const LastAttempt = AttemptLog.pick({ durationMs: true, status: true, error: true, outbox: true }).meta({
  id: 'LastAttempt',
});
export type LastAttempt = z.output<typeof LastAttempt>;
