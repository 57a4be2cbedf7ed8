import { loginProblems } from '../login.ts';
import type { VariableValues } from '../variables.ts';
import { isLoopback, readSmtpUrl, type SmtpServer } from './smtp-url.ts';

/** How to reach the mail server. `user` is empty without a login. A file that is not set is null. */
export type SmtpSettings = {
  server: SmtpServer;
  user: string;
  passwordFile: string | null;
  /** The certificates trusted instead of those that Node.js trusts. */
  caFile: string | null;
  /** Additional trusted certificates. */
  extraCaFile: string | null;
};

type SmtpValues = Pick<
  VariableValues,
  'SMTP_URL' | 'SMTP_USER' | 'SMTP_PASSWORD_FILE' | 'SMTP_CA' | 'EXTRA_CA_CERTS' | 'MAIL_SENDER'
>;

/** Returns the mail server settings. Null without a mail server. */
export const smtpFrom = (values: SmtpValues): SmtpSettings | null => {
  const {
    SMTP_URL,
    SMTP_USER,
    SMTP_PASSWORD_FILE: passwordFile,
    SMTP_CA: caFile,
    EXTRA_CA_CERTS: extraCaFile,
  } = values;
  const server = SMTP_URL === null ? null : readSmtpUrl(SMTP_URL);
  return server && { server, user: SMTP_USER ?? server.user, passwordFile, caFile, extraCaFile };
};

const names = {
  url: 'SMTP_URL',
  user: 'SMTP_USER',
  passwordFile: 'SMTP_PASSWORD_FILE',
  server: 'the mail server',
} as const;

/** Returns a sentence for each email setting that conflicts with another one. */
export const smtpProblems = (values: SmtpValues): string[] => {
  const { SMTP_URL, SMTP_USER, SMTP_PASSWORD_FILE, SMTP_CA, MAIL_SENDER } = values;
  if (SMTP_URL === null)
    return Object.entries({ SMTP_USER, SMTP_PASSWORD_FILE, SMTP_CA }).flatMap(([name, value]) =>
      value === null ? [] : [`SMTP_URL is missing: ${name} is of no use without it`],
    );
  const server = readSmtpUrl(SMTP_URL);
  return [
    ...(MAIL_SENDER.includes('@') ? [] : ['MAIL_SENDER is missing: SMTP_URL needs an address to send mails from']),
    ...loginProblems(
      { inUrl: server ?? { user: '', password: '' }, user: SMTP_USER, passwordFile: SMTP_PASSWORD_FILE },
      names,
    ),
    ...(server?.encryption === 'none' && SMTP_CA !== null
      ? ['SMTP_CA must not be set where SMTP_URL says ?tls=none']
      : []),
  ];
};

/** Returns a sentence if others on the network can read the emails. */
export const smtpWarnings = (values: SmtpValues): string[] => {
  const server = smtpFrom(values)?.server;
  return server?.encryption === 'none' && !isLoopback(server.host)
    ? [`mails to ${server.host} are not encrypted (?tls=none), so others on the network can read them and the password`]
    : [];
};
