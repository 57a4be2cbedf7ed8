import * as z from 'zod';
import { defaults, group } from '#shared/api/operation.ts';
import { Acknowledgement, Acknowledging } from '#shared/domain/rule/acknowledgement-view.ts';
import { Bytes } from '#shared/domain/values.ts';

const Address = z
  .string()
  .regex(/^[\w-]{1,200}$/)
  .describe('The last part of `acknowledgeUrl`');

const byAddress = defaults({
  path: '/acknowledge/{address}',
  auth: 'anyone',
  params: z.object({ address: Address }),
  success: 200,
  errors: ['address_unknown'],
});

const reading = defaults({ uses: ['ruleHits.get', 'addressKeys.get', 'open:addresses'] });
const acknowledging = defaults({ uses: [...reading.uses, 'acknowledgements.make', 'enqueue:events'] });
const media = ['text/html; charset=utf-8'] as const;

export const acknowledge = group({
  name: 'acknowledge',
  about: 'Taking care of an alarm without a login, by the address that its delivery has',
  operations: {
    acknowledgeByAddress: {
      ...byAddress,
      ...acknowledging,
      method: 'POST',
      summary: 'Acknowledge a rule hit by the `acknowledgeUrl` of a delivery',
      description:
        'The answer is the acknowledgement that stands, whosever it is. Without a `name` it is that of the recipient; the ' +
        'address that a user was sent always acknowledges in the name of that user, unless the rule hit has no message ' +
        'for it. An address is good for 24 hours from when its delivery was made.',
      body: Acknowledging,
      response: Acknowledgement,
    },
    getAcknowledgePage: {
      ...byAddress,
      ...reading,
      method: 'GET',
      summary: 'Get a page with a button that acknowledges; to get it changes nothing',
      response: Bytes,
      media,
    },
    acknowledgeByPage: {
      ...byAddress,
      ...acknowledging,
      method: 'POST',
      path: '/acknowledge/{address}/page',
      // Its address is the credential: a session that the browser has too is not used, and must not end.
      csrfExempt: true,
      summary: 'The button of that page: a form with a `name`, answered by a page',
      response: Bytes,
      media,
    },
  },
});
