import type { HitNumber, HitPosition } from '../rule/hit-position.ts';
import type { Rule } from '../rule/rule.ts';
import { fires } from '../rule/rule-conditions.ts';
import type { SensorState } from '../sensor/sensor-state.ts';
import type { EventDetails } from './event.ts';

/** One event of a decision, with the rules that fire for it. Each of these rules creates a hit. */
export type Decided = {
  id: number;
  uuid: string;
  /** When (ms) the cause of the event was received. */
  receiveDate: number;
  /** The uuid of the message that caused the event. Null if the service created the event. */
  source: string | null;
  /** The `X-Request-Id` of the API call that brought the message, for logs. It is not stored. */
  requestId?: string;
  /** The message is too long to be shown in lists. */
  isLong?: true;
  /** When (ms) the event happened. */
  createDate: number;
  /** The details of the event, stored with the state under this name. */
  happening: EventDetails;
  /** The key of the fall that the event is about, if it is stored without its subject. */
  fall?: string;
  /** Ids of the rules that fire. */
  rules: number[];
};

/**
 * The decision about one or more messages: enough to apply it, and to reapply it after a crash. `after` is an earlier hit of
 * the customer, which the hits of this decision follow; null if the decision has no hit. `numbered` is the number of the
 * sensor's previous hit.
 */
export type Decision = { decided: Decided[]; after: HitPosition | null; numbered: HitNumber };

/** Returns the number of the last hit of a decision. Without a decision, a new series begins at `now` (ms). */
export const numberAfter = (decision: Decision | null, now: number): HitNumber => {
  if (!decision) return { series: now, number: 0 };
  const { series, number } = decision.numbered;
  return { series, number: number + decision.decided.flatMap(({ rules }) => rules).length };
};

/** The longest rate limit (ms) of a rule. */
const MAX_RATE_LIMIT = 86_400_000;

/**
 * Adds the rules that an event fired to the last firing times of rules. Times that are too old for any rate limit are
 * removed.
 */
const withFired = (fired: SensorState['fired'], { createDate, rules }: Decided): SensorState['fired'] => {
  if (rules.length === 0) return fired;
  const recent = Object.entries(fired).filter(([, time]) => createDate - time <= MAX_RATE_LIMIT);
  const fresh = rules.map((ruleId) => [ruleId, Math.max(createDate, fired[ruleId] ?? 0)]);
  return Object.fromEntries([...recent, ...fresh]);
};

/**
 * Returns the events in their order, with the rules that fire for each. The same state, events and rules lead to the same
 * decision. `rulesFor` returns the rules that were loaded for the situation of an event.
 */
export const evaluateRules = (
  before: SensorState['fired'],
  events: readonly Omit<Decided, 'rules'>[],
  rulesFor: (details: EventDetails) => readonly Rule[],
): { fired: SensorState['fired']; decided: Decided[] } => {
  let fired = before;
  const decided = events.map((event): Decided => {
    const rules = rulesFor(event.happening)
      .filter((rule) => fires(rule, event.happening, event, fired[rule.id]))
      .map(({ id }) => id);
    const decidedEvent = { ...event, rules };
    fired = withFired(fired, decidedEvent);
    return decidedEvent;
  });
  return { fired, decided };
};
