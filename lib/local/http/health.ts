import { rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostHealth } from '#shared/domain/service-health.ts';
import type { QueueName } from '#shared/queue/names.ts';
import type { Queues } from '#shared/queue/sqs-queues.ts';
import type { Clock } from '../clock.ts';
import { isNoSpace } from '../no-space.ts';
import type { LocalQueues } from '../queue/queues.ts';

/** With less free space (bytes) than this, writes to the table and the queues may soon fail. */
const MIN_FREE_BYTES = 16 * 1_024 * 1_024;
/** A file written to check whether the disk is writable. */
const PROBE_FILE = 'health-probe';
const PROBE_EVERY_MS = 5_000;
/** How long (ms) a failed send counts, unless a later one succeeds. */
const FAILURE_COUNTS_MS = 60_000;
/** The queues an alarm passes through. */
const alarmQueues: readonly QueueName[] = ['events', 'deliveries'];

/** Checks a folder. The probe is a new file each time, because overwriting a file succeeds even on a full disk. */
const probeDisk = async (folder: string): Promise<'OK' | 'FULL' | 'FAILING'> => {
  const probe = join(folder, PROBE_FILE);
  try {
    const { bavail, bsize } = await statfs(folder);
    if (bavail * bsize <= MIN_FREE_BYTES) return 'FULL';
    await rm(probe, { force: true });
    await writeFile(probe, new Date().toISOString().padEnd(4_096));
    return 'OK';
  } catch (error) {
    // The cause is logged by the code that needs the disk.
    return isNoSpace((error as NodeJS.ErrnoException).code) ? 'FULL' : 'FAILING';
  }
};

type Options = {
  dataDir: string;
  /** The in-process queues. Null if the queues are elsewhere, because the age of their messages is then unknown. */
  waiting: LocalQueues | null;
  /** The mail server's state. Null without one. */
  mail: () => HostHealth['mail'];
  clock: Clock;
  exceptions: () => number;
  /** Whether the disk was full at the last write to the table or the queues. */
  isFull: () => boolean;
};

/** Monitors what this host needs besides the table: queues, disk and mail server. */
export const createHealth = ({ dataDir, waiting, mail, clock, exceptions, isFull }: Options) => {
  const since = clock.now();
  let failedAt = Number.NEGATIVE_INFINITY;
  let probed = { at: Number.NEGATIVE_INFINITY, state: Promise.resolve<'OK' | 'FULL' | 'FAILING'>('OK') };
  const diskState = async (): Promise<HostHealth['disk']> => {
    if (dataDir === ':memory:') return null;
    if (clock.now() - probed.at >= PROBE_EVERY_MS) probed = { at: clock.now(), state: probeDisk(dataDir) };
    const state = await probed.state;
    return state === 'OK' && isFull() ? 'FULL' : state;
  };
  const oldest = (queues: LocalQueues): number =>
    Math.max(0, ...alarmQueues.map((name) => clock.now() - (queues[name].waitingSince() ?? clock.now())));
  return {
    /** Wraps the queues to record when a send fails. */
    watched: (queues: Queues): Queues => ({
      ...queues,
      send: async (...message) => {
        try {
          await queues.send(...message);
          failedAt = Number.NEGATIVE_INFINITY;
        } catch (error) {
          failedAt = clock.now();
          throw error;
        }
      },
    }),
    health: async (): Promise<HostHealth> => ({
      since,
      queues: clock.now() - failedAt < FAILURE_COUNTS_MS ? 'FAILING' : 'OK',
      disk: await diskState(),
      mail: mail(),
      oldestWaitingSeconds: waiting && Math.round(oldest(waiting) / 1_000),
      exceptions: exceptions(),
    }),
  };
};
