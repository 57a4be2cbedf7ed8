import * as z from 'zod';
import { CANARY_SECONDS } from './canary.ts';

/** So many seconds without a sweep, or so old a task, are a failure: alarms wait. Sweeps are a minute apart in AWS. */
const LATE_SECONDS = 180;

const part = z.enum(['OK', 'FAILING']).nullable();
const seconds = z.number().min(0).nullable();

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
type Part = 'OK' | 'FAILING' | null;

/** What a host knows of itself; null is what it does not know. `since`: when (ms) it started. */
export type HostHealth = {
  since: number | null;
  queues: Part;
  disk: Part;
  oldestWaitingSeconds: number | null;
  exceptions: number | null;
};

export const unknownHost: HostHealth = {
  ...{ since: null, queues: null, disk: null, oldestWaitingSeconds: null, exceptions: null },
};

/**
 * Judges whether the service works. `sweep` is when (ms) the last sweep began, and `canary` when a fall of the canary last
 * came back; null when none ever did. Sweeps are not missed before the host has been there for as long as one may take.
 */
export const judgeHealth = (
  table: Part,
  last: { sweep: number | null; canary: number | null },
  { since, ...host }: HostHealth,
  now: number,
): Required<ServiceHealth> => {
  const secondsSince = (time: number) => Math.max(0, Math.round((now - time) / 1_000));
  const ago = (time: number | null) => (time === null ? null : secondsSince(time));
  const expected = Math.max(last.sweep ?? now, since ?? 0);
  const canarySeconds = ago(last.canary);
  const isFailing =
    [table, host.queues, host.disk].includes('FAILING') ||
    secondsSince(expected) > LATE_SECONDS ||
    (host.oldestWaitingSeconds ?? 0) > LATE_SECONDS ||
    (canarySeconds ?? 0) > 2 * CANARY_SECONDS + LATE_SECONDS;
  return { status: isFailing ? 'FAILING' : 'OK', table, ...host, lastSweepSeconds: ago(last.sweep), canarySeconds };
};
