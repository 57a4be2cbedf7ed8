import type { WebhookRecord } from './webhook.ts';

/** Requests that a webhook may have under way at the same time. */
export const AT_A_TIME = 5;
/** Failures in a row that open the circuit: repetitions spare the receiver, and one probe at a time is let through. */
export const BREAKER_FAILURES = 10;
/** For how long (ms) a circuit stays open at most, and over how long (ms) what waited for its end is spread at most. */
const LONGEST_OPEN = 60_000;
const LONGEST_SPREAD = 300_000;
/** A slot and a probe are over by then, ms: more than the deadline of a request and the writes around it. */
export const LEASE_MS = 30_000;
/** So long (ms) what was never tried is an alarm that waits, and no repetition. */
const NEW_MS = 60_000;
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

/** A slot among the requests that a webhook may have under way, over all processes. */
export type Slot = `slot${number}`;
/** A slot that a process has until a time (ms). */
export type Held = { slot: Slot; until: number };
/** What a process may have of a webhook, each an attribute with the time (ms) until when it does. */
export type Hold = Slot | 'probeUntil';

/** Is the receiver known to be slow or to fail? Then each request to it stands in a slot, which costs writes. */
export const isTroubled = ({ consecutiveFailures, slowUntil = 0 }: Health, now: number): boolean =>
  consecutiveFailures > 0 || slowUntil > now;

/** Is there nothing to be said against a receiver? */
export const isWell = (health: Health, now: number): boolean =>
  health.openUntil === undefined && !isTroubled(health, now);

/** Is a delivery one that was due lately, `dueDate` (ms), and never tried: an alarm that nobody has heard of? */
export const isNew = (attempts: number, dueDate: number, now: number): boolean =>
  attempts === 0 && now - dueDate < NEW_MS;

/** When (ms) a repetition comes back that an open circuit does not let through: the longer it fails, the more spread. */
export const comesBackAt = ({ openUntil = 0, consecutiveFailures }: Health, now: number, random: number): number =>
  Math.max(openUntil, now + 1_000) + Math.round(random * Math.min(LONGEST_SPREAD, consecutiveFailures * 50));

/**
 * May a request go to the receiver now? `free`: yes; `slot`: in a slot; `probe`: in a slot, and only if nobody else
 * probes it; `result`: when it is known what came of the probe under way; a number: not before that time (ms).
 * What is new never waits for the end of an open circuit. In the field's words: closed is `free` and `slot`, open is a time, half-open is `probe` and `result`.
 */
export const requestModeOf = (
  health: Health,
  isNew: boolean,
  now: number,
  random: number,
): 'free' | 'slot' | 'probe' | 'result' | number => {
  const { openUntil, probeUntil = 0 } = health;
  if (openUntil === undefined) return isTroubled(health, now) ? 'slot' : 'free';
  const isProbed = probeUntil > now;
  if (isNew) return isProbed ? 'result' : 'probe';
  return openUntil <= now && !isProbed ? 'probe' : comesBackAt(health, now, random);
};

/** Until when (ms) the circuit of a receiver that failed is open: as long as what failed waits itself, 60 s at most. Null: it stays closed. */
export const openUntilAfter = (failures: number, waitMs: number, now: number): number | null =>
  failures >= BREAKER_FAILURES && waitMs > 0 ? now + Math.min(waitMs, LONGEST_OPEN) : null;

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
