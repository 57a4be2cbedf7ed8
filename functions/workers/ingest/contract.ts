import { ingestUses } from '#shared/ingest/uses.ts';
import { consumer } from '#shared/queue/consumer.ts';
import { DevicePublished } from '#shared/queue/mqtt.ts';

/**
 * Ingests messages published by devices over MQTT. The AWS IoT rule calls the function with each message. Messages from
 * failed calls come from the `mqtt` queue.
 */
export const ingesting = consumer({
  name: 'ingest',
  queues: ['mqtt'],
  task: DevicePublished,
  batchSize: 10,
  concurrency: 5,
  timeoutSeconds: 15,
  uses: [
    ...ingestUses,
    'consume',
    'devices.get',
    'devices.linkOf',
    'limit:devices',
    'refuse:messages',
    'keep:published',
  ],
});
