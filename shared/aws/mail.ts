import { domainToASCII } from 'node:url';
import { composeMail } from '../delivery/targets/mail-message.ts';
import { type NotificationReference, referenceTags } from '../domain/delivery/notification-reference.ts';
import { SESv2Client, type SESv2ClientConfig, SendEmailCommand } from './mail-sdk.ts';
import { requestHandlerOptions, withFreshSockets } from './transport.ts';

/**
 * Sends an email. Rejects if the mail service did not accept it. `reference` identifies the email in service reports.
 */
export type SendMail = (to: string, subject: string, text: string, reference?: NotificationReference) => Promise<void>;

/**
 * Timeouts (ms) per attempt. Two attempts must end before the response to a password reset
 * (functions/api/auth/reset.ts).
 */
const TIMEOUTS = { connect: 800, answer: 1_200 };

/**
 * Returns an address with the domain in ASCII. SES does not support SMTPUTF8, so it rejects non-ASCII characters before
 * the @. https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_Destination.html
 */
const forSes = (address: string): string => {
  const at = address.lastIndexOf('@') + 1;
  return address.slice(0, at) + domainToASCII(address.slice(at));
};

/**
 * `random`: random bytes, for the email id; `configurationSet`: makes SES report undeliverable emails that have a
 * reference.
 */
type Surroundings = { now: () => number; random: (bytes: number) => Uint8Array; configurationSet?: string };

/** Returns a function that sends plain-text emails through SES, from an address in the AWS account. */
export const sesMail = (
  config: SESv2ClientConfig,
  sender: string,
  { now, random, configurationSet = '' }: Surroundings,
): SendMail => {
  const client = withFreshSockets(
    new SESv2Client({ maxAttempts: 2, requestHandler: requestHandlerOptions(TIMEOUTS), ...config }),
  );
  const reportedAs = (reference: NotificationReference) => ({
    ConfigurationSetName: configurationSet,
    EmailTags: Object.entries(referenceTags(reference)).map(([Name, Value]) => ({ Name, Value })),
  });
  return async (address, subject, text, reference) => {
    const to = forSes(address);
    const id = Buffer.from(random(16)).toString('hex');
    const Data = await composeMail({ from: sender, to, subject, text, id, date: now() });
    const reported = reference && configurationSet !== '' ? reportedAs(reference) : {};
    const mail = {
      FromEmailAddress: sender,
      Destination: { ToAddresses: [to] },
      Content: { Raw: { Data } },
      ...reported,
    };
    await client.send(new SendEmailCommand(mail));
  };
};
