import { ApiError } from '../../shared/api/errors.ts';
import type { Clock } from './clock.ts';
import type { Queue } from './queue.ts';

/** Sensors with messages that nobody works on yet, and calls of one sensor that wait: beyond it, further calls are slowed down. */
const busy = { sensors: 8, calls: 1 };
/** Some seconds of work: while so many sensors wait, no further message is accepted. */
const FULL = 500;
const LOOK_MS = 10;
/** A call is held up this long at most. */
const LONGEST_MS = 1_000;

/**
 * Flow control: under load, messages that were accepted are worked on before further ones are, so that what has its 202 is
 * told soon. Resolves when a call of the sensor may go on, after a second at the latest; throws 503 with Retry-After while
 * too many sensors wait. Messages that wait for their next try count for nobody but their own sensor, so neither a storm
 * of one sensor nor an outage of the table keeps anything out.
 */
export const createIntake = (events: Pick<Queue, 'backlog'>, clock: Clock) => {
  const isBusy = (sensorId: string): boolean => {
    const { groups, ofGroup } = events.backlog(sensorId);
    return groups > busy.sensors || ofGroup >= busy.calls;
  };
  return async (sensorId: string): Promise<void> => {
    const until = clock.now() + LONGEST_MS;
    while (isBusy(sensorId) && clock.now() < until)
      await new Promise<void>((resolve) => void clock.after(LOOK_MS, resolve));
    if (events.backlog(sensorId).groups > FULL) throw new ApiError('unavailable', { waitSeconds: 1 });
  };
};
