import { stackName } from '#lib/aws/settings/stack-name.ts';
import { readTime } from '#shared/domain/time/time.ts';
import type { Context } from './context.ts';

const DAY = 86_400_000;

/** How many days point-in-time recovery goes back. */
const MAX_DAYS = 35;

/**
 * Credentials issued up to this long (ms) after the recovered time are also invalidated, because function and table
 * clocks may differ. AWS does not recover the last few minutes, so no login after the recovery is affected.
 */
const MARGIN = 60_000;

/** The recovery goal: the time (ms, whole seconds), the recovered table, and the settings that select it. */
export type RecoveryGoal = { stage: string; stack: string; to: number; target: string; settings: Context };

/** Returns what is wrong with the `--to` value, or null. */
export const recoveryTimeProblem = (value: string | undefined, now: number): string | null => {
  if (value === undefined) return '--to is required, for example --to 2026-11-22T10:00:00Z';
  const time = readTime(value);
  if (time === null) return '--to must be an ISO 8601 time with a time zone, such as 2026-11-22T10:00:00Z';
  if (time > now) return `--to is in the future: now it is ${new Date(now).toISOString()}`;
  return time < now - MAX_DAYS * DAY
    ? `--to must be within the last ${MAX_DAYS} days, because AWS keeps no older backups`
    : null;
};

/**
 * Returns the goal for the `--to` value. Its names depend only on the stage and the time, so a repeated run finds them.
 */
export const recoveryGoal = (stage: string, value: string): RecoveryGoal => {
  const to = Math.floor((readTime(value) ?? 0) / 1_000) * 1_000;
  const stack = stackName(stage);
  const target = `${stack}-recovered-${new Date(to)
    .toISOString()
    .replace(/\.000Z$/, 'Z')
    .replaceAll(/[-:]/g, '')}`;
  const credentialsSince = new Date(to + MARGIN).toISOString();
  return { stage, stack, to, target, settings: { tableName: target, credentialsSince } };
};
