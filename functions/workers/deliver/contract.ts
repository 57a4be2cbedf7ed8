import { AT_A_TIME } from '../../../shared/domain/breaker.ts';
import { LEASE_SECONDS } from '../../../shared/domain/delivery.ts';
import { consumer } from '../../../shared/queue/consumer.ts';
import { WebhookTask } from '../../../shared/queue/task.ts';

/**
 * Sends deliveries. First attempts at healthy receivers come from the queue `deliveries`, all others from `retries`, so
 * that a slow receiver delays no alarm. `concurrency` bounds how many requests may hang before their receivers are known
 * to be slow. Of one webhook five requests are under way, and as many deliveries wait for a slot; others stay queued.
 */
export const deliver = consumer({
  name: 'deliver',
  queues: ['deliveries', 'retries'],
  task: WebhookTask,
  batchSize: 10,
  concurrency: 50,
  ofCustomer: 100,
  ofGroup: 2 * AT_A_TIME,
  // One that dies holds back its deliveries for as long (visibilitySeconds), and its claims lapse after LEASE_SECONDS.
  timeoutSeconds: LEASE_SECONDS - 1,
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
    'events.keepNotice',
    'users.list',
    'recipients.person',
    'channels.provenOf',
    'limits.take',
    'limits.countFailure',
    'enqueue:events',
    'send:mail',
    'send:person',
    'keep:quotas',
    'repetitions.endOriginal',
    'ruleHits.get',
    'ruleHits.report',
    'acknowledgements.make',
    'addressKeys.get',
    'addressKeys.keep',
    'seal:secrets',
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
