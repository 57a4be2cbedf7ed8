import { DeliveryBell } from '../../shared/queue/bell.ts';
import { consumer } from '../../shared/queue/consumer.ts';

/** Sends deliveries. First tries and retries come by queues of their own: a slow receiver's retries delay no alarm. */
export const deliver = consumer({
  name: 'deliver',
  queues: ['deliveries', 'retries'],
  message: DeliveryBell,
  batchSize: 10,
  concurrency: 20,
  timeoutSeconds: 60,
  uses: ['table:write', 'ring:retries', 'call:webhooks'],
});
