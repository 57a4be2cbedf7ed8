import { CANARY_SECONDS } from '#shared/domain/canary.ts';
import { scheduled } from '#shared/queue/consumer.ts';

/**
 * Reports a fall for the canary sensor as a device would, and waits for the canary webhook to be called at the public
 * address. Once a day, emails the operator, so that the mail service is tested before a real fall needs it.
 */
export const canaryRound = scheduled({
  name: 'canary-round',
  everySeconds: CANARY_SECONDS,
  timeoutSeconds: 60,
  uses: [
    'canary.setup',
    'canary.round',
    'canary.storeSetup',
    'canary.startRound',
    'canary.recordMail',
    'limits.nextNumber',
    'customers.create',
    'provisioning.put',
    'devices.register',
    'sensorOwners.move',
    'bots.create',
    'webhooks.create',
    'webhooks.list',
    'webhooks.replace',
    'rules.create',
    'keep:quotas',
    'encrypt:secrets',
    'decrypt:secrets',
    'run:canary',
    'send:mail',
    'measure',
  ],
});
