import { isFuture } from '../state/clock.ts';
import { LEASE_SECONDS } from './delivery.ts';
import type { Circuit, WebhookRecord } from './webhook.ts';

/** The number of slots per webhook, which limits concurrent requests. */
export const SLOTS_PER_WEBHOOK = 5;
/**
 * How many consecutive failures open the circuit. From then on, retries are postponed and probes are sent one at a
 * time.
 */
export const BREAKER_FAILURES = 10;
/** The longest time (ms) a circuit stays open, and the longest period (ms) over which postponed retries are spread. */
const MAX_OPEN = 60_000;
const MAX_SPREAD = 300_000;
/** The lease (ms) on a slot or probe, as long as the lease on a delivery. */
export const LEASE_MS = LEASE_SECONDS * 1_000;
/**
 * Returns the cutoff (ms) for leases. Leases that end earlier count as lapsed. Leases taken before `aloneSince` (ms) no
 * longer have a holder. A future `aloneSince` is ignored, because the clock must have been set back.
 */
export const lapsedBefore = (now: number, aloneSince: number): number =>
  isFuture(aloneSince, now) ? now : Math.max(now, aloneSince + LEASE_MS);
/** How long (ms) after the due date an unattempted delivery counts as a new alarm. */
const NEW_ALARM_MS = 60_000;
/** A response that takes at least SLOW_RESPONSE (ms) marks the receiver as slow for SLOW_FOR (ms). */
const SLOW_RESPONSE = 2_000;
const SLOW_FOR = 600_000;
/**
 * A webhook is disabled after DISABLE_AFTER (ms) without success and at least DISABLE_FAILURES failures. A warning is
 * sent halfway through.
 */
const DISABLE_AFTER = 5 * 86_400_000;
const DISABLE_FAILURES = 20;

type Health = Pick<
  WebhookRecord,
  'consecutiveFailures' | 'failingSince' | 'lastSuccess' | 'openUntil' | 'probeUntil' | 'slowUntil' | 'warnedAt'
>;

/** The webhook attribute holding a slot lease. */
export type SlotName = `slot${number}`;
/**
 * The attribute with the time (ms) when a slot or probe lease ends. `tokenName` returns the name of the attribute with
 * the holder's token.
 */
export type LeaseName = SlotName | 'probeUntil';
export const tokenName = <N extends LeaseName>(name: N): `${N}Token` => `${name}Token`;

/** A slot lease: when it ends (ms), and the token identifying the holder. */
export type SlotLease = { slot: SlotName; until: number; token: string };

/**
 * Whether `until` (ms) is in the future, but by no more than `longest` ms. A later time was set before the clock was
 * set back.
 */
const lasts = (until: number, longest: number, now: number): boolean => until > now && !isFuture(until, now + longest);

/** Whether the receiver is known to be slow or failing. Each request to it then needs a slot, which costs writes. */
const isSlowOrFailing = ({ consecutiveFailures, slowUntil = 0 }: Health, now: number): boolean =>
  consecutiveFailures > 0 || lasts(slowUntil, SLOW_FOR, now);

/** Whether the receiver is neither slow nor failing. */
export const isHealthy = (health: Health, now: number): boolean =>
  health.openUntil === undefined && !isSlowOrFailing(health, now);

/** Whether a delivery is a new alarm: not attempted yet, and due (`dueDate`, ms) less than a minute ago. */
export const isNewAlarm = (attempts: number, dueDate: number, now: number): boolean =>
  attempts === 0 && now - dueDate < NEW_ALARM_MS;

/**
 * Returns when (ms) to make a retry postponed by an open circuit. The more failures, the more widely these times are
 * spread.
 */
const postponedUntil = ({ openUntil = 0, consecutiveFailures }: Health, now: number, random: number): number =>
  Math.max(lasts(openUntil, MAX_OPEN, now) ? openUntil : 0, now + 1_000) +
  Math.round(random * Math.min(MAX_SPREAD, consecutiveFailures * 50));

/**
 * How a request passes the circuit breaker: without a slot, in a slot, in a slot as the only probe, after the current
 * probe ends, or not before the given time (ms).
 */
export type Passage =
  | { kind: 'free' }
  | { kind: 'slot' }
  | { kind: 'probe' }
  | { kind: 'probe_result' }
  | { kind: 'postponed'; until: number };

/** Returns whether and how a request may be sent now. A new alarm never waits for an open circuit to close. */
export const passageOf = (health: Health, isAlarm: boolean, now: number, random: number): Passage => {
  const { openUntil, probeUntil = 0 } = health;
  if (openUntil === undefined) return { kind: isSlowOrFailing(health, now) ? 'slot' : 'free' };
  const isProbed = lasts(probeUntil, LEASE_MS, now);
  if (isAlarm) return { kind: isProbed ? 'probe_result' : 'probe' };
  if (!lasts(openUntil, MAX_OPEN, now) && !isProbed) return { kind: 'probe' };
  return { kind: 'postponed', until: postponedUntil(health, now, random) };
};

/** Returns a circuit breaker as shown by the API. `openUntil` (ms) is null unless the circuit is open. */
export const circuitOf = ({ openUntil, probeUntil = 0 }: Health, now: number): Circuit => {
  if (openUntil === undefined) return { state: 'closed', openUntil: null };
  const isOpen = lasts(openUntil, MAX_OPEN, now) && !lasts(probeUntil, LEASE_MS, now);
  return isOpen ? { state: 'open', openUntil } : { state: 'half_open', openUntil: null };
};

/**
 * Returns the time (ms) until which the circuit stays open after a failure. It stays open until the failed delivery is
 * retried, but for at most a minute. Null if it stays closed.
 */
export const openUntilAfter = (failures: number, waitMs: number, now: number): number | null =>
  failures >= BREAKER_FAILURES && waitMs > 0 ? now + Math.min(waitMs, MAX_OPEN) : null;

/**
 * Returns the time (ms) until which a receiver counts as slow after a response that took this long. Null if the
 * response was fast.
 */
export const slowUntil = (durationMs: number, now: number): number | null =>
  durationMs >= SLOW_RESPONSE ? now + SLOW_FOR : null;

/**
 * Whether a success is worth recording: after failures, or if the last recorded success is at least a minute old or in
 * the future.
 */
export const isSuccessToRecord = (health: Health, now: number): boolean =>
  health.openUntil !== undefined ||
  isSlowOrFailing(health, now) ||
  !lasts((health.lastSuccess ?? 0) + 60_000, 60_000, now);

/** Returns what to do about a webhook after days of failures: nothing yet, send one warning, or disable it. */
export const failureActionOf = (health: Health, now: number): 'none' | 'warn' | 'disable' => {
  const { consecutiveFailures, failingSince = now, warnedAt = 0 } = health;
  const failingFor = now - failingSince;
  if (consecutiveFailures < DISABLE_FAILURES || failingFor < DISABLE_AFTER / 2) return 'none';
  if (failingFor >= DISABLE_AFTER) return 'disable';
  return warnedAt < failingSince ? 'warn' : 'none';
};
