import type { Decided } from '../event/decision.ts';
import type { EventDetails } from '../event/event.ts';
import type { SensorState } from '../sensor/sensor-state.ts';
import { isScheduled } from '../time/wall-time.ts';
import { isUrgent } from './alarm.ts';
import type { Rule } from './rule.ts';

/** When (ms) an event happened according to the device, and when its cause was received. */
type EventDates = { createDate: number; receiveDate: number };
type Condition = (rule: Rule, event: EventDetails, dates: EventDates, firedAt: number | undefined) => boolean;

/** The conditions under which a rule fires, cheapest first. */
const conditions = {
  isEnabled: ({ isEnabled }) => isEnabled,
  situation: ({ situation }, event) => situation === event.situation,
  isSilent: (_, { isSilent }) => !isSilent,
  isSimulated: ({ includeSimulated }, { isSimulated }) => includeSimulated || !isSimulated,
  region: ({ regionId }, { region }) => regionId === null || regionId === region?.id,
  // An alarm concerns the people present when it is received, and the device clock may be hours behind.
  schedule: ({ schedule, situation }, _, { createDate, receiveDate }) =>
    schedule === null ||
    isScheduled(schedule, createDate) ||
    (isUrgent(situation) && isScheduled(schedule, receiveDate)),
  // A late event may be older than the last one that fired the rule.
  rateLimit: ({ rateLimitSeconds }, { newFall }, { createDate }, firedAt) =>
    newFall === true || firedAt === undefined || Math.abs(createDate - firedAt) >= rateLimitSeconds * 1_000,
} as const satisfies Record<string, Condition>;
export type UnmetCondition = keyof typeof conditions;

/**
 * Whether a rule fires for an event. The rule scope (sensor, group, customer) is not checked here, because rules are
 * looked up by scope.
 */
export const fires: Condition = (...args) => Object.values(conditions).every((holds) => holds(...args));

/** Returns the names of the conditions that prevent a rule from firing. Empty if the rule fires. */
export const unmetConditions = (...args: Parameters<Condition>): UnmetCondition[] =>
  (Object.keys(conditions) as UnmetCondition[]).filter((name) => !conditions[name](...args));

/** The longest rate limit (ms) a rule can have. */
const MAX_RATE_LIMIT = 86_400_000;

/** Updates the last firing times for the rules fired by an event. Times too old for any rate limit are removed. */
const withFired = (fired: SensorState['fired'], { createDate, rules }: Decided): SensorState['fired'] => {
  if (rules.length === 0) return fired;
  const recent = Object.entries(fired).filter(([, time]) => createDate - time <= MAX_RATE_LIMIT);
  const fresh = rules.map((ruleId) => [ruleId, Math.max(createDate, fired[ruleId] ?? 0)]);
  return Object.fromEntries([...recent, ...fresh]);
};

/**
 * Returns the events in order, with the rules that fire for each. The same state, events and rules lead to the same
 * decision. `rulesFor` returns the rules loaded for the event situation.
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
