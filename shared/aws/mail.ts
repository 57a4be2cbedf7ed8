import { domainToASCII } from 'node:url';
import { SESv2Client, type SESv2ClientConfig, SendEmailCommand } from './mail-sdk.ts';
import { requestHandlerOptions, withFreshSockets } from './transport.ts';

/** Sends a mail. Rejects if the mail service did not accept it. */
export type SendMail = (to: string, subject: string, text: string) => Promise<void>;

/** Timeouts (ms) of an attempt. Two attempts must end before the response to a password reset (functions/api/auth/reset.ts). */
const TIMEOUTS = { connect: 800, answer: 1_200 };

/**
 * Returns an address with its domain in ASCII. SES has no SMTPUTF8, so it rejects non-ASCII characters before the @.
 * https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_Destination.html
 */
const forSes = (address: string): string => {
  const at = address.lastIndexOf('@') + 1;
  return address.slice(0, at) + domainToASCII(address.slice(at));
};

/** Returns a function that sends plain-text mails from an address of the account through SES. */
export const sesMail = (config: SESv2ClientConfig, sender: string): SendMail => {
  const client = withFreshSockets(
    new SESv2Client({ maxAttempts: 2, requestHandler: requestHandlerOptions(TIMEOUTS), ...config }),
  );
  const content = (Data: string) => ({ Data, Charset: 'UTF-8' });
  return async (to, subject, text) => {
    const Simple = { Subject: content(subject), Body: { Text: content(text) } };
    const Destination = { ToAddresses: [forSes(to)] };
    await client.send(new SendEmailCommand({ FromEmailAddress: sender, Destination, Content: { Simple } }));
  };
};
