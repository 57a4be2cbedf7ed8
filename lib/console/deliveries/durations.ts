import type { AttemptLog } from '#openapi';

type Timed = Pick<AttemptLog, 'timings' | 'durationMs'>;
const phases = ['dns', 'connect', 'tls', 'firstByte'] as const;
type Part = { name: (typeof phases)[number] | 'rest'; ms: number };

/** Returns how long each phase of an attempt took; the remaining time comes last. */
export const partsOf = ({ timings, durationMs }: Timed): Part[] => {
  const parts = phases.flatMap((name): Part[] => {
    const ms = timings[name];
    return ms === null ? [] : [{ name, ms }];
  });
  const rest = durationMs - parts.reduce((sum, { ms }) => sum + ms, 0);
  return rest > 0 ? [...parts, { name: 'rest', ms: rest }] : parts;
};

/** Formats a duration in milliseconds, or in seconds if it is at least one second. */
export const durationText = (ms: number, formatNumber: (value: number) => string): string =>
  ms < 1_000 ? `${formatNumber(ms)} ms` : `${formatNumber(Math.round(ms / 100) / 10)} s`;
