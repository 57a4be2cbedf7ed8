import { EventBell } from '../../shared/queue/bell.ts';
import { consumer } from '../../shared/queue/consumer.ts';

/** Works on messages of devices: what happened, which rules fire, who is to be told. */
export const processing = consumer({
  name: 'process',
  queues: ['events'],
  message: EventBell,
  batchSize: 10,
  concurrency: 10,
  timeoutSeconds: 30,
  uses: ['table:write', 'ring:events', 'ring:deliveries', 'watch:sensors', 'service:about'],
});
