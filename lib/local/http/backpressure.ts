import { ApiError } from '#shared/api/errors.ts';
import type { Clock } from '../clock.ts';
import type { Queue } from '../queue/queue.ts';

/** Calls are slowed down while more than `sensors` sensors wait in all, or at least `calls` messages of the caller. */
const busy = { sensors: 8, calls: 1 };
/** With more waiting sensors than this, which is some seconds of work, no further message is accepted. */
const FULL = 500;
const LOOK_MS = 10;
/** A call is delayed by at most so many ms. */
const LONGEST_MS = 1_000;

/**
 * Backpressure: under load, messages that were accepted are processed before further ones are accepted. The function
 * resolves when a call of the sensor may go on, after a second at the latest, and throws 503 with Retry-After while
 * too many sensors wait. Messages that wait for a retry count only for their own sensor, so neither a flood of one
 * sensor nor an outage of the table keeps other sensors out.
 */
export const createBackpressure = (events: Pick<Queue, 'backlog'>, clock: Clock) => {
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
