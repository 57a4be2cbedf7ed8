import { CANARY_SECONDS } from './canary.ts';
import type { ServiceHealth } from './service-health-view.ts';

/**
 * If no sweep has run for longer than this (s), or a queued task is older, this counts as a failure, because alarms are
 * late. On AWS, sweeps run every minute.
 */
const LATE_SECONDS = 180;

type Part = 'OK' | 'FAILING' | null;
type Disk = Part | 'FULL';

/** What a host reports about itself, with null for unknown values. `since` is when (ms) the host started. */
export type HostHealth = {
  since: number | null;
  queues: Part;
  disk: Disk;
  mail: Part;
  oldestWaitingSeconds: number | null;
  exceptions: number | null;
};

export const unknownHost: HostHealth = {
  since: null,
  queues: null,
  disk: null,
  mail: null,
  oldestWaitingSeconds: null,
  exceptions: null,
};

/**
 * Returns whether the service works. `sweep` is when (ms) the last sweep began, `canary` when (ms) a canary fall last
 * reached its webhook; null if never. A missing sweep counts only once the host has been up long enough for one.
 */
export const judgeHealth = (
  table: Part,
  last: { sweep: number | null; canary: number | null },
  { since, ...host }: HostHealth,
  now: number,
): Required<ServiceHealth> => {
  const secondsSince = (time: number) => Math.max(0, Math.round((now - time) / 1_000));
  const ago = (time: number | null) => (time === null ? null : secondsSince(time));
  const expected = Math.max(last.sweep ?? since ?? now, since ?? 0);
  const canarySeconds = ago(last.canary);
  const isFailing =
    [table, host.queues, host.mail].includes('FAILING') ||
    (host.disk ?? 'OK') !== 'OK' ||
    secondsSince(expected) > LATE_SECONDS ||
    (host.oldestWaitingSeconds ?? 0) > LATE_SECONDS ||
    (canarySeconds ?? 0) > 2 * CANARY_SECONDS + LATE_SECONDS;
  return { status: isFailing ? 'FAILING' : 'OK', table, ...host, lastSweepSeconds: ago(last.sweep), canarySeconds };
};
