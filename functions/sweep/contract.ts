import { scheduled } from '../../shared/queue/consumer.ts';

/** Rings again for whatever is due and was not worked off: queues and processes may fail, the table remembers. */
export const sweep = scheduled({
  name: 'sweep',
  everySeconds: 60,
  timeoutSeconds: 60,
  uses: ['due.beat', 'due.waiting', 'ring:events', 'ring:deliveries', 'ring:retries'],
});
