import * as z from 'zod';
import { defaults, group } from '#shared/api/operation.ts';
import { Acknowledgement, Acknowledging } from '#shared/domain/rule/acknowledgement-view.ts';
import { Bytes } from '#shared/domain/values.ts';

const Address = z
  .string()
  .regex(/^[\w-]{1,200}$/)
  .describe('The last segment of `acknowledgeUrl`');

const byLink = defaults({
  path: '/acknowledge/{address}',
  auth: 'anyone',
  params: z.object({ address: Address }),
  success: 200,
  errors: ['address_unknown'],
});

const reading = defaults({ uses: ['ruleHits.get', 'addressKeys.get', 'decrypt:link-keys'] });
const acknowledging = defaults({ uses: [...reading.uses, 'acknowledgements.make', 'enqueue:events'] });
const media = ['text/html; charset=utf-8'] as const;

export const acknowledge = group({
  name: 'acknowledge',
  about: 'Acknowledge an alarm without logging in, through the link in its delivery',
  operations: {
    acknowledgeByAddress: {
      ...byLink,
      ...acknowledging,
      method: 'POST',
      summary: 'Acknowledge a rule hit by its link',
      description:
        'Acknowledges the rule hit behind the `acknowledgeUrl` of a delivery, and returns its acknowledgement. If somebody ' +
        'acknowledged it before, returns theirs. Without a `name`, the name of the recipient is used. A link that was sent ' +
        'to a user always acknowledges in the name of that user, unless the rule hit has no message for them. The link is ' +
        'the credential; it is valid for 24 hours after its delivery was created.',
      body: Acknowledging,
      response: Acknowledgement,
    },
    getAcknowledgePage: {
      ...byLink,
      ...reading,
      method: 'GET',
      summary: 'Get the acknowledgement page',
      description:
        'Returns an HTML page with a button that acknowledges the alarm. Opening the page changes nothing, so link ' +
        'scanners cannot acknowledge an alarm.',
      response: Bytes,
      media,
    },
    acknowledgeByPage: {
      ...byLink,
      ...acknowledging,
      method: 'POST',
      path: '/acknowledge/{address}/page',
      // The link is the credential. A session that the browser happens to have is not used, and must not be ended.
      csrfExempt: true,
      summary: 'Submit the acknowledgement page',
      description:
        'Receives the form of the acknowledgement page, which has an optional `name`, and returns the page with the ' +
        'acknowledgement.',
      response: Bytes,
      media,
    },
  },
});
