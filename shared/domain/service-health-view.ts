import * as z from 'zod';

const part = z.enum(['OK', 'FAILING']).nullable();
const seconds = z.number().min(0).nullable();

/** Whether the service works. */
export const ServiceHealth = z
  .object({
    status: z.enum(['OK', 'FAILING']),
    table: part.optional().describe('Whether the table responds. Null, here and below: unknown to this host'),
    queues: part.optional().describe('Whether the queues accept tasks'),
    disk: z
      .enum(['OK', 'FULL', 'FAILING'])
      .nullable()
      .optional()
      .describe(
        'FULL: almost no space is left, so messages are refused, or soon will be; FAILING: the data folder is not ' +
          'writable. On premises only',
      ),
    mail: part
      .optional()
      .describe('FAILING after the mail server did not accept an email, until it accepts one. On premises only'),
    lastSweepSeconds: seconds.optional().describe('Seconds since the last sweep'),
    oldestWaitingSeconds: seconds.optional().describe('Age of the oldest queued event or delivery, in seconds'),
    canarySeconds: seconds.optional().describe('Seconds since a canary fall last reached its webhook'),
    exceptions: z.int().min(0).nullable().optional().describe('Uncaught exceptions since the start'),
  })
  .meta({ id: 'Health' });
export type ServiceHealth = z.infer<typeof ServiceHealth>;
