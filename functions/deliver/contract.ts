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
  uses: [
    'webhooks.get',
    'deliveries.get',
    'deliveries.getAll',
    'deliveries.range',
    'deliveries.claim',
    'deliveries.record',
    'deliveries.postpone',
    'deliveries.end',
    'events.get',
    'ruleHits.report',
    'health.probe',
    'health.takeSlot',
    'health.freeSlot',
    'health.failed',
    'health.worked',
    'health.warn',
    'health.disable',
    'held.ids',
    'held.hold',
    'held.end',
    'held.reserve',
    'held.release',
    'held.correct',
    'held.done',
    'replays.get',
    'replays.add',
    'replays.advance',
    'replays.finish',
    'replays.close',
    'ring:retries',
    'call:webhooks',
    'open:secrets',
  ],
});
