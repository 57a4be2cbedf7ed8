import { UsageError } from './command.ts';

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

export const timeHelp = 'a time like 2026-11-24T08:00:00Z, or so long ago: 30m, 2h, 1d';

/** Reads a time: ISO 8601, or how long ago it was (s, m, h, d). Gives ms since the Unix epoch. */
export const readTime = (given: string, now: number): number => {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(given) ?? [];
  const time = unit ? now - Number(count) * UNITS[unit as keyof typeof UNITS] : Date.parse(given);
  if (!Number.isFinite(time) || time < 0) throw new UsageError(`no time: ${given}; ${timeHelp}`);
  return time;
};

/** A number of an option; `fallback` where it is not given. */
export const readNumber = (
  name: string,
  given: string | undefined,
  [least, most]: [number, number],
  fallback: number,
) => {
  if (given === undefined) return fallback;
  const value = Number(given);
  if (!Number.isInteger(value) || value < least || value > most)
    throw new UsageError(`--${name} is a number from ${least} to ${most}`);
  return value;
};
