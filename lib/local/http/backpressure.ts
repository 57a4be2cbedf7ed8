import { ApiError } from '#shared/api/errors.ts';
import type { Clock } from '../clock.ts';
import type { Queue } from '../queue/queue.ts';

/**
 * Requests are delayed while more than `sensors` sensors, or at least `ofCaller` messages from the caller, are pending.
 */
const busy = { sensors: 8, ofCaller: 1 };
/** Requests are also delayed while the process is at its limit and has more than this many first deliveries to send. */
const MAX_PENDING_DELIVERIES = 100;
/** With more pending sensors than this (a few seconds of work), messages are rejected. */
const MAX_PENDING_SENSORS = 500;
const POLL_MS = 10;
/** The longest request delay (ms). */
const MAX_DELAY_MS = 1_000;

type PendingQueues = { events: Pick<Queue, 'backlog'>; deliveries: Pick<Queue, 'stats'> };

/**
 * Creates the backpressure for the device API: under load, accepted messages are processed and delivered before more
 * are accepted. The returned function resolves when the sensor's request may proceed, after at most a second. It throws
 * 503 with Retry-After while too many sensors are pending. Messages waiting for a retry count only against their own
 * sensor, and deliveries only while the process is at the limit. As a result, a flood from one sensor, a table outage
 * or a slow receiver does not delay other sensors.
 */
export const createBackpressure = ({ events, deliveries }: PendingQueues, clock: Clock, isAtLimit: () => boolean) => {
  const isBusy = (sensorId: string): boolean => {
    const { groups, ofGroup } = events.backlog(sensorId);
    if (groups > busy.sensors || ofGroup >= busy.ofCaller) return true;
    return deliveries.stats().visible > MAX_PENDING_DELIVERIES && isAtLimit();
  };
  return async (sensorId: string): Promise<void> => {
    const until = clock.now() + MAX_DELAY_MS;
    while (isBusy(sensorId) && clock.now() < until)
      await new Promise<void>((resolve) => void clock.after(POLL_MS, resolve));
    if (events.backlog(sensorId).groups > MAX_PENDING_SENSORS) throw new ApiError('unavailable', { waitSeconds: 1 });
  };
};
