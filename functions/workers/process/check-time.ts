import { stepByTime, timeOf } from '#shared/domain/event/event-steps.ts';
import { silentAt } from '#shared/domain/sensor/sensor-state.ts';
import { hasOpenFall, nextMove } from '#shared/domain/state/time.ts';
import type { StateItem } from '#shared/store/sensors/states.ts';
import { finishEarlier } from './finish-earlier.ts';
import { roomContextOf } from './room-context.ts';
import type { ProcessDeps, SensorContext } from './sensor-context.ts';
import { settle } from './settle.ts';
import { idsAfter } from './step-through.ts';

/**
 * Checks what time alone changes at a sensor: whether it has been silent for too long, and whether a fall moves on. When a
 * message is decided at the same time, the message wins. A check that comes early, late or twice changes nothing.
 */
export const checkTime = async (deps: ProcessDeps, context: SensorContext, state: StateItem): Promise<void> => {
  const { store, now, settings } = deps;
  const { customerId, sensor } = context;
  // A decision that no message caused is applied again only by these checks.
  if (state.decision?.decided.every(({ source }) => source === null)) await finishEarlier(deps, context, state);
  const needs = { regions: false, places: false, critical: hasOpenFall(state) };
  const [{ timings }, upSince] = await Promise.all([
    roomContextOf(deps, context, needs),
    store.due.upSince(now(), deps.longestGap()),
  ]);
  const silent = silentAt(state, upSince, settings.SENSOR_INACTIVE_AFTER_SECONDS);
  const { next, events } = stepByTime(state, timeOf(sensor.id, state, now()), { silentAt: silent, timings });
  const idOf = idsAfter(deps, state);
  const drawn = events.map((event) => ({ ...event, id: idOf(event.createDate) }));
  const step = { next, events: drawn, timings, judged: undefined };
  const after = events.length > 0 ? await settle(deps, context, state, step) : state;
  // The entry in the due index stands still while the sensor is active: the sweep looks at what it stands for.
  if (next.isActive || state.duePk === undefined || Number(state.dueAt) > now()) return;
  const lookAt = nextMove(next, timings, 'any');
  await store.states.watch(customerId, sensor.id, after, Number.isFinite(lookAt) ? lookAt : null);
};
