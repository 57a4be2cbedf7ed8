import { MailFailure } from '#shared/delivery/targets/mail-failure.ts';
import { nonEmpty } from '#shared/runtime/env.ts';
import { readSettings } from '#shared/settings/read.ts';
import { settingErrors } from '#shared/settings/setting-errors.ts';
import { createSmtp } from '../local/mail/smtp.ts';
import type { SmtpReason } from '../local/mail/smtp-failure.ts';
import { type SmtpSettings, smtpFrom, smtpProblems } from '../local/mail/smtp-settings.ts';
import { variables } from '../local/variables.ts';
import { UserError } from './user-error.ts';

type Variables = Readonly<Record<string, string | undefined>>;
/** The mail server, the sender for test emails, and the service name. */
type MailSettings = { smtp: SmtpSettings; sender: string; service: string };

/** The settings read by this tool. */
const names = [
  'SMTP_URL',
  'SMTP_USER',
  'SMTP_PASSWORD_FILE',
  'SMTP_CA',
  'EXTRA_CA_CERTS',
  'MAIL_SENDER',
  'SERVICE_NAME',
];

const DEADLINE_MS = 15_000;

/** Reads the email settings as `npm start` does. */
const mailSettingsFrom = (given: Variables): MailSettings => {
  const env = nonEmpty(given);
  const { values, wrong } = readSettings(variables, (name) => (names.includes(name) ? env[name] : undefined));
  const problems = wrong.length > 0 ? settingErrors(wrong) : smtpProblems(values);
  if (problems.length > 0) throw new UserError(`invalid settings:\n  ${problems.join('\n  ')}`);
  const smtp = smtpFrom(values);
  if (!smtp)
    throw new UserError(
      'SMTP_URL is not set, so mails are not sent: they become files in `outbox` of the data folder.',
    );
  return { smtp, sender: values.MAIL_SENDER, service: values.SERVICE_NAME };
};

/** What each failure means, and what to do. */
const explanations: Record<SmtpReason, string> = {
  recipient_refused: 'The mail server refused the recipient: check the address.',
  message_refused:
    'The mail server refused the content of the mail: its operator knows why, for example a spam filter.',
  sender_refused:
    'The mail server refused the sender: MAIL_SENDER must be an address that it lets this user send from.',
  login_refused: 'The mail server refused the login, or offers none: check SMTP_USER and the password.',
  try_later:
    'The mail server asks to try again later, for example because of greylisting: npm start does so on its own.',
  dns_failed: 'The host in SMTP_URL was not found: check its name, and the name server of this machine.',
  connect_refused: 'Nothing accepts connections at the port in SMTP_URL: check host and port.',
  connect_failed: 'The host in SMTP_URL could not be reached: check host and port, and the firewall.',
  connection_closed:
    'The mail server closed the connection: check whether smtps:// is needed instead of smtp://, or the reverse.',
  protocol_error: 'The server at SMTP_URL does not accept mails: check host and port.',
  timeout: 'The mail server did not answer in time: check host, port and firewall, and whether smtps:// is needed.',
  tls_not_offered:
    'The mail server does not offer encryption at this port: use smtps://, or add ?tls=none on a network that you trust.',
  settings_unreadable: 'A file with the password or the certificates cannot be read: check its path and permissions.',
};

const explanationOf = (reason: string): string =>
  Object.entries(explanations).find(([name]) => name === reason)?.[1] ??
  `The certificate of the mail server was not accepted (${reason}): set SMTP_CA to a file with the authority that signed it, and use the name of the host that the certificate is for.`;

/**
 * Sends a test email with the `npm start` settings. Prints the mail server's response. Returns false if the server
 * rejected the email.
 */
export const sendTestMail = async (
  to: string,
  env: Variables,
  { now, random, print }: { now: () => number; random: (bytes: number) => Uint8Array; print: (line: string) => void },
): Promise<boolean> => {
  const { smtp: settings, sender, service } = mailSettingsFrom(env);
  const smtp = createSmtp(settings, { sender, deadlineMs: DEADLINE_MS, now, random, onFailure: () => {} });
  try {
    await smtp.mail(to, `Test: ${service}`, `${service} sends its mails the same way.\n`);
    print(`The mail server accepted the mail to ${to}: check that it arrives, and not as spam.`);
    return true;
  } catch (error) {
    if (!(error instanceof MailFailure)) throw error;
    print(explanationOf(error.reason));
    if (error.answer !== '') print(`Its answer: ${error.answer}`);
    return false;
  } finally {
    smtp.close();
  }
};
