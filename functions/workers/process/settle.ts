import { decide } from '../../../shared/domain/decision.ts';
import type { Happening } from '../../../shared/domain/event.ts';
import type { Rule } from '../../../shared/domain/rule.ts';
import { isWorthWriting, type SensorState, silentAt } from '../../../shared/domain/sensor-state.ts';
import type { Timings } from '../../../shared/domain/state/room-context.ts';
import { nextLook, nextMove } from '../../../shared/domain/state/time.ts';
import { ComeAgain } from '../../../shared/queue/consume.ts';
import { MAX_DELAY_SECONDS } from '../../../shared/queue/task.ts';
import type { Judged, StateItem } from '../../../shared/store/states.ts';
import { applyDecision } from './apply-decision.ts';
import { type ProcessDeps, type SensorContext, sensorContextOf } from './sensor-context.ts';
import type { NewEvent } from './step-through.ts';

/** A context by which people may be told something. */
const latest = async (deps: ProcessDeps, context: SensorContext): Promise<SensorContext> =>
  (context.isLatest ? null : (await sensorContextOf(deps, context.customerId, context.sensor.id, true)).context) ??
  context;

/** A decision that a crash may have left half done is carried out before anything else is decided. */
export const finishEarlier = async (
  deps: ProcessDeps,
  context: SensorContext,
  { decision }: StateItem,
): Promise<void> => {
  const { customerId, sensor } = context;
  if (!decision || (await deps.store.events.isCarriedOut(customerId, sensor.id, decision))) return;
  await applyDecision(deps, await latest(deps, context), decision, new Map());
};

const loadRules = async (
  { store }: ProcessDeps,
  { customerId, sensor }: SensorContext,
  events: readonly NewEvent[],
): Promise<Map<string, Rule[]>> => {
  const situations = [...new Set(events.map(({ happening }) => happening.situation).filter((one) => one !== null))];
  // Nothing fires for a sensor that nobody linked.
  const wanted = customerId === 0 ? [] : situations;
  const lists = await Promise.all(wanted.map((one) => store.rules.forSituation(customerId, sensor, one)));
  return new Map(wanted.map((situation, at) => [situation, lists[at] ?? []]));
};

/** When time moves a fall next, ms; Infinity: never. Falls that are not concerned are not asked about. */
const nextTime = (before: StateItem, next: SensorState, timings: Timings | null): number =>
  timings && next.falls !== before.falls ? nextLook(next, timings) : Number.POSITIVE_INFINITY;
const isSoon = ({ now }: ProcessDeps, time: number): boolean => time - now() <= MAX_DELAY_SECONDS * 1_000;

/**
 * When the sweep is to look at the sensor, ms: at its silence, and before an alarm that time may bring later than a queue
 * can hold a look back. Null: as it is. It is moved only when it must be, for moving costs more than the look.
 */
const watchAt = (deps: ProcessDeps, before: StateItem, next: SensorState, timings: Timings | null): number | null => {
  const woke = next.isActive && !before.isActive;
  const silent = woke ? silentAt(next, 0, deps.settings.SENSOR_INACTIVE_AFTER_SECONDS) : Number.POSITIVE_INFINITY;
  const isLate = !isSoon(deps, nextTime(before, next, timings));
  const alarm = timings && isLate ? nextMove(next, timings, 'alarm') : Number.POSITIVE_INFINITY;
  const wanted = Math.min(silent, alarm);
  return wanted < Number(before.dueAt ?? Number.POSITIVE_INFINITY) ? wanted : null;
};

/** Has time look at a fall when it moves next. */
const lookInTime = async (
  deps: ProcessDeps,
  { customerId, sensor }: SensorContext,
  before: StateItem,
  next: SensorState,
  timings: Timings | null,
): Promise<void> => {
  const time = nextTime(before, next, timings);
  if (!isSoon(deps, time)) return;
  const task = { type: 'check_sensor' as const, customerId, sensorId: sensor.id };
  await deps.enqueue([task], { delaySeconds: (time - deps.now()) / 1_000 });
};

type Outcome = { next: SensorState; events: readonly NewEvent[]; timings: Timings | null };

/**
 * Makes a state and what happened durable by one write, and carries it out; gives the state as it is then. `judged`: how
 * far the messages of the sensor are judged by it; undefined: as before. Throws when somebody else decided meanwhile:
 * it comes again.
 */
export const settle = async (
  deps: ProcessDeps,
  context: SensorContext,
  before: StateItem,
  { next, events, timings }: Outcome,
  judged: Judged | undefined,
): Promise<StateItem> => {
  const { store, settings } = deps;
  const { customerId, sensor, former } = context;
  if (events.length === 0 && !isWorthWriting(before, next, settings.SENSOR_INACTIVE_AFTER_SECONDS)) return before;
  const [rules] = await Promise.all([
    loadRules(deps, context, events),
    events.length > 0 ? finishEarlier(deps, context, before) : null,
  ]);
  const rulesFor = ({ situation }: Happening) => (situation === null ? [] : (rules.get(situation) ?? []));
  const { fired, decided } = decide(before.fired, events, rulesFor);
  const isHit = decided.some((event) => event.rules.length > 0);
  // Before the decision is written: nobody can have made a hit of it yet.
  const after = isHit ? await store.ruleHits.tail(customerId) : null;
  const decision = decided.length > 0 ? { decided, after } : before.decision;
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
  // First the look: once the state says that a fall goes on, somebody comes for it.
  if (!former) await lookInTime(deps, context, before, next, timings);
  deps.failpoint('process.judged');
  if (!(await store.states.decide(customerId, sensor.id, before.version, state, watch, former?.ttl ?? null)))
    throw new ComeAgain('the state of the sensor was changed meanwhile');
  if (decided.length > 0) deps.measure('Events', decided.length);
  if (isHit) deps.measure('RuleHits', decided.flatMap((event) => event.rules).length);
  const known = new Map([...rules.values()].flat().map((rule) => [rule.id, rule]));
  if (decided.length > 0) await applyDecision(deps, context, { decided, after }, known);
  return { ...state, version: before.version + 1 };
};
