import * as z from 'zod';
import { DeliveryBell, JobBell } from '../../shared/queue/bell.ts';
import { consumer } from '../../shared/queue/consumer.ts';

/**
 * Sends deliveries. First tries to receivers that are well, and everything else, come by queues of their own: a slow
 * receiver delays no alarm. Concurrency is what hanging receivers may take up before they are known.
 */
export const deliver = consumer({
  name: 'deliver',
  queues: ['deliveries', 'retries'],
  message: z.union([DeliveryBell, JobBell]),
  batchSize: 10,
  concurrency: 50,
  ofCustomer: 50,
  timeoutSeconds: 60,
  uses: ['table:write', 'ring:retries', 'call:webhooks', 'open:secrets'],
});
