import { isFuture } from '../state/clock.ts';
import { LEASE_SECONDS } from './delivery.ts';
import type { Circuit, WebhookRecord } from './webhook.ts';

/** The number of slots of a webhook, which limit its concurrent requests. */
export const SLOTS_PER_WEBHOOK = 5;
/**
 * The number of consecutive failures that open the circuit. Retries are then postponed, and one probe at a time is
 * sent.
 */
export const BREAKER_FAILURES = 10;
/**
 * The longest time (ms) that a circuit stays open, and the longest time (ms) over which postponed retries are spread.
 */
const MAX_OPEN = 60_000;
const MAX_SPREAD = 300_000;
/** The lease (ms) of a slot and of a probe. It is as long as the lease of a delivery. */
export const LEASE_MS = LEASE_SECONDS * 1_000;
/**
 * Returns a time (ms). Leases that end before this time count as lapsed. Leases taken before `aloneSince` (ms) no
 * longer have a holder. If `aloneSince` is in the future, because the clock was set back, it is ignored.
 */
export const lapsedBefore = (now: number, aloneSince: number): number =>
  isFuture(aloneSince, now) ? now : Math.max(now, aloneSince + LEASE_MS);
/** How long (ms) after its due date a delivery without an attempt counts as a new alarm. */
const NEW_ALARM_MS = 60_000;
/** A response that takes SLOW_RESPONSE ms or longer marks its receiver as slow for SLOW_FOR ms. */
const SLOW_RESPONSE = 2_000;
const SLOW_FOR = 600_000;
/**
 * A webhook is disabled after DISABLE_AFTER ms and DISABLE_FAILURES without a success. A warning is sent at half the
 * time.
 */
const DISABLE_AFTER = 5 * 86_400_000;
const DISABLE_FAILURES = 20;

type Health = Pick<
  WebhookRecord,
  'consecutiveFailures' | 'failingSince' | 'lastSuccess' | 'openUntil' | 'probeUntil' | 'slowUntil' | 'warnedAt'
>;

/** The attribute of a webhook that holds the lease of one of its slots. */
export type SlotName = `slot${number}`;
/**
 * The attribute with the time (ms) until which a slot or the probe of a webhook is leased. `tokenName` returns the name
 * of the attribute with the token of the call that took the lease.
 */
export type LeaseName = SlotName | 'probeUntil';
export const tokenName = <N extends LeaseName>(name: N): `${N}Token` => `${name}Token`;

/** The lease of a slot: when it ends (ms), and the token that identifies its holder. */
export type SlotLease = { slot: SlotName; until: number; token: string };

/**
 * Whether `until` (ms) is in the future, but at most `longest` ms ahead: a later time dates from before the clock was
 * set back.
 */
const lasts = (until: number, longest: number, now: number): boolean => until > now && !isFuture(until, now + longest);

/**
 * Whether the receiver is known to be slow or to fail. Each request to such a receiver needs a slot, which costs
 * writes.
 */
const isSlowOrFailing = ({ consecutiveFailures, slowUntil = 0 }: Health, now: number): boolean =>
  consecutiveFailures > 0 || lasts(slowUntil, SLOW_FOR, now);

/** Whether the receiver is neither slow nor failing. */
export const isHealthy = (health: Health, now: number): boolean =>
  health.openUntil === undefined && !isSlowOrFailing(health, now);

/** Whether a delivery is a new alarm: without an attempt, and due (`dueDate`, ms) less than a minute ago. */
export const isNewAlarm = (attempts: number, dueDate: number, now: number): boolean =>
  attempts === 0 && now - dueDate < NEW_ALARM_MS;

/**
 * The time (ms) of a retry that an open circuit postpones. The more failures there are, the more these times are
 * spread.
 */
const postponedUntil = ({ openUntil = 0, consecutiveFailures }: Health, now: number, random: number): number =>
  Math.max(lasts(openUntil, MAX_OPEN, now) ? openUntil : 0, now + 1_000) +
  Math.round(random * Math.min(MAX_SPREAD, consecutiveFailures * 50));

/**
 * How a request passes the circuit breaker: without a slot, in a slot, in a slot as the only probe, after the current
 * probe has a result, or not before a time (ms).
 */
export type Passage =
  | { kind: 'free' }
  | { kind: 'slot' }
  | { kind: 'probe' }
  | { kind: 'probe_result' }
  | { kind: 'postponed'; until: number };

/** Decides whether a request may be sent now. A new alarm never waits for the end of an open circuit. */
export const passageOf = (health: Health, isAlarm: boolean, now: number, random: number): Passage => {
  const { openUntil, probeUntil = 0 } = health;
  if (openUntil === undefined) return { kind: isSlowOrFailing(health, now) ? 'slot' : 'free' };
  const isProbed = lasts(probeUntil, LEASE_MS, now);
  if (isAlarm) return { kind: isProbed ? 'probe_result' : 'probe' };
  if (!lasts(openUntil, MAX_OPEN, now) && !isProbed) return { kind: 'probe' };
  return { kind: 'postponed', until: postponedUntil(health, now, random) };
};

/**
 * Returns the circuit breaker of a receiver as the API shows it. `openUntil` (ms) is null unless the circuit is open.
 */
export const circuitOf = ({ openUntil, probeUntil = 0 }: Health, now: number): Circuit => {
  if (openUntil === undefined) return { state: 'closed', openUntil: null };
  const isOpen = lasts(openUntil, MAX_OPEN, now) && !lasts(probeUntil, LEASE_MS, now);
  return isOpen ? { state: 'open', openUntil } : { state: 'half_open', openUntil: null };
};

/**
 * The time (ms) until which the circuit stays open after a failure: until the retry of the failed delivery, at most a
 * minute. Null if the circuit stays closed.
 */
export const openUntilAfter = (failures: number, waitMs: number, now: number): number | null =>
  failures >= BREAKER_FAILURES && waitMs > 0 ? now + Math.min(waitMs, MAX_OPEN) : null;

/**
 * The time (ms) until which a receiver counts as slow after a response of this duration. Null if the response was fast.
 */
export const slowUntil = (durationMs: number, now: number): number | null =>
  durationMs >= SLOW_RESPONSE ? now + SLOW_FOR : null;

/**
 * Whether a success is worth a write: after failures, or if the last recorded success is at least a minute old or in
 * the future.
 */
export const isSuccessToRecord = (health: Health, now: number): boolean =>
  health.openUntil !== undefined ||
  isSlowOrFailing(health, now) ||
  !lasts((health.lastSuccess ?? 0) + 60_000, 60_000, now);

/** Decides what to do about a webhook that has failed for days: nothing yet, send a single warning, or disable it. */
export const failureActionOf = (health: Health, now: number): 'none' | 'warn' | 'disable' => {
  const { consecutiveFailures, failingSince = now, warnedAt = 0 } = health;
  const failingFor = now - failingSince;
  if (consecutiveFailures < DISABLE_FAILURES || failingFor < DISABLE_AFTER / 2) return 'none';
  if (failingFor >= DISABLE_AFTER) return 'disable';
  return warnedAt < failingSince ? 'warn' : 'none';
};
