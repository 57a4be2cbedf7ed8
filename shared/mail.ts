import { SESv2Client, type SESv2ClientConfig, SendEmailCommand } from '@aws-sdk/client-sesv2';

/** Sends a mail; rejects when it was not taken. */
export type Mail = (to: string, subject: string, text: string) => Promise<void>;

/** ms until a connection stands, and until there is an answer: whoever asked for the mail waits meanwhile. */
const TIMEOUTS = { connectionTimeout: 2_000, requestTimeout: 5_000 };

/** Sends mails of plain text from an address of the account by SES. */
export const mailBySes = (config: SESv2ClientConfig, sender: string): Mail => {
  const client = new SESv2Client({ maxAttempts: 2, requestHandler: TIMEOUTS, ...config });
  const content = (Data: string) => ({ Data, Charset: 'UTF-8' });
  return async (to, subject, text) => {
    const Simple = { Subject: content(subject), Body: { Text: content(text) } };
    const Destination = { ToAddresses: [to] };
    await client.send(new SendEmailCommand({ FromEmailAddress: sender, Destination, Content: { Simple } }));
  };
};
