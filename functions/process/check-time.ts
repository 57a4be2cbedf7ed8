import { timeOf, timePassing } from '../../shared/domain/decision.ts';
import { silentAt } from '../../shared/domain/sensor-state.ts';
import { hasOpenFall, nextMove } from '../../shared/domain/state/time.ts';
import type { StateItem } from '../../shared/store/events.ts';
import { carryOut } from './carry-out.ts';
import type { Place, ProcessDeps } from './place.ts';
import { surroundingsOf } from './surroundings.ts';
import { tryToDecide } from './try-to-decide.ts';

/** A decision by time that a crash left half done is carried out again; then it is no more. */
const afterCrash = async (deps: ProcessDeps, place: Place, state: StateItem): Promise<StateItem> => {
  if (!state.decision?.byTime) return state;
  await carryOut(deps, place, null, state.decision, new Map());
  return { ...state, decision: null };
};

/**
 * Looks what time made of a sensor: has it been silent for too long, does a fall move on by itself? A message that comes
 * at the same time wins; a bell that comes early, late or again finds nothing to do.
 */
export const checkTime = async (deps: ProcessDeps, place: Place): Promise<void> => {
  const { store, now, settings } = deps;
  const { customerId, sensor } = place;
  const found = await store.events.state(customerId, sensor.id);
  if (!found?.duePk) return;
  const state = await afterCrash(deps, place, found);
  const needs = { regions: false, critical: hasOpenFall(state) };
  const [{ timings }, upSince] = await Promise.all([
    surroundingsOf(deps, place, needs),
    store.due.upSince(now(), deps.longestGap()),
  ]);
  const silent = silentAt(state, upSince, settings.SENSOR_INACTIVE_AFTER_SECONDS);
  const cause = timeOf(sensor.id, state, now());
  const outcome = timePassing(state, cause, { silentAt: silent, timings });
  const made = outcome.events.length > 0 ? await tryToDecide(deps, place, state, cause, outcome, timings) : undefined;
  if (made === null) return;
  if (made) await carryOut(deps, place, null, made.decision, made.rules);
  const { next } = outcome;
  const isDue = Number(state.dueAt) <= now();
  if (!made && !isDue && !found.decision?.byTime) return;
  const lookAt = Math.min(next.isActive ? silent : Number.POSITIVE_INFINITY, nextMove(next, timings, 'any'));
  const after = { ...found, version: state.version + (made ? 1 : 0), decision: made?.decision ?? found.decision };
  await store.events.watch(customerId, sensor.id, after, Number.isFinite(lookAt) ? lookAt : null);
};
