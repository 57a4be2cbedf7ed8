import { consumer } from '../../../shared/queue/consumer.ts';
import { DevicePublished } from '../../../shared/queue/mqtt.ts';

/**
 * Takes what devices publish by MQTT: the rule of AWS IoT calls it with each message, and a queue brings what it could
 * not be called with, or failed at.
 */
export const ingesting = consumer({
  name: 'ingest',
  queues: ['mqtt'],
  task: DevicePublished,
  batchSize: 10,
  concurrency: 5,
  timeoutSeconds: 15,
  uses: [
    'consume',
    'sensors.deviceOf',
    'customers.ownerOf',
    'sensors.get',
    'enqueue:events',
    'measure',
    'limit:devices',
    'refuse:messages',
    'keep:failed',
  ],
});
