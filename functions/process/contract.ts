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
  uses: [
    'sensors.get',
    'sensors.setActive',
    'sensors.setFirmware',
    'customers.get',
    'rooms.get',
    'configs.get',
    'events.state',
    'events.get',
    'events.decide',
    'events.watch',
    'events.add',
    'events.finish',
    'due.upSince',
    'rules.get',
    'rules.forSituation',
    'ruleHits.tail',
    'ruleHits.append',
    'webhooks.getAll',
    'bots.getAll',
    'deliveries.create',
    'ring:events',
    'ring:deliveries',
    'watch:sensors',
  ],
});
