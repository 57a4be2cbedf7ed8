import { type Decided, type Decision, numberAfter } from '#shared/domain/event/decision.ts';
import type { EventDetails } from '#shared/domain/event/event.ts';
import { fallKeyOf } from '#shared/domain/event/fall-key.ts';
import type { Rule } from '#shared/domain/rule/rule.ts';
import { evaluateRules } from '#shared/domain/rule/rule-conditions.ts';
import { isWorthWriting, type SensorState, silentAt } from '#shared/domain/sensor/sensor-state.ts';
import { isFuture } from '#shared/domain/state/clock.ts';
import { nextCheck, nextMove } from '#shared/domain/state/time.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import { MAX_DELAY_SECONDS } from '#shared/queue/encode.ts';
import type { StateItem } from '#shared/store/sensors/state-item.ts';
import { RetryLater } from '#shared/worker/failure.ts';
import { finishDecision, type RulesById } from './apply.ts';
import { type ProcessDeps, type SensorContext, sensorKey } from './context.ts';
import type { Judgement, NewEvent } from './judge.ts';

/** The outcome of a judgement. `state` is the sensor state after the judgement. */
type DecisionOutcome =
  /** Nothing was written. */
  | { kind: 'unchanged'; state: StateItem }
  /** The state was written, without an event. */
  | { kind: 'noted'; state: StateItem }
  /** The state and the decision were written. */
  | { kind: 'decided'; state: StateItem; decision: Decision; rules: RulesById };

const loadRules = async (
  { store }: ProcessDeps,
  { customerId, sensor }: SensorContext,
  events: readonly NewEvent[],
): Promise<Map<string, Rule[]>> => {
  const situations = [
    ...new Set(events.map(({ happening }) => happening.situation).filter((situation) => situation !== null)),
  ];
  // Rules do not fire for unlinked sensors.
  const wanted = customerId === UNASSIGNED ? [] : situations;
  const lists = await Promise.all(wanted.map((situation) => store.rules.forSituation(customerId, sensor, situation)));
  return new Map(wanted.map((situation, at) => [situation, lists[at] ?? []]));
};

/** Returns an event as stored with a decision. Kept small because every state write includes it. */
const storedEvent = ({ requestId: _, ...event }: Decided, rules: RulesById): Decided => {
  const { subject, isSilent: __, newFall: ___, ...happening } = event.happening;
  // The subject is needed only for rules whose escalation ends with the event.
  if (subject && event.rules.some((id) => rules.get(id)?.untilAcknowledged === false))
    return { ...event, happening: { ...happening, subject } };
  const fall = fallKeyOf(subject);
  return { ...event, happening, ...(fall !== null && { fall }) };
};

/** A decision that has not been written yet, and when each rule last fired, including in this decision. */
type NewDecision = { decision: Decision; fired: SensorState['fired']; rules: RulesById };

/** Decides which rules fire. The state holds one decision, so the previous one is finished before it is replaced. */
const decideRules = async (
  deps: ProcessDeps,
  context: SensorContext,
  { events, next }: Judgement,
): Promise<NewDecision> => {
  const { customerId, state: before } = context;
  const [rulesOf] = await Promise.all([loadRules(deps, context, events), finishDecision(deps, context)]);
  const rulesFor = ({ situation }: EventDetails) => (situation === null ? [] : (rulesOf.get(situation) ?? []));
  const { fired, decided } = evaluateRules(next.fired, events, rulesFor);
  // Read before the decision is written, so no hit from this decision can exist yet.
  const isHit = decided.some((event) => event.rules.length > 0);
  const after = isHit ? await deps.store.ruleHits.lastPlace(customerId) : null;
  const rules = new Map([...rulesOf.values()].flat().map((rule) => [rule.id, rule]));
  const numbered = numberAfter(before.decision, deps.now());
  return { decision: { decided, after, numbered }, fired, rules };
};

/** Returns when (ms) the passage of time next advances a fall in this judgement, or Infinity if it advances none. */
const nextFallCheck = ({ state }: SensorContext, { next, timings }: Judgement): number =>
  timings && next.falls !== state.falls ? nextCheck(next, timings) : Number.POSITIVE_INFINITY;
/** Whether a queue can delay a task until the given time (ms). */
const isSoon = ({ now }: ProcessDeps, time: number): boolean => time - now() <= MAX_DELAY_SECONDS * 1_000;

/**
 * Returns when (ms) the sweep next has to check the sensor. That is when a sensor that is back online would count as
 * offline again, or when an alarm is due, if a queue cannot delay a task that long. Null if the entry in the `due`
 * index stays as it is, because moving it costs more than a needless check.
 */
const nextSweepCheck = (deps: ProcessDeps, context: SensorContext, judgement: Judgement): number | null => {
  const { next, timings } = judgement;
  const { state: before } = context;
  // An entry from before the clock was set back may be far in the future.
  const isBackOnline = next.isActive && (!before.isActive || isFuture(before.lastSeen, deps.now()));
  const offline = isBackOnline
    ? silentAt(next, 0, deps.settings.SENSOR_INACTIVE_AFTER_SECONDS)
    : Number.POSITIVE_INFINITY;
  const isFar = !isSoon(deps, nextFallCheck(context, judgement));
  const alarm = timings && isFar ? nextMove(next, timings, 'alarm') : Number.POSITIVE_INFINITY;
  const wanted = Math.min(offline, alarm);
  return wanted < Number(before.dueAt ?? Number.POSITIVE_INFINITY) ? wanted : null;
};

/** Enqueues the task that advances a fall at the right time. */
const enqueueFallCheck = async (deps: ProcessDeps, context: SensorContext, judgement: Judgement): Promise<void> => {
  const time = nextFallCheck(context, judgement);
  if (!isSoon(deps, time)) return;
  const task = { type: 'check_sensor' as const, ...sensorKey(context) };
  await deps.enqueue([task], { delaySeconds: (time - deps.now()) / 1_000 });
};

/** Returns the state after a judgement. The state keeps the previous decision if there is no new one. */
const stateAfter = (before: StateItem, { next, judged }: Judgement, created: NewDecision | null): StateItem => {
  const { duePk, dueAt, decision } = before;
  const position = judged ?? before.judged;
  const stored = created && {
    ...created.decision,
    decided: created.decision.decided.map((event) => storedEvent(event, created.rules)),
  };
  return {
    ...next,
    ...(position && { judged: position }),
    ...(duePk && dueAt && { duePk, dueAt }),
    fired: created?.fired ?? next.fired,
    decision: stored ?? decision,
  };
};

/**
 * Decides what follows from a judgement, and stores the state and the decision in one conditional write. Throws
 * RetryLater if another process has changed the state.
 */
export const decide = async (
  deps: ProcessDeps,
  context: SensorContext,
  judgement: Judgement,
): Promise<DecisionOutcome> => {
  const { next, events, judged } = judgement;
  const { state: before, former } = context;
  // Must be written, because reports skip the queue only once the state shows that all earlier calls have been judged.
  const isCallJudged = judged !== undefined && judged.run?.last !== before.judged?.run?.last;
  const mustWrite =
    events.length > 0 || isCallJudged || isWorthWriting(before, next, deps.settings.SENSOR_INACTIVE_AFTER_SECONDS);
  if (!mustWrite) return { kind: 'unchanged', state: before };

  const created = events.length > 0 ? await decideRules(deps, context, judgement) : null;
  const state = stateAfter(before, judgement, created);
  const times = {
    checkAt: former ? null : nextSweepCheck(deps, context, judgement),
    formerUntil: former?.ttl ?? null,
  };
  // The check is enqueued first, so a task exists for every open fall in a state.
  if (!former) await enqueueFallCheck(deps, context, judgement);
  deps.failpoint('process.judged');
  if (!(await deps.store.states.decide(sensorKey(context), before.version, state, times)))
    throw new RetryLater('another process has changed the state of the sensor');

  const written = { ...state, version: before.version + 1 };
  if (!created) return { kind: 'noted', state: written };
  const hits = created.decision.decided.flatMap((event) => event.rules).length;
  deps.measure('Events', events.length);
  if (hits > 0) deps.measure('RuleHits', hits);
  return { kind: 'decided', state: written, decision: created.decision, rules: created.rules };
};
