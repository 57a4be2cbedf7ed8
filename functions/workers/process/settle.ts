import { type Decided, decide, numberAfter } from '#shared/domain/event/decision.ts';
import type { EventDetails } from '#shared/domain/event/event.ts';
import type { Rule } from '#shared/domain/rule/rule.ts';
import { isWorthWriting, type SensorState, silentAt } from '#shared/domain/sensor/sensor-state.ts';
import type { Timings } from '#shared/domain/state/room-context.ts';
import { nextLook, nextMove } from '#shared/domain/state/time.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import { MAX_DELAY_SECONDS } from '#shared/queue/encode.ts';
import type { JudgedPosition, StateItem } from '#shared/store/sensors/states.ts';
import { ComeAgain } from '#shared/worker/failure.ts';
import { applyDecision } from './apply-decision.ts';
import { finishEarlier } from './finish-earlier.ts';
import type { ProcessDeps, SensorContext } from './sensor-context.ts';
import type { NewEvent, Step } from './step-by-input.ts';

const loadRules = async (
  { store }: ProcessDeps,
  { customerId, sensor }: SensorContext,
  events: readonly NewEvent[],
): Promise<Map<string, Rule[]>> => {
  const situations = [
    ...new Set(events.map(({ happening }) => happening.situation).filter((situation) => situation !== null)),
  ];
  // No rule fires for a sensor that is not linked.
  const wanted = customerId === UNASSIGNED ? [] : situations;
  const lists = await Promise.all(wanted.map((situation) => store.rules.forSituation(customerId, sensor, situation)));
  return new Map(wanted.map((situation, at) => [situation, lists[at] ?? []]));
};

/** A step, and up to which message the sensor is judged by it; undefined leaves that as it is. */
type JudgedStep = Step & { judged: JudgedPosition | undefined };

/** When (ms) time next moves a fall on; Infinity when it moves none. */
const nextTime = (before: StateItem, next: SensorState, timings: Timings | null): number =>
  timings && next.falls !== before.falls ? nextLook(next, timings) : Number.POSITIVE_INFINITY;
const isSoon = ({ now }: ProcessDeps, time: number): boolean => time - now() <= MAX_DELAY_SECONDS * 1_000;

/**
 * When (ms) the sweep has to check the sensor: when it would be silent, and before an alarm that time raises later than a
 * queue can delay. Null when the due index stays as it is: moving its entry costs more than a check in vain.
 */
const watchAt = (deps: ProcessDeps, before: StateItem, next: SensorState, timings: Timings | null): number | null => {
  const woke = next.isActive && !before.isActive;
  const silent = woke ? silentAt(next, 0, deps.settings.SENSOR_INACTIVE_AFTER_SECONDS) : Number.POSITIVE_INFINITY;
  const isLate = !isSoon(deps, nextTime(before, next, timings));
  const alarm = timings && isLate ? nextMove(next, timings, 'alarm') : Number.POSITIVE_INFINITY;
  const wanted = Math.min(silent, alarm);
  return wanted < Number(before.dueAt ?? Number.POSITIVE_INFINITY) ? wanted : null;
};

/** Enqueues the task that checks a fall at the moment when time moves it on. */
const lookInTime = async (
  deps: ProcessDeps,
  { customerId, sensor }: SensorContext,
  before: StateItem,
  { next, timings }: JudgedStep,
): Promise<void> => {
  const time = nextTime(before, next, timings);
  if (!isSoon(deps, time)) return;
  const task = { type: 'check_sensor' as const, customerId, sensorId: sensor.id };
  await deps.enqueue([task], { delaySeconds: (time - deps.now()) / 1_000 });
};

/** An event of a decision without what only a rule needs that asks whether it is over: each byte is written with each state. */
const withoutSubject = (event: Decided, known: ReadonlyMap<number, Rule>): Decided => {
  if (event.rules.some((id) => known.get(id)?.untilAcknowledged === false)) return event;
  const { subject: _, ...happening } = event.happening;
  return { ...event, happening };
};

/**
 * Writes state and decision with one conditional write, then applies the decision. Returns the new state. Throws when
 * another process decided meanwhile, so that the messages come again.
 */
export const settle = async (
  deps: ProcessDeps,
  context: SensorContext,
  before: StateItem,
  step: JudgedStep,
): Promise<StateItem> => {
  const { next, events, timings, judged } = step;
  const { store, settings } = deps;
  const { customerId, sensor, former } = context;
  // Reports are answered without the queue only once the state says that all calls before were judged.
  const isCallJudged = judged !== undefined && judged.run?.last !== before.judged?.run?.last;
  const isNews = isCallJudged || isWorthWriting(before, next, settings.SENSOR_INACTIVE_AFTER_SECONDS);
  if (events.length === 0 && !isNews) return before;
  const [rules] = await Promise.all([
    loadRules(deps, context, events),
    events.length > 0 ? finishEarlier(deps, context, before) : null,
  ]);
  const rulesFor = ({ situation }: EventDetails) => (situation === null ? [] : (rules.get(situation) ?? []));
  const { fired, decided } = decide(before.fired, events, rulesFor);
  const isHit = decided.some((event) => event.rules.length > 0);
  // This is read before the decision is written, when no hit of it can exist yet.
  const after = isHit ? await store.ruleHits.tail(customerId) : null;
  // Which call it was is for logs: in each of many events it would cost as much as they do.
  const known = new Map([...rules.values()].flat().map((rule) => [rule.id, rule]));
  const kept = decided.map(({ requestId: _, ...event }) => withoutSubject(event, known));
  const numbered = numberAfter(before.decision, deps.now());
  const decision = decided.length > 0 ? { decided: kept, after, numbered } : before.decision;
  const { duePk, dueAt } = before;
  const watch = former ? null : watchAt(deps, before, next, timings);
  const state: StateItem = {
    ...next,
    ...(before.judged && { judged: before.judged }),
    ...(duePk && dueAt && { duePk, dueAt }),
    ...(judged && { judged }),
    fired,
    decision,
  };
  // The check is enqueued first: once the state holds a fall that goes on, a task for it exists.
  if (!former) await lookInTime(deps, context, before, step);
  deps.failpoint('process.judged');
  const times = { watchAt: watch, formerUntil: former?.ttl ?? null };
  if (!(await store.states.decide({ customerId, sensorId: sensor.id }, before.version, state, times)))
    throw new ComeAgain('the state of the sensor was changed meanwhile');
  if (decided.length > 0) deps.measure('Events', decided.length);
  if (isHit) deps.measure('RuleHits', decided.flatMap((event) => event.rules).length);
  if (decided.length > 0) await applyDecision(deps, context, { decided, after, numbered }, known);
  return { ...state, version: before.version + 1 };
};
