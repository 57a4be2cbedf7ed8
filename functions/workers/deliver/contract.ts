import { AT_A_TIME } from '../../../shared/domain/breaker.ts';
import { consumer } from '../../../shared/queue/consumer.ts';
import { WebhookTask } from '../../../shared/queue/task.ts';

/**
 * Sends deliveries. First tries to receivers that are well, and everything else, come by queues of their own: a slow
 * receiver delays no alarm. Concurrency is what hanging receivers may take up before they are known. Of one webhook
 * five are under way at a time, and as many wait for a slot; the others wait in the queue, in nobody's way.
 */
export const deliver = consumer({
  name: 'deliver',
  queues: ['deliveries', 'retries'],
  task: WebhookTask,
  batchSize: 10,
  concurrency: 50,
  ofCustomer: 100,
  ofGroup: 2 * AT_A_TIME,
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
    'deliveries.inQueue',
    'events.bytes',
    'repetitions.endOriginal',
    'ruleHits.report',
    'health.takeSlot',
    'health.keepSlot',
    'health.release',
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
    'enqueue:retries',
    'consume',
    'call:webhooks',
    'open:secrets',
    'measure',
  ],
});
