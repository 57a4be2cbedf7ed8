import type { StateItem } from '#shared/store/sensors/states.ts';
import type { Received } from '#shared/worker/consume.ts';
import { ComeAgain, kindOfFailure } from '#shared/worker/failure.ts';
import { applyDecision } from './apply-decision.ts';
import { type ProcessDeps, type SensorContext, sensorContextOf } from './sensor-context.ts';

/** A context that is fresh enough to decide alarms by. */
const latest = async (deps: ProcessDeps, context: SensorContext): Promise<SensorContext> => {
  const place = { customerId: context.customerId, sensorId: context.sensor.id };
  return (context.isLatest ? null : (await sensorContextOf(deps, place, true)).context) ?? context;
};

/** Applies the previous decision, which a crash may have left half applied, before anything else is decided. */
export const finishEarlier = async (
  deps: ProcessDeps,
  context: SensorContext,
  { decision }: StateItem,
): Promise<void> => {
  const { customerId, sensor } = context;
  if (!decision || (await deps.store.events.isApplied(customerId, sensor.id, decision, deps.now()))) return;
  await applyDecision(deps, await latest(deps, context), decision, new Map());
};

type PutAside = NonNullable<Received<unknown>['putAside']>;

/**
 * Finishes the previous decision. One that fails by itself is put aside, so that the sensor goes on without it. Gives the
 * state after that.
 */
export const finishOrPutAside = async (
  deps: ProcessDeps,
  context: SensorContext,
  state: StateItem,
  putAside: PutAside,
): Promise<StateItem> => {
  const { customerId, sensor, former } = context;
  try {
    await finishEarlier(deps, context, state);
    return state;
  } catch (error) {
    if (error instanceof ComeAgain || kindOfFailure(error) !== 'other') throw error;
    await putAside(state.decision, `a decision fails by itself: ${error}`);
    const next = { ...state, decision: null };
    const place = { customerId, sensorId: sensor.id };
    if (!(await deps.store.states.decide(place, state.version, next, { formerUntil: former?.ttl ?? null })))
      throw new ComeAgain('the state of the sensor was changed meanwhile');
    return { ...next, version: state.version + 1 };
  }
};
