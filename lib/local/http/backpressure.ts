import { ApiError } from '#shared/api/errors.ts';
import type { Clock } from '../clock.ts';
import type { Queue } from '../queue/queue.ts';

/** Requests are delayed while more than `sensors` sensors, or at least `ofCaller` messages of the caller, are pending. */
const busy = { sensors: 8, ofCaller: 1 };
/** With more pending sensors than this (a few seconds of work), messages are rejected. */
const MAX_PENDING_SENSORS = 500;
const POLL_MS = 10;
/** The longest delay (ms) of a request. */
const MAX_DELAY_MS = 1_000;

/**
 * Creates the backpressure of the device API: under load, accepted messages are processed before more are accepted.
 * The returned function resolves when a request of the sensor may proceed, after a second at most, and throws 503 with
 * Retry-After while too many sensors are pending. Messages waiting for a retry count only against their own sensor, so
 * neither a flood from one sensor nor an outage of the table blocks the others.
 */
export const createBackpressure = (events: Pick<Queue, 'backlog'>, clock: Clock) => {
  const isBusy = (sensorId: string): boolean => {
    const { groups, ofGroup } = events.backlog(sensorId);
    return groups > busy.sensors || ofGroup >= busy.ofCaller;
  };
  return async (sensorId: string): Promise<void> => {
    const until = clock.now() + MAX_DELAY_MS;
    while (isBusy(sensorId) && clock.now() < until)
      await new Promise<void>((resolve) => void clock.after(POLL_MS, resolve));
    if (events.backlog(sensorId).groups > MAX_PENDING_SENSORS) throw new ApiError('unavailable', { waitSeconds: 1 });
  };
};
