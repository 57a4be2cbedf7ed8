import { UsageError } from './command.ts';

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

export const timeHelp = 'a time like 2026-11-24T08:00:00Z, or how long ago: 30m, 2h, 1d';

/** Parses a time, either ISO 8601 or an age (s, m, h, d). Returns ms since the Unix epoch. */
export const readTime = (input: string, now: number): number => {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(input) ?? [];
  const time = unit ? now - Number(count) * UNITS[unit as keyof typeof UNITS] : Date.parse(input);
  if (!Number.isFinite(time) || time < 0) throw new UsageError(`invalid time: ${input}; use ${timeHelp}`);
  return time;
};

/** Parses an integer option; returns `fallback` if the option is not set. */
export const readNumber = (name: string, input: string | undefined, [min, max]: [number, number], fallback: number) => {
  if (input === undefined) return fallback;
  const value = Number(input);
  if (!Number.isInteger(value) || value < min || value > max)
    throw new UsageError(`--${name} must be a whole number from ${min} to ${max}`);
  return value;
};
