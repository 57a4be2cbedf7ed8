import { SWEEP_SECONDS } from '#shared/domain/sensor/sensor-state.ts';
import { scheduled } from '#shared/queue/consumer.ts';

/**
 * Puts a task on its queue for each item that is due in the due index, except for sensors that are online, and dead
 * letters back on their queues.
 */
export const sweep = scheduled({
  name: 'sweep',
  everySeconds: SWEEP_SECONDS,
  timeoutSeconds: 60,
  uses: [
    'due.beat',
    'due.waiting',
    'due.leave',
    'states.glance',
    'enqueue:events',
    'enqueue:timers',
    'enqueue:deliveries',
    'enqueue:retries',
    'enqueue:jobs',
    'redrive',
    'watch:sensors',
    'measure',
  ],
});
