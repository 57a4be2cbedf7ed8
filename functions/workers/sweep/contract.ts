import { SWEEP_SECONDS } from '../../../shared/domain/sensor-state.ts';
import { scheduled } from '../../../shared/queue/consumer.ts';

/** Puts on a queue what the due index says is due, and dead letters back on the queues that they come from. */
export const sweep = scheduled({
  name: 'sweep',
  everySeconds: SWEEP_SECONDS,
  timeoutSeconds: 60,
  uses: [
    'due.beat',
    'due.waiting',
    'due.leave',
    'enqueue:events',
    'enqueue:timers',
    'enqueue:deliveries',
    'enqueue:retries',
    'redrive',
    'watch:sensors',
    'measure',
  ],
});
