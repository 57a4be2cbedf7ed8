import { consumer } from '#shared/queue/consumer.ts';
import { ServiceEvent } from '#shared/queue/undeliverable.ts';

/**
 * Ends deliveries to people whose message did not arrive even though the messaging service had accepted it, such as a
 * bounced email or an expired SMS. In AWS, SES and AWS End User Messaging report such messages through a topic, for SMS
 * up to 72 hours later.
 */
export const undeliverable = consumer({
  name: 'undeliverable',
  queues: ['undeliverable'],
  task: ServiceEvent,
  batchSize: 10,
  concurrency: 5,
  timeoutSeconds: 15,
  uses: [
    'deliveries.get',
    'attempts.recordUndeliverable',
    'hitReports.reportUndeliverable',
    'recipients.person',
    'channels.markUndeliverable',
    'events.storeNotice',
    'users.list',
    'keep:quotas',
    'limits.take',
    'enqueue:events',
    'enqueue:timers',
    'send:mail',
    'consume',
    'measure',
  ],
});
