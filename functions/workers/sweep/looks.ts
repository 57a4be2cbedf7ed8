import { silentAt } from '#shared/domain/sensor/sensor-state.ts';
import { hasOpenFall } from '#shared/domain/state/time.ts';
import type { CheckSensor } from '#shared/queue/task.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import type { Due } from '#shared/store/engine/due.ts';
import type { StateItem } from '#shared/store/sensors/states.ts';
import { kindOfFailure } from '#shared/worker/failure.ts';
import { sweep } from './contract.ts';

/**
 * The longest time (ms) between two looks at a sensor. It is less than a queue can delay a task: a fall that time moves
 * later than that is seen before it is due.
 */
const LONGEST = 10 * 60_000;
/** So many states are read at once. */
const BATCH = 100;

type LooksDeps = Deps<'states.glance' | 'watch:sensors' | 'measure'>;
type Check = Due & { task: CheckSensor };
const isCheck = (due: Due): due is Check => due.task.type === 'check_sensor';

/** What cannot be read is null, and so it is checked: a partition in trouble must not hide the other sensors. */
const statesOf = async ({ store, log, measure }: LooksDeps, checks: Check[]): Promise<(StateItem | null)[]> => {
  try {
    return await store.states.glance(checks.map(({ task }) => task));
  } catch (error) {
    log('error', 'states were not read, and all of their sensors are checked', { sensors: checks.length }, error);
    measure('TasksFailed', 1, { worker: sweep.name, kind: kindOfFailure(error) });
    return checks.map(() => null);
  }
};

/**
 * Looks at the sensors whose entries are due. The entry of an active sensor stands still, so it is always due: what this
 * process read of its state says until when nothing can happen by time alone. It only leaves out sensors for which that
 * is certain; all others are checked, which decides by consistent reads. A new process reads each state once.
 */
export const createLooks = () => {
  const quietUntil = new Map<string, number>();
  // A time that is too far ahead was noted before the clock was set back.
  const isQuiet = ({ task }: Check, now: number): boolean => {
    const until = quietUntil.get(task.sensorId) ?? 0;
    return until > now && until - now <= LONGEST;
  };

  /** What has to be checked of these, and since when. `since` (ms): the service has been there without a gap. */
  const silentOf = async (deps: LooksDeps, checks: Check[], since: number): Promise<Due[]> => {
    const { now, settings } = deps;
    const states = await statesOf(deps, checks);
    return checks.flatMap(({ task, time }, at) => {
      const state = states[at];
      if (!state) return { task, time: now() };
      const silent = silentAt(state, since, settings.SENSOR_INACTIVE_AFTER_SECONDS);
      // One that is no longer active has an entry that is to be removed, or a fall that time moves.
      if (!state.isActive || hasOpenFall(state) || silent <= now()) return { task, time: Math.max(time, silent) };
      quietUntil.set(task.sensorId, Math.min(silent, now() + LONGEST));
      return [];
    });
  };

  return {
    /** Leaves out the sensors that are there. */
    withoutQuiet: async (deps: LooksDeps, page: readonly Due[], since: number): Promise<Due[]> => {
      const checks = page.filter(isCheck).filter((check) => !isQuiet(check, deps.now()));
      const batches = Array.from({ length: Math.ceil(checks.length / BATCH) }, (_, at) =>
        silentOf(deps, checks.slice(at * BATCH, (at + 1) * BATCH), since),
      );
      return [...page.filter((entry) => !isCheck(entry)), ...(await Promise.all(batches)).flat()];
    },
    /** Forgets the sensors that have not been seen since their time. */
    tidy: (now: number): void => {
      for (const [sensorId, until] of quietUntil) if (now - until > LONGEST) quietUntil.delete(sensorId);
    },
  };
};
