import type { DataExport } from '#openapi';
import { statusOf } from '../problem.ts';
import type { CommonValues, Io } from './command.ts';
import { troubleText } from './forward.ts';

/** The longest pause (s) between two looks. */
const LONGEST_PAUSE = 15;
/** How many looks in a row may fail: a service that starts anew is back before. */
const MOST_TROUBLES = 20;

/** A job that is waited for. `name` is for people; `later`: how they come back to it. */
export type Waited<T> = { name: string; later: string; look: () => Promise<T> };

/** The command by which somebody comes back to a job; `of`: the customer, where it has to be said. */
export const laterBy = (command: string, of: number | undefined, { profile, url }: CommonValues): string => {
  const more = [
    ...(of === undefined ? [] : ['--of-customer', of]),
    ...(profile === 'default' ? [] : ['--profile', profile]),
    ...(url === undefined ? [] : ['--url', url]),
  ];
  return ['sensor-cloud', command, ...more].join(' ');
};

/** How many items there are in it; '' for none. */
export const itemsOf = ({ counts }: DataExport): string => {
  const items = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return items === 0 ? '' : `${items} ${items === 1 ? 'item' : 'items'}`;
};

const progressOf = (job: DataExport, ms: number): string => {
  const items = itemsOf(job);
  const minutes = Math.floor(ms / 60_000);
  return [items && `${items} so far`, minutes > 0 && `${minutes} min`].filter(Boolean).join(', ');
};

/** Throws for a job that has failed. */
export const demandUnfailed = ({ state }: DataExport, name: string): void => {
  if (state === 'failed') throw new Error(`The ${name} has failed. Begin it again.`);
};

/** Waits until a job has ended, and tells how far it is. A service that is away for a while is awaited, too. */
export const wait = async <T extends DataExport>(begun: T, { name, later, look }: Waited<T>, io: Io): Promise<T> => {
  const goesOn = `The ${name} goes on. Come back to it by \`${later}\`.`;
  const start = io.now();
  let job = begun;
  let told = '';
  let troubles = 0;
  for (let seconds = 1; job.state === 'running'; seconds = Math.min(2 * seconds, LONGEST_PAUSE)) {
    const progress = progressOf(job, io.now() - start);
    if (progress !== told) io.err(progress);
    told = progress;
    await io.pause(seconds, io.signal).catch(() => {});
    try {
      job = await look();
      troubles = 0;
    } catch (error) {
      if (io.signal.aborted) throw new Error(goesOn);
      const status = statusOf(error);
      if (status >= 400 && status < 500 && status !== 429) throw error;
      troubles += 1;
      if (troubles === MOST_TROUBLES) throw new Error(`${troubleText(error)}. ${goesOn}`);
      io.err(`${troubleText(error)}: again in a moment`);
    }
  }
  demandUnfailed(job, name);
  return job;
};
