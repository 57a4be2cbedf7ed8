import { silentAt } from '#shared/domain/sensor/sensor-state.ts';
import { hasOpenFall } from '#shared/domain/state/time.ts';
import type { CheckSensor } from '#shared/queue/task.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import type { Due } from '#shared/store/engine/due.ts';
import type { StateItem } from '#shared/store/sensors/state-item.ts';
import { kindOfFailure } from '#shared/worker/failure.ts';
import { sweep } from './contract.ts';

/**
 * The longest time (ms) between two checks of a sensor. It is less than a queue can delay a task: a fall that time moves
 * later than that is checked before it is due.
 */
const LONGEST = 10 * 60_000;
/** How many states are read at once. */
const BATCH = 100;

type CheckDeps = Deps<'states.glance' | 'watch:sensors' | 'measure'>;
type Check = Due & { task: CheckSensor };
const isCheck = (due: Due): due is Check => due.task.type === 'check_sensor';

/** Reads states. One that cannot be read is null, and so its sensor is checked: a failing partition must not hide others. */
const readStates = async ({ store, log, measure }: CheckDeps, checks: Check[]): Promise<(StateItem | null)[]> => {
  try {
    return await store.states.glance(checks.map(({ task }) => task));
  } catch (error) {
    log('error', 'states were not read, and all of their sensors are checked', { sensors: checks.length }, error);
    measure('TasksFailed', 1, { worker: sweep.name, kind: kindOfFailure(error) });
    return checks.map(() => null);
  }
};

/**
 * Creates the filter of sensors whose entries are due. The entry of an active sensor stands still, so it is always due: the
 * state that this process has read says until when nothing can happen by time alone. Only sensors for which that is certain
 * are left out; all others are checked by `process`, which decides by consistent reads. A new process reads each state once.
 */
export const createSensorChecks = () => {
  const quietUntil = new Map<string, number>();
  // A time that is too far ahead was noted before the clock was set back.
  const isQuiet = ({ task }: Check, now: number): boolean => {
    const until = quietUntil.get(task.sensorId) ?? 0;
    return until > now && until - now <= LONGEST;
  };

  /** Returns the checks that are needed, and since when. `upSince` (ms): the service has been up without a gap. */
  const neededOf = async (deps: CheckDeps, checks: Check[], upSince: number): Promise<Due[]> => {
    const { now, settings } = deps;
    const states = await readStates(deps, checks);
    return checks.flatMap(({ task, time }, at) => {
      const state = states[at];
      if (!state) return { task, time: now() };
      const silent = silentAt(state, upSince, settings.SENSOR_INACTIVE_AFTER_SECONDS);
      // One that is no longer active has an entry that is to be removed, or a fall that time moves.
      if (!state.isActive || hasOpenFall(state) || silent <= now()) return { task, time: Math.max(time, silent) };
      quietUntil.set(task.sensorId, Math.min(silent, now() + LONGEST));
      return [];
    });
  };

  return {
    /** Leaves out the checks of sensors that are online. */
    withoutQuiet: async (deps: CheckDeps, page: readonly Due[], upSince: number): Promise<Due[]> => {
      const checks = page.filter(isCheck).filter((check) => !isQuiet(check, deps.now()));
      const batches = Array.from({ length: Math.ceil(checks.length / BATCH) }, (_, at) =>
        neededOf(deps, checks.slice(at * BATCH, (at + 1) * BATCH), upSince),
      );
      return [...page.filter((entry) => !isCheck(entry)), ...(await Promise.all(batches)).flat()];
    },
    /** Forgets the sensors that have not been checked since their time. */
    tidy: (now: number): void => {
      for (const [sensorId, until] of quietUntil) if (now - until > LONGEST) quietUntil.delete(sensorId);
    },
  };
};
