import { CANARY_SECONDS } from '#shared/domain/canary.ts';
import { scheduled } from '#shared/queue/consumer.ts';

/** Reports a fall of the canary's sensor as a device would, and waits for the call of its webhook at the public address. */
export const canaryRound = scheduled({
  name: 'canary-round',
  everySeconds: CANARY_SECONDS,
  timeoutSeconds: 60,
  uses: [
    'canary.setup',
    'canary.round',
    'canary.storeSetup',
    'canary.startRound',
    'limits.nextNumber',
    'customers.create',
    'provisioning.put',
    'devices.register',
    'sensorOwners.move',
    'bots.create',
    'webhooks.create',
    'rules.create',
    'keep:quotas',
    'encrypt:secrets',
    'decrypt:secrets',
    'run:canary',
    'measure',
  ],
});
