import { SWEEP_SECONDS } from '../../shared/domain/sensor-state.ts';
import { scheduled } from '../../shared/queue/consumer.ts';

/** Rings again for whatever is due and was not worked off: queues and processes may fail, the table remembers. */
export const sweep = scheduled({
  name: 'sweep',
  everySeconds: SWEEP_SECONDS,
  timeoutSeconds: 60,
  uses: ['due.beat', 'due.waiting', 'due.leave', 'ring:events', 'ring:deliveries', 'ring:retries', 'watch:sensors'],
});
