import * as z from 'zod';
import { defaults, group, acknowledging as settling, withdrawing } from '#shared/api/operation.ts';
import { Acknowledgement, Acknowledging } from '#shared/domain/rule/acknowledgement-view.ts';
import { Bytes, idText } from '#shared/domain/values.ts';

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

/** The store calls and capabilities needed to find the linked alarm. */
export const opening = [
  ...(['ruleHits.get', 'addressKeys.get', 'decrypt:link-keys', 'recipients.person'] as const),
  ...(['falls.ofAlarm', 'fallAnswers.get', 'events.get'] as const),
] as const;
const acknowledging = defaults({ uses: [...opening, 'acknowledgements.make', 'falls.acknowledge', ...settling] });
const showing = defaults({ uses: [...opening, 'sensors.get', 'customers.get'] });
const media = ['text/html; charset=utf-8'] as const;

export const acknowledge = group({
  name: 'acknowledge',
  about: 'Acknowledge an alarm without logging in, through the link in a delivery',
  operations: {
    acknowledgeByAddress: {
      ...byLink,
      ...acknowledging,
      method: 'POST',
      summary: 'Acknowledge a rule hit by link',
      description:
        "Acknowledges the rule hit behind a delivery's `acknowledgeUrl`, and returns the acknowledgement. An " +
        "emergency contact's link may instead acknowledge a fall for which no rule fired. If someone else was first, " +
        "their acknowledgement is returned. Without a `name`, the recipient's name is used. A link sent to a user " +
        "always acknowledges in that user's name, unless the rule hit has no message for them. The link is the " +
        'credential. It is valid for 24 hours after the delivery was created; a link sent to a user, only while that ' +
        'user has access to the customer and may log in.',
      body: Acknowledging,
      response: Acknowledgement,
    },
    getAcknowledgePage: {
      ...byLink,
      ...showing,
      method: 'GET',
      summary: 'Get the acknowledgement page',
      description:
        'Returns an HTML page that shows the alarm, with a button to acknowledge it. Opening the page changes ' +
        'nothing, so link scanners cannot acknowledge an alarm.',
      response: Bytes,
      media,
    },
    acknowledgeByPage: {
      ...byLink,
      uses: [...showing.uses, ...acknowledging.uses],
      method: 'POST',
      path: '/acknowledge/{address}/page',
      // The link is the credential. A browser session, if any, is neither used nor ended.
      csrfExempt: true,
      summary: 'Submit the acknowledgement page',
      description:
        "Receives the acknowledgement page's form, which has an optional `name`, and returns the page with the " +
        'acknowledgement.',
      response: Bytes,
      media,
    },
    withdrawByPage: {
      ...byLink,
      uses: [...showing.uses, 'acknowledgements.withdraw', 'falls.withdraw', ...withdrawing],
      method: 'POST',
      path: '/acknowledge/{address}/withdrawal/{date}',
      params: z.object({
        address: Address,
        date: idText.meta({ description: 'When (ms) the acknowledgement was made' }),
      }),
      csrfExempt: true,
      summary: 'Hand an alarm back on the acknowledgement page',
      description:
        "Withdraws an acknowledgement made through the link, by the link's user or without a login, and returns the " +
        'page. Other acknowledgements are not withdrawn.',
      response: Bytes,
      media,
    },
  },
});
