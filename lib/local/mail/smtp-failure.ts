import { MailFailure } from '#shared/delivery/targets/mail-failure.ts';

/** The nodemailer error properties that identify the failure. https://nodemailer.com/errors */
type SmtpError = {
  message: string;
  code?: string;
  /** The Node or OpenSSL code, if `code` is one of nodemailer's. */
  originalCode?: string;
  command?: string;
  response?: string;
  responseCode?: number;
};

/** Why a mail server did not accept an email. A TLS failure is identified by its OpenSSL or Node code instead. */
export type SmtpReason =
  | 'recipient_refused'
  | 'message_refused'
  | 'sender_refused'
  | 'login_refused'
  | 'try_later'
  | 'dns_failed'
  | 'connect_refused'
  | 'connect_failed'
  | 'connection_closed'
  | 'protocol_error'
  | 'timeout'
  | 'tls_not_offered'
  | 'settings_unreadable';

const MAX_ANSWER = 200;

/** Returns a server response on one line, without the recipient's address. */
const answerOf = ({ response = '' }: SmtpError, to: string): string =>
  response.replaceAll(/\s+/g, ' ').replaceAll(to, '(address)').trim().slice(0, MAX_ANSWER);

/** Responses that demand a login, whatever the command (RFC 4954), and the response to a command out of sequence. */
const aboutLogin = [530, 534, 535, 538];
const OUT_OF_SEQUENCE = 503;

/**
 * Returns the reason for a failure that no retry can fix: the server refused the recipient or the email. Null if a
 * retry may help.
 */
const finalReason = ({ code, command = '', responseCode = 0 }: SmtpError): SmtpReason | null => {
  if (code === 'EENVELOPE' && command === 'API') return 'recipient_refused';
  if (responseCode < 500 || responseCode === OUT_OF_SEQUENCE || aboutLogin.includes(responseCode)) return null;
  if (command === 'RCPT TO') return 'recipient_refused';
  return command === 'DATA' ? 'message_refused' : null;
};

const reasonsByCode: Readonly<Record<string, SmtpReason>> = {
  EABORT: 'timeout',
  ETIMEDOUT: 'timeout',
  EDNS: 'dns_failed',
  ETLS: 'tls_not_offered',
  ECONNECTION: 'connection_closed',
  EPROTOCOL: 'protocol_error',
};
const reasonsBySystemCode: Readonly<Record<string, SmtpReason>> = {
  ECONNREFUSED: 'connect_refused',
  ECONNRESET: 'connection_closed',
  EPIPE: 'connection_closed',
};

/** Returns the reason for a failure that a retry may fix. A TLS failure has its OpenSSL or Node name. */
const temporaryReason = ({
  code = '',
  originalCode = '',
  command,
  responseCode = 0,
}: SmtpError): SmtpReason | (string & {}) => {
  if (code === 'EAUTH' || aboutLogin.includes(responseCode)) return 'login_refused';
  if (responseCode >= 400 && responseCode < 500 && code !== 'ETLS') return 'try_later';
  if (command === 'MAIL FROM' && responseCode >= 500) return 'sender_refused';
  if (code === 'ESOCKET') {
    const isOfSystem = /^E[A-Z]+$/.test(originalCode);
    return reasonsBySystemCode[originalCode] ?? (isOfSystem || originalCode === '' ? 'connect_failed' : originalCode);
  }
  return reasonsByCode[code] ?? 'connect_failed';
};

/** Returns the failure corresponding to a nodemailer error. */
export const failureOf = (error: unknown, to: string): MailFailure => {
  const { message = '', ...rest } = error as Partial<SmtpError> & Error;
  const given = { message, ...rest };
  const reason = finalReason(given);
  return new MailFailure(reason ?? temporaryReason(given), answerOf(given, to), reason !== null);
};
