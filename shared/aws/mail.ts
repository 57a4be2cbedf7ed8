import { domainToASCII } from 'node:url';
import { type NotificationReference, referenceTags } from '../domain/delivery/notification-reference.ts';
import { SESv2Client, type SESv2ClientConfig, SendEmailCommand } from './mail-sdk.ts';
import { requestHandlerOptions, withFreshSockets } from './transport.ts';

/** Sends a mail. Rejects if the mail service did not accept it. `reference` names it in reports of the service. */
export type SendMail = (to: string, subject: string, text: string, reference?: NotificationReference) => Promise<void>;

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

/**
 * Returns a function that sends plain-text mails from an address of the account through SES. `configurationSet`: what makes
 * SES report mails with a reference that it cannot deliver.
 */
export const sesMail = (config: SESv2ClientConfig, sender: string, configurationSet = ''): SendMail => {
  const client = withFreshSockets(
    new SESv2Client({ maxAttempts: 2, requestHandler: requestHandlerOptions(TIMEOUTS), ...config }),
  );
  const content = (Data: string) => ({ Data, Charset: 'UTF-8' });
  const reportedAs = (reference: NotificationReference) => ({
    ConfigurationSetName: configurationSet,
    EmailTags: Object.entries(referenceTags(reference)).map(([Name, Value]) => ({ Name, Value })),
  });
  return async (to, subject, text, reference) => {
    const Simple = { Subject: content(subject), Body: { Text: content(text) } };
    const Destination = { ToAddresses: [forSes(to)] };
    const reported = reference && configurationSet !== '' ? reportedAs(reference) : {};
    const mail = { FromEmailAddress: sender, Destination, Content: { Simple }, ...reported };
    await client.send(new SendEmailCommand(mail));
  };
};
