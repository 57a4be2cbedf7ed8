import * as z from 'zod';

const part = z.enum(['OK', 'FAILING']).nullable();
const seconds = z.number().min(0).nullable();

/** Whether the service works (completion 12). */
export const ServiceHealth = z
  .object({
    status: z.enum(['OK', 'FAILING']),
    table: part.optional().describe('Does the table answer? null: it is not known here, as below'),
    queues: part.optional().describe('Do the queues take what is sent?'),
    disk: part
      .optional()
      .describe('Can the folder of the data be written, with room left? Only on a machine of its own'),
    lastSweepSeconds: seconds.optional().describe('Seconds since the last sweep'),
    oldestWaitingSeconds: seconds
      .optional()
      .describe('For how many seconds the oldest event or delivery has waited for its turn'),
    canarySeconds: seconds.optional().describe('Seconds since the fall of the canary last came back'),
    exceptions: z.int().min(0).nullable().optional().describe('Exceptions since the start that nothing caught'),
  })
  .meta({ id: 'Health' });
export type ServiceHealth = z.infer<typeof ServiceHealth>;
