import type { WebhookRecord } from './webhook.ts';

/** Requests that a webhook may have under way at the same time. */
export const AT_A_TIME = 5;
/** Failures in a row after which a receiver gets a rest: nothing is sent to it but one probe at a time. */
export const BREAKER_FAILURES = 10;
/** The longest rest, ms. */
const LONGEST_REST = 300_000;
/** A probe is over by then, ms: more than its deadline and the writes around it. */
export const PROBE_MS = 30_000;
/** An answer that took longer makes a webhook a slow one, for as long (ms). */
const SLOW = 2_000;
const SLOW_FOR = 600_000;
/** So long (ms) without a success, and so many failures, switch a webhook off; half the time is worth a warning. */
const HOPELESS = 5 * 86_400_000;
const HOPELESS_FAILURES = 20;

type Health = Pick<
  WebhookRecord,
  'consecutiveFailures' | 'failingSince' | 'lastSuccess' | 'openUntil' | 'probeUntil' | 'slowUntil' | 'warnedAt'
>;

/** Is the receiver known to be slow or to fail? Then it is watched over all processes, which costs writes. */
export const isTroubled = ({ consecutiveFailures, slowUntil = 0 }: Health, now: number): boolean =>
  consecutiveFailures > 0 || slowUntil > now;

/** When (ms) a delivery comes back that a resting receiver cannot take: the longer it rests, the more spread. */
export const comesBackAt = ({ openUntil = 0, consecutiveFailures }: Health, now: number, random: number): number =>
  Math.max(openUntil, now + 1_000) + Math.round(random * Math.min(LONGEST_REST, consecutiveFailures * 100));

/**
 * May a request go to the receiver now? `watched`: yes, in one of its slots; `probe`: only if nobody else probes it;
 * a number: not before that time (ms).
 */
export const permitOf = (health: Health, now: number, random: number): 'free' | 'watched' | 'probe' | number => {
  const { openUntil, probeUntil = 0 } = health;
  if (openUntil === undefined) return isTroubled(health, now) ? 'watched' : 'free';
  return openUntil <= now && probeUntil <= now ? 'probe' : comesBackAt(health, now, random);
};

/** Until when (ms) a receiver rests after a failure: as long as the delivery that failed waits itself. Null: it goes on. */
export const restUntil = (failures: number, waitMs: number, now: number): number | null =>
  failures >= BREAKER_FAILURES && waitMs > 0 ? now + Math.min(waitMs, LONGEST_REST) : null;

/** Until when (ms) an answer that took so long makes its webhook a slow one; null: it was quick. */
export const slowUntil = (durationMs: number, now: number): number | null =>
  durationMs >= SLOW ? now + SLOW_FOR : null;

/** A success is news after trouble, or when the last one is a minute old: not each one is worth a write. */
export const isNewsOfSuccess = (health: Health, now: number): boolean =>
  health.openUntil !== undefined || isTroubled(health, now) || now - (health.lastSuccess ?? 0) >= 60_000;

/** What long trouble means: nothing yet, a warning (once), or the end. */
export const verdictOn = (health: Health, now: number): 'none' | 'warn' | 'disable' => {
  const { consecutiveFailures, failingSince = now, warnedAt = 0 } = health;
  const lasted = now - failingSince;
  if (consecutiveFailures < HOPELESS_FAILURES || lasted < HOPELESS / 2) return 'none';
  if (lasted >= HOPELESS) return 'disable';
  return warnedAt < failingSince ? 'warn' : 'none';
};
