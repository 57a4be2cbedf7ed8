import { stackName } from '#lib/aws/settings/stack-name.ts';
import { readTime } from '#shared/domain/time/time.ts';
import type { Context } from './context.ts';

const DAY = 86_400_000;
/** A table can be recovered to a time of so many days before. */
const DAYS = 35;
/**
 * Credentials of this time (ms) after the one that is recovered to are void too: the clocks of functions and of the table
 * may differ. AWS recovers to nothing that is younger than some minutes, so no login after the recovery is among them.
 */
const MARGIN = 60_000;

/** What a stage is brought to: the time (ms, whole seconds), the recovered table, and the settings that say so. */
export type Goal = { stage: string; stack: string; to: number; target: string; settings: Context };

/** Gives what is wrong with the value of `--to`; null when it is right. */
export const timeProblem = (given: string | undefined, now: number): string | null => {
  if (given === undefined) return 'to which time? --to 2026-11-22T10:00:00Z';
  const time = readTime(given);
  if (time === null) return '--to is a time of ISO 8601 with its time zone, such as 2026-11-22T10:00:00Z';
  if (time > now) return `--to is in the future: it is ${new Date(now).toISOString()} now`;
  return time < now - DAYS * DAY ? `--to is more than ${DAYS} days ago: AWS keeps no older state of a table` : null;
};

/** Gives what a stage is brought to by `--to`. Its names come from stage and time alone, so that a repetition finds them. */
export const goalOf = (stage: string, given: string): Goal => {
  const to = Math.floor((readTime(given) ?? 0) / 1_000) * 1_000;
  const stack = stackName(stage);
  const target = `${stack}-recovered-${new Date(to)
    .toISOString()
    .replace(/\.000Z$/, 'Z')
    .replaceAll(/[-:]/g, '')}`;
  const credentialsSince = new Date(to + MARGIN).toISOString();
  return { stage, stack, to, target, settings: { tableName: target, credentialsSince } };
};
