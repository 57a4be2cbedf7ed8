import { type Cause, type Decision, decide, type Outcome } from '../../shared/domain/decision.ts';
import type { Happening } from '../../shared/domain/event.ts';
import { inOrder, timeOrderedId } from '../../shared/domain/ids.ts';
import type { Rule } from '../../shared/domain/rule.ts';
import { silentAt } from '../../shared/domain/sensor-state.ts';
import type { Timings } from '../../shared/domain/state/surroundings.ts';
import { nextLook, nextMove } from '../../shared/domain/state/time.ts';
import { MAX_DELAY_SECONDS } from '../../shared/queue/bell.ts';
import type { StateItem } from '../../shared/store/events.ts';
import { carryOut } from './carry-out.ts';
import { type Place, type ProcessDeps, placeOf } from './place.ts';

type Made = { decision: Decision; rules: Map<number, Rule> };

const loadRules = async ({ store }: ProcessDeps, { customerId, sensor }: Place, { events }: Outcome) => {
  const situations = [...new Set(events.map(({ happening }) => happening.situation).filter((one) => one !== null))];
  // Nothing fires for a sensor that nobody linked.
  const wanted = customerId === 0 ? [] : situations;
  const lists = await Promise.all(wanted.map((one) => store.rules.forSituation(customerId, sensor, one)));
  return new Map(wanted.map((situation, at) => [situation, lists[at] ?? []]));
};

/** A place by which people may be told something. */
const latest = async (deps: ProcessDeps, place: Place): Promise<Place> =>
  (place.isLatest ? null : await placeOf(deps, place.customerId, place.sensor.id, true)) ?? place;

/** A decision that a crash may have left half done is carried out before anything new is decided. */
const finishEarlier = async (deps: ProcessDeps, place: Place, state: StateItem, uuid: string): Promise<void> => {
  const { decision } = state;
  if (!decision || decision.uuid === uuid) return;
  // What is not due any more was carried out; it may be weeks ago.
  if (decision.byTime)
    return state.duePk ? carryOut(deps, await latest(deps, place), null, decision, new Map()) : undefined;
  const { events } = deps.store;
  // It is done for ever once it is seen to be done; that it waits still, only a consistent read knows.
  const seen = await events.getEventual(place.customerId, place.sensor.id, decision.uuid);
  const earlier = seen?.duePk ? await events.get(place.customerId, place.sensor.id, decision.uuid) : null;
  if (earlier?.duePk) await carryOut(deps, await latest(deps, place), earlier, decision, new Map());
};

/**
 * When the sweeper is to look at the sensor, ms: at its silence, and before an alarm that time may bring. Null: as it
 * is. It is moved only when it must be, for moving costs more than the look.
 */
const watchAt = (
  { settings }: ProcessDeps,
  before: StateItem,
  { next }: Outcome,
  timings: Timings | null,
): number | null => {
  const woke = next.isActive && !before.isActive;
  const silent = woke ? silentAt(next, 0, settings.SENSOR_INACTIVE_AFTER_SECONDS) : Number.POSITIVE_INFINITY;
  const alarm = timings ? nextMove(next, timings, 'alarm') : Number.POSITIVE_INFINITY;
  const wanted = Math.min(silent, alarm);
  return wanted < Number(before.dueAt ?? Number.POSITIVE_INFINITY) ? wanted : null;
};

/** Rings when time moves a fall next: the sweeper, who would look too, comes once in a minute. */
const ringFor = async (
  { ringEvents, now }: ProcessDeps,
  { customerId: c, sensor }: Place,
  before: StateItem,
  { next }: Outcome,
  timings: Timings | null,
): Promise<void> => {
  if (!timings || next.falls === before.falls) return;
  const delaySeconds = (nextLook(next, timings) - now()) / 1_000;
  if (delaySeconds <= MAX_DELAY_SECONDS) await ringEvents([{ c, s: sensor.id, e: [] }], delaySeconds);
};

/**
 * Decides about a cause from the state as it is; null: another decision came first. `timings` null: no fall that time
 * moves is concerned.
 */
export const tryToDecide = async (
  deps: ProcessDeps,
  place: Place,
  state: StateItem,
  cause: Cause,
  outcome: Outcome,
  timings: Timings | null,
): Promise<Made | null> => {
  const { store, random } = deps;
  const { customerId, sensor } = place;
  await finishEarlier(deps, place, state, cause.uuid);
  const rules = await loadRules(deps, place, outcome);
  const rulesFor = ({ situation }: Happening) => (situation === null ? [] : (rules.get(situation) ?? []));
  const anyOf = (time: number) => timeOrderedId(time, Buffer.from(random(2)).readUInt16BE());
  const draw = inOrder(anyOf, state.decision?.decided.at(-1));
  const { fired, decision: made } = decide(state, outcome.events, cause, rulesFor, draw);
  // Before the decision is written: nobody can have made a hit of it yet.
  const isHit = made.decided.some((event) => event.rules.length > 0);
  const decision: Decision = { ...made, after: isHit ? await store.ruleHits.tail(customerId) : null };
  // What was decided by time stays due until it is carried out.
  const watch = cause.byTime || place.former ? null : watchAt(deps, state, outcome, timings);
  const { duePk, dueAt } = state;
  const after: StateItem = { ...outcome.next, ...(duePk && dueAt && { duePk, dueAt }), fired, decision };
  deps.crashpoint(10);
  const formerUntil = place.former?.ttl ?? null;
  if (!(await store.events.decide(customerId, sensor.id, state.version, after, watch, formerUntil))) return null;
  if (!place.former) await ringFor(deps, place, state, outcome, timings);
  return { decision, rules: new Map([...rules.values()].flat().map((rule) => [rule.id, rule])) };
};
