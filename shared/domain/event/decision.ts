import type { Rule } from '../rule/rule.ts';
import { fires } from '../rule/rule-conditions.ts';
import type { HitNumber, HitPlace } from '../rule/rule-hit.ts';
import type { SensorState } from '../sensor/sensor-state.ts';
import type { EventDetails } from './event.ts';

/** One event of a decision, with the rules that fire for it. Each of these rules makes a hit. */
export type Decided = {
  id: number;
  uuid: string;
  /** When (ms) the cause of the event was received. */
  receiveDate: number;
  /** The uuid of the message that caused the event. It is null if the service made the event. */
  source: string | null;
  /** The `X-Request-Id` of the API call that brought the message, for logs. It is not stored. */
  requestId?: string;
  /** The message is too long to be shown in lists. */
  isLong?: true;
  /** When (ms) the event happened. */
  createDate: number;
  /** Stored with the state under this name. */
  happening: EventDetails;
  /** Ids of the rules that fire. */
  rules: number[];
};

/**
 * The decision about one or several messages: enough to apply it, and to apply it again after a crash. `after` is an
 * earlier hit of the customer, after which the hits of this decision come; it is null if the decision makes no hit.
 * `numbered`: the number of the sensor's last hit before.
 */
export type Decision = { decided: Decided[]; after: HitPlace | null; numbered: HitNumber };

/** The number of the last hit that a decision makes; where nothing was decided before, a new series begins `now` (ms). */
export const numberAfter = (decision: Decision | null, now: number): HitNumber => {
  if (!decision) return { series: now, number: 0 };
  const { series, number } = decision.numbered;
  return { series, number: number + decision.decided.flatMap(({ rules }) => rules).length };
};

/** The longest span (ms) that a rule's rate limit can have. */
const LONGEST_RATE_LIMIT = 86_400_000;

/**
 * Adds the rules that an event fired to the times at which each rule fired last. Times that are too old for any rate
 * limit are removed.
 */
const remember = (fired: SensorState['fired'], { createDate, rules }: Decided): SensorState['fired'] => {
  if (rules.length === 0) return fired;
  const recent = Object.entries(fired).filter(([, time]) => createDate - time <= LONGEST_RATE_LIMIT);
  const fresh = rules.map((ruleId) => [ruleId, Math.max(createDate, fired[ruleId] ?? 0)]);
  return Object.fromEntries([...recent, ...fresh]);
};

/**
 * Returns the rules that fire for events, in their order. The same state, events and rules lead to the same decision.
 * `rulesFor` returns the rules that were loaded for the situation of an event.
 */
export const evaluateRules = (
  before: SensorState['fired'],
  events: readonly Omit<Decided, 'rules'>[],
  rulesFor: (details: EventDetails) => readonly Rule[],
): { fired: SensorState['fired']; decided: Decided[] } => {
  let fired = before;
  const decided = events.map((event): Decided => {
    const rules = rulesFor(event.happening)
      .filter((rule) => fires(rule, event.happening, event.createDate, fired[rule.id]))
      .map(({ id }) => id);
    const decidedEvent = { ...event, rules };
    fired = remember(fired, decidedEvent);
    return decidedEvent;
  });
  return { fired, decided };
};
