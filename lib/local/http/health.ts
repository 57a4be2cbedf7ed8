import { statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostHealth } from '#shared/domain/service-health.ts';
import type { QueueName } from '#shared/queue/names.ts';
import type { Queues } from '#shared/queue/send.ts';
import type { Clock } from '../clock.ts';
import type { LocalQueues } from '../queue/queues.ts';

/** With less room (bytes) than this the table and the queues may soon not be written. */
const ROOM = 16 * 1_024 * 1_024;
/** A file that is written to learn whether the disk takes one, at most once in so many ms. */
const PROBE = 'health-probe';
const PROBE_EVERY = 5_000;
/** For how long (ms) a message that a queue did not take counts, unless it took a later one. */
const REMEMBERED = 60_000;
/** The queues on the way of an alarm. */
const ofAlarms: readonly QueueName[] = ['events', 'deliveries'];

const isWritable = async (folder: string): Promise<boolean> => {
  try {
    const { bavail, bsize } = await statfs(folder);
    await writeFile(join(folder, PROBE), new Date().toISOString().padEnd(4_096));
    return bavail * bsize > ROOM;
  } catch {
    // Its cause is in the log of whatever needs the disk. Here it counts that it failed.
    return false;
  }
};

type Options = {
  dataDir: string;
  /** Queues of this process; null: they are elsewhere, and how old their messages are is not known. */
  waiting: LocalQueues | null;
  clock: Clock;
  exceptions: () => number;
};

/** Watches what this host needs besides its table: its queues and its disk. */
export const createHealth = ({ dataDir, waiting, clock, exceptions }: Options) => {
  const since = clock.now();
  let refusedAt = Number.NEGATIVE_INFINITY;
  let probed = { at: Number.NEGATIVE_INFINITY, isWritable: Promise.resolve(true) };
  const probe = (): Promise<boolean> => {
    if (clock.now() - probed.at >= PROBE_EVERY) probed = { at: clock.now(), isWritable: isWritable(dataDir) };
    return probed.isWritable;
  };
  const diskState = async (): Promise<HostHealth['disk']> => {
    if (dataDir === ':memory:') return null;
    return (await probe()) ? 'OK' : 'FAILING';
  };
  const oldest = (queues: LocalQueues): number =>
    Math.max(0, ...ofAlarms.map((name) => clock.now() - (queues[name].waitingSince() ?? clock.now())));
  return {
    /** Gives the same queues, and notes when one does not take what is sent. */
    watched: (queues: Queues): Queues => ({
      ...queues,
      send: async (...message) => {
        try {
          await queues.send(...message);
          refusedAt = Number.NEGATIVE_INFINITY;
        } catch (error) {
          refusedAt = clock.now();
          throw error;
        }
      },
    }),
    health: async (): Promise<HostHealth> => ({
      since,
      queues: clock.now() - refusedAt < REMEMBERED ? 'FAILING' : 'OK',
      disk: await diskState(),
      oldestWaitingSeconds: waiting && Math.round(oldest(waiting) / 1_000),
      exceptions: exceptions(),
    }),
  };
};
