import * as z from 'zod';
import { group } from '#shared/api/operation.ts';
import { Watch } from '#shared/domain/rule/watch.ts';
import { idText } from '#shared/domain/values.ts';

/** A function of its own: consoles ask for it all the time, and with many sensors and rules it takes long. */
export const watch = group({
  name: 'watch',
  about: 'What is not watched, and what keeps alarms from people',
  operations: {
    getWatch: {
      method: 'GET',
      path: '/customers/{customerId}/watch',
      summary: 'Get what of a customer is not watched, and what keeps alarms from people',
      description:
        'For everybody who sees the sensors of the customer, without other rights: whoever is there at night must know. ' +
        'Changes may be missing for a second.',
      auth: 'user',
      may: 'logged_in',
      within: 'customer',
      params: z.object({ customerId: idText }),
      success: 200,
      response: Watch,
      errors: ['customer_not_found'],
      uses: [
        'customers.get',
        'sensors.list',
        'rules.list',
        'webhooks.list',
        'duty.of',
        'recipients.person',
        'channels.provenOf',
      ],
    },
  },
});
