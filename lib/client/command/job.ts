import type { DataExport } from '#openapi';
import { type ApiResult, ok, Problem, statusOf } from '../problem.ts';
import type { CommandIo, CommonValues } from './command.ts';
import { serviceErrorText } from './forward.ts';

/** The longest pause (s) between two checks. */
const MAX_PAUSE_SECONDS = 15;
/** The number of consecutive checks that may fail. Enough to survive a service restart. */
const MAX_FAILURES = 20;

/** A job to wait for: the name to display, the command that gets the result later, and how to fetch the state. */
export type WaitableJob<T> = { name: string; later: string; fetchJob: () => Promise<T> };

/** Returns the command that gets the job result later. `of` is the customer, if it has to be specified. */
export const laterCommand = (command: string, of: number | undefined, { profile, url }: CommonValues): string => {
  const options = [
    ...(of === undefined ? [] : ['--of-customer', of]),
    ...(profile === 'default' ? [] : ['--profile', profile]),
    ...(url === undefined ? [] : ['--url', url]),
  ];
  return ['sensor-cloud', command, ...options].join(' ');
};

/** Returns the number of items in a job as text; '' if there are none. */
export const itemsOf = ({ counts }: DataExport): string => {
  const items = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return items === 0 ? '' : `${items} ${items === 1 ? 'item' : 'items'}`;
};

/**
 * Starts a job. Fails for users who log in with OpenID Connect: they have no password, and commands cannot use their
 * sessions.
 */
export const startedJob = <T>(call: Promise<ApiResult<T>>): Promise<T> =>
  ok(call).catch((error: unknown) => {
    if (!(error instanceof Problem && error.code === 'login_too_old')) throw error;
    throw new Error(
      'You log in with OpenID Connect, so you have no password. Use Personal data in the console, within 5 minutes of your login.',
    );
  });

const progressOf = (job: DataExport, ms: number): string => {
  const items = itemsOf(job);
  const minutes = Math.floor(ms / 60_000);
  return [items && `${items} so far`, minutes > 0 && `${minutes} min`].filter(Boolean).join(', ');
};

/** Throws if a job has failed. */
export const throwIfFailed = ({ state }: DataExport, name: string): void => {
  if (state === 'failed') throw new Error(`The ${name} failed. Start it again.`);
};

/** Waits until a job has ended, even if the service is down for a while, and prints the progress. */
export const wait = async <T extends DataExport>(
  started: T,
  { name, later, fetchJob }: WaitableJob<T>,
  io: CommandIo,
): Promise<T> => {
  const continues = `The ${name} continues. To get its result, run \`${later}\`.`;
  const start = io.now();
  let job = started;
  let printed = '';
  let failures = 0;
  for (let seconds = 1; job.state === 'running'; seconds = Math.min(2 * seconds, MAX_PAUSE_SECONDS)) {
    const progress = progressOf(job, io.now() - start);
    if (progress !== printed) io.err(progress);
    printed = progress;
    await io.pause(seconds, io.signal).catch(() => {});
    try {
      job = await fetchJob();
      failures = 0;
    } catch (error) {
      if (io.signal.aborted) throw new Error(continues);
      const status = statusOf(error);
      if (status >= 400 && status < 500 && status !== 429) throw error;
      failures += 1;
      if (failures === MAX_FAILURES) throw new Error(`${serviceErrorText(error)}. ${continues}`);
      io.err(`${serviceErrorText(error)}, retrying`);
    }
  }
  throwIfFailed(job, name);
  return job;
};
