import { SWEEP_SECONDS } from '#shared/domain/sensor/sensor-state.ts';
import { scheduled } from '#shared/queue/consumer.ts';

/** Enqueues tasks for items due in the `due` index, except for sensors that are online, and redrives dead letters. */
export const sweep = scheduled({
  name: 'sweep',
  everySeconds: SWEEP_SECONDS,
  timeoutSeconds: 60,
  uses: [
    'due.recordHeartbeat',
    'due.pages',
    'due.saveCursors',
    'due.endSetBack',
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
