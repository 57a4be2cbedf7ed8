import { stepByTime, timeCause } from '#shared/domain/event/event-steps.ts';
import { silentAt } from '#shared/domain/sensor/sensor-state.ts';
import { isFuture } from '#shared/domain/state/clock.ts';
import type { Timings } from '#shared/domain/state/room-context.ts';
import { hasOpenFall, nextMove } from '#shared/domain/state/time.ts';
import { applyDecision, finishDecision } from './apply.ts';
import { currentState, loadRoom, loadSensor, type ProcessDeps, type SensorContext, type SensorKey } from './context.ts';
import { decide } from './decide.ts';
import { createEventIds, type Judgement } from './judge.ts';

/** Judges how the passage of time changes a sensor. It may have been offline for too long, and falls may advance. */
const judgeTime = async (
  deps: ProcessDeps,
  context: SensorContext,
): Promise<Judgement & { timings: Timings; offlineAt: number }> => {
  const { store, now, settings } = deps;
  const { sensor } = context;
  const state = await currentState(deps, context.state);
  const needs = { regions: false, places: false, critical: hasOpenFall(state) };
  const [{ timings }, upSince] = await Promise.all([
    loadRoom(deps, context, needs),
    store.due.upSince(now(), deps.longestGap()),
  ]);
  const offlineAt = silentAt(state, upSince, settings.SENSOR_INACTIVE_AFTER_SECONDS);
  const limits = { silentAt: offlineAt, timings };
  const { next, events } = stepByTime(state, timeCause(sensor.id, state, now()), limits);
  const newEventId = createEventIds(deps, context.state);
  const identified = events.map((event) => ({ ...event, id: newEventId(event.createDate) }));
  return { next, events: identified, timings, judged: undefined, offlineAt };
};

/**
 * Checks how the passage of time changes a sensor. If a message is processed at the same time, the message wins. Checks
 * that run early or twice change nothing.
 */
export const checkTime = async (deps: ProcessDeps, key: SensorKey): Promise<void> => {
  const { store, now } = deps;
  const { customerId, sensorId } = key;
  // Loads the latest context, because the passage of time may cause an alarm.
  const loaded = await loadSensor(deps, key, 'latest');
  const { state } = loaded.kind === 'gone' ? loaded : loaded.context;
  if (loaded.kind === 'gone' || loaded.context.former) {
    if (state.duePk) await store.states.scheduleCheck(customerId, sensorId, state, null);
    return;
  }
  const { context } = loaded;
  // Only these checks reapply decisions not caused by a message.
  if (state.decision?.decided.every(({ source }) => source === null)) await finishDecision(deps, context);

  const judgement = await judgeTime(deps, context);
  const hasChanged = judgement.events.length > 0 || judgement.next.falls !== context.state.falls;
  const outcome = hasChanged ? await decide(deps, context, judgement) : null;
  if (outcome?.kind === 'decided') await applyDecision(deps, context, outcome.decision, outcome.rules);

  const { next, timings, offlineAt } = judgement;
  if (state.duePk === undefined) return;
  const { state: after } = outcome ?? context;
  const checkAt = nextMove(next, timings, 'any');
  // While the sensor is active, the entry in the `due` index stays in place, and the sweep checks the state instead.
  // The entry is moved only if it is too late because the clock was set back.
  const latest = Math.min(offlineAt, checkAt);
  if (next.isActive && isFuture(Number(state.dueAt), latest))
    return store.states.scheduleCheck(customerId, sensorId, after, latest);
  if (next.isActive || (Number(state.dueAt) > now() && !isFuture(Number(state.dueAt), checkAt))) return;
  await store.states.scheduleCheck(customerId, sensorId, after, Number.isFinite(checkAt) ? checkAt : null);
};
