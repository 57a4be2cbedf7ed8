import { LEASE_SECONDS } from './delivery.ts';
import type { Circuit, WebhookRecord } from './webhook.ts';

/** How many requests to a webhook may be under way at the same time. */
export const AT_A_TIME = 5;
/** So many failures in a row open the circuit: then repetitions are put off, and one probe at a time is sent. */
export const BREAKER_FAILURES = 10;
/**
 * The longest time (ms) that a circuit stays open, and the longest time (ms) over which waiting repetitions are spread
 * after it.
 */
const LONGEST_OPEN = 60_000;
const LONGEST_SPREAD = 300_000;
/** The lease (ms) of a slot and of a probe. It is as long as that of a claim. */
export const LEASE_MS = LEASE_SECONDS * 1_000;
/** How long (ms) after it is due a delivery without an attempt counts as a new alarm, and not as a repetition. */
const NEW_MS = 60_000;
/** An answer that took longer than SLOW ms makes its webhook a slow one for SLOW_FOR ms. */
const SLOW = 2_000;
const SLOW_FOR = 600_000;
/**
 * A webhook is disabled after so many ms without a success and so many failures. A warning is sent after half of the
 * time.
 */
const HOPELESS = 5 * 86_400_000;
const HOPELESS_FAILURES = 20;

type Health = Pick<
  WebhookRecord,
  'consecutiveFailures' | 'failingSince' | 'lastSuccess' | 'openUntil' | 'probeUntil' | 'slowUntil' | 'warnedAt'
>;

/** One of the slots for requests to a webhook that are under way, over all processes. */
export type Slot = `slot${number}`;
/** A slot that a process holds until a time (ms). */
export type Held = { slot: Slot; until: number };
/**
 * A slot or the probe of a webhook. Each is an attribute of the webhook whose value is the time (ms) until which it is
 * held.
 */
export type Hold = Slot | 'probeUntil';

/** Is the receiver known to be slow or to fail? Then each request to it needs a slot, which costs writes. */
const isTroubled = ({ consecutiveFailures, slowUntil = 0 }: Health, now: number): boolean =>
  consecutiveFailures > 0 || slowUntil > now;

/** Is the receiver neither slow nor failing? */
export const isWell = (health: Health, now: number): boolean =>
  health.openUntil === undefined && !isTroubled(health, now);

/** Is a delivery a new alarm: without an attempt, and due (`dueDate`, ms) for less than a minute? */
export const isNew = (attempts: number, dueDate: number, now: number): boolean =>
  attempts === 0 && now - dueDate < NEW_MS;

/**
 * Gives the time (ms) of the next try of a repetition that an open circuit puts off. The more failures, the more these
 * times are spread.
 */
const comesBackAt = ({ openUntil = 0, consecutiveFailures }: Health, now: number, random: number): number =>
  Math.max(openUntil, now + 1_000) + Math.round(random * Math.min(LONGEST_SPREAD, consecutiveFailures * 50));

/**
 * Tells whether a request may be sent to the receiver now. `free`: yes; `slot`: in a slot; `probe`: in a slot, and only
 * if no other probe is under way; `result`: after the probe under way has ended; a number: not before that time (ms). A
 * new alarm never waits for the end of an open circuit.
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

/** Gives the circuit breaker of a receiver as its owner reads it; `openUntil` (ms) is null unless the circuit is open. */
export const circuitOf = ({ openUntil, probeUntil = 0 }: Health, now: number): Circuit => {
  if (openUntil === undefined) return { state: 'closed', openUntil: null };
  const isOpen = openUntil > now && probeUntil <= now;
  return isOpen ? { state: 'open', openUntil } : { state: 'half_open', openUntil: null };
};

/**
 * Gives the time (ms) until which the circuit stays open after a failure: as long as the failed delivery waits, at most
 * 60 s. It is null if the circuit stays closed.
 */
export const openUntilAfter = (failures: number, waitMs: number, now: number): number | null =>
  failures >= BREAKER_FAILURES && waitMs > 0 ? now + Math.min(waitMs, LONGEST_OPEN) : null;

/**
 * Gives the time (ms) until which a webhook counts as slow after an answer of this duration. It is null if the answer
 * was quick.
 */
export const slowUntil = (durationMs: number, now: number): number | null =>
  durationMs >= SLOW ? now + SLOW_FOR : null;

/** Is a success worth a write? It is after failures, and if the last recorded success is at least a minute old. */
export const isNewsOfSuccess = (health: Health, now: number): boolean =>
  health.openUntil !== undefined || isTroubled(health, now) || now - (health.lastSuccess ?? 0) >= 60_000;

/** Gives the consequence of failing for days: nothing yet, one warning, or that the webhook is disabled. */
export const verdictOn = (health: Health, now: number): 'none' | 'warn' | 'disable' => {
  const { consecutiveFailures, failingSince = now, warnedAt = 0 } = health;
  const lasted = now - failingSince;
  if (consecutiveFailures < HOPELESS_FAILURES || lasted < HOPELESS / 2) return 'none';
  if (lasted >= HOPELESS) return 'disable';
  return warnedAt < failingSince ? 'warn' : 'none';
};
