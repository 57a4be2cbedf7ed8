import { domainToASCII } from 'node:url';
import { SESv2Client, type SESv2ClientConfig, SendEmailCommand } from './mail-sdk.ts';
import { transport, withFreshSockets } from './transport.ts';

/** Sends a mail; rejects when the mail service did not take it. */
export type Mail = (to: string, subject: string, text: string) => Promise<void>;

/** Timeouts (ms) of one try. Two tries are shorter than the time after which a reset is answered (functions/api/auth/reset.ts). */
const TIMEOUTS = { connect: 800, answer: 1_200 };

/**
 * An address as SES takes it, with its domain in ASCII. SES has no SMTPUTF8, so it refuses other letters in front of the
 * @. https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_Destination.html
 */
const forSes = (address: string): string => {
  const at = address.lastIndexOf('@') + 1;
  return address.slice(0, at) + domainToASCII(address.slice(at));
};

/** Sends mails of plain text from an address of the account by SES. */
export const mailBySes = (config: SESv2ClientConfig, sender: string): Mail => {
  const client = withFreshSockets(new SESv2Client({ maxAttempts: 2, requestHandler: transport(TIMEOUTS), ...config }));
  const content = (Data: string) => ({ Data, Charset: 'UTF-8' });
  return async (to, subject, text) => {
    const Simple = { Subject: content(subject), Body: { Text: content(text) } };
    const Destination = { ToAddresses: [forSes(to)] };
    await client.send(new SendEmailCommand({ FromEmailAddress: sender, Destination, Content: { Simple } }));
  };
};
