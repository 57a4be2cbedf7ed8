import { silentAt } from '#shared/domain/sensor/sensor-state.ts';
import { isFuture } from '#shared/domain/state/clock.ts';
import { hasOpenFall, nextClear } from '#shared/domain/state/time.ts';
import type { CheckSensor } from '#shared/queue/task.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import type { Due } from '#shared/store/engine/due.ts';
import type { StateItem } from '#shared/store/sensors/state-item.ts';
import { kindOfFailure } from '#shared/worker/failure.ts';
import { sweep } from './contract.ts';

/**
 * The maximum time (ms) between checks of a sensor. Must be less than a queue can delay the task that advances a fall.
 */
const MAX_INTERVAL_MS = 10 * 60_000;
/** How many states are read at once. */
const BATCH = 100;

type CheckDeps = Deps<'states.glance' | 'watch:sensors' | 'measure'>;
type Check = Due & { task: CheckSensor };
const isCheck = (due: Due): due is Check => due.task.type === 'check_sensor';

/**
 * Reads states. If reading fails, the states are null and all of these sensors are checked, so that a failing partition
 * does not hide any sensor.
 */
const readStates = async ({ store, log, measure }: CheckDeps, checks: Check[]): Promise<(StateItem | null)[]> => {
  try {
    return await store.states.glance(checks.map(({ task }) => task));
  } catch (error) {
    log('error', 'states could not be read, so all of their sensors are checked', { sensors: checks.length }, error);
    measure('TasksFailed', 1, { worker: sweep.name, kind: kindOfFailure(error) });
    return checks.map(() => null);
  }
};

/**
 * Creates the filter for sensors with due entries. Entries for active sensors never move, so they are always due. The
 * state a process has read shows the earliest time at which the sensor could be offline. Until then, the process skips
 * the sensor. All other sensors are checked by `process`, which uses consistent reads. A new process reads each state
 * once.
 */
export const createSensorFilter = () => {
  const onlineUntil = new Map<string, number>();
  // A time too far ahead was recorded before the clock was set back.
  const isOnline = ({ task }: Check, now: number): boolean => {
    const until = onlineUntil.get(task.sensorId) ?? 0;
    return until > now && until - now <= MAX_INTERVAL_MS;
  };

  /** Returns the checks needed, and when each became due. `upSince` (ms): when the service last came up after a gap. */
  const neededChecks = async (deps: CheckDeps, checks: Check[], upSince: number): Promise<Due[]> => {
    const { now, settings } = deps;
    const states = await readStates(deps, checks);
    return checks.flatMap(({ task, time }, at) => {
      const state = states[at];
      if (!state) return { task, time: now() };
      const offlineAt = silentAt(state, upSince, settings.SENSOR_INACTIVE_AFTER_SECONDS);
      // The check corrects states with times in the future.
      const changesAt = isFuture(state.lastSeen, now()) ? time : Math.min(offlineAt, nextClear(state));
      // The entry for an inactive sensor has to be removed, and an open fall advances with time.
      if (!state.isActive || hasOpenFall(state) || changesAt <= now()) return { task, time: Math.max(time, changesAt) };
      onlineUntil.set(task.sensorId, Math.min(changesAt, now() + MAX_INTERVAL_MS));
      return [];
    });
  };

  return {
    /** Returns the entries, except checks of sensors known to be online. */
    withoutOnline: async (deps: CheckDeps, page: readonly Due[], upSince: number): Promise<Due[]> => {
      const checks = page.filter(isCheck).filter((check) => !isOnline(check, deps.now()));
      const batches = Array.from({ length: Math.ceil(checks.length / BATCH) }, (_, at) =>
        neededChecks(deps, checks.slice(at * BATCH, (at + 1) * BATCH), upSince),
      );
      return [...page.filter((entry) => !isCheck(entry)), ...(await Promise.all(batches)).flat()];
    },
    /** Forgets sensors no longer checked. */
    tidy: (now: number): void => {
      for (const [sensorId, until] of onlineUntil) if (now - until > MAX_INTERVAL_MS) onlineUntil.delete(sensorId);
    },
  };
};
