import { readFile } from 'node:fs/promises';
import { createTransport } from 'nodemailer';
import type { SendMail } from '#shared/aws/mail.ts';
import { MailFailure } from '#shared/delivery/targets/mail-failure.ts';
import { composeMail } from '#shared/delivery/targets/mail-message.ts';
import { authoritiesOf } from '../trusted-roots.ts';
import { failureOf } from './smtp-failure.ts';
import type { SmtpSettings } from './smtp-settings.ts';

/** The time limit (ms) for connecting (including the TLS handshake), for the greeting, and for each response. */
const STEP_MS = 10_000;
/** The maximum number of concurrent emails, and of emails per connection. Servers limit both. */
const CONNECTIONS = 5;
const MAILS_OF_CONNECTION = 100;
/**
 * Attempts for an email whose connection was closed before the server received any of it, as happens with idle
 * connections.
 */
const RECONNECTS = 2;

type Files = { password: string; ca: string; extraCa: string };

const contentOf = async (file: string | null): Promise<string> => {
  if (file === null) return '';
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new MailFailure('settings_unreadable', `${file} cannot be read (${error.code})`, false);
  });
};

const connectionsTo = ({ server, user }: SmtpSettings, { password, ca, extraCa }: Files, stepMs: number) => {
  const { host, port, encryption } = server;
  return createTransport({
    pool: true,
    host,
    port,
    secure: encryption === 'tls',
    requireTLS: encryption === 'starttls',
    ignoreTLS: encryption === 'none',
    // Without `forceAuth`, nodemailer skips the login if the server does not offer one, and the server then refuses
    // emails.
    ...(user !== '' && { auth: { user, pass: password }, forceAuth: true }),
    tls: { minVersion: 'TLSv1.2', ...authoritiesOf(ca, extraCa) },
    connectionTimeout: stepMs,
    greetingTimeout: stepMs,
    socketTimeout: stepMs,
    dnsTimeout: stepMs,
    maxConnections: CONNECTIONS,
    maxMessages: MAILS_OF_CONNECTION,
    maxRequeues: RECONNECTS,
  });
};

type Options = {
  sender: string;
  /** The maximum time (ms) for sending an email. */
  deadlineMs: number;
  now: () => number;
  /** Random bytes for the email id. */
  random: (bytes: number) => Uint8Array;
  onFailure: (failure: MailFailure) => void;
};

/**
 * Sends emails through a mail server. Failures caused by the server rather than by a recipient or an email are reported
 * to `onFailure`, and the state is FAILING until an email is accepted.
 */
export const createSmtp = (settings: SmtpSettings, { sender, deadlineMs, now, random, onFailure }: Options) => {
  let current: { key: string; transport: ReturnType<typeof connectionsTo> } | null = null;
  let isFailing = false;
  // All files are read for each email, so a new password or certificate needs no restart.
  const connections = async () => {
    const { passwordFile, caFile, extraCaFile } = settings;
    const contents = [contentOf(passwordFile), contentOf(caFile), contentOf(extraCaFile)] as const;
    const [fromFile, ca, extraCa] = await Promise.all(contents);
    const password = passwordFile === null ? settings.server.password : fromFile.trim();
    const key = JSON.stringify([password, ca, extraCa]);
    if (current?.key !== key) {
      current?.transport.close();
      current = { key, transport: connectionsTo(settings, { password, ca, extraCa }, Math.min(STEP_MS, deadlineMs)) };
    }
    return current.transport;
  };
  const mail: SendMail = async (to, subject, text) => {
    try {
      const signal = AbortSignal.timeout(deadlineMs);
      const id = Buffer.from(random(16)).toString('hex');
      const raw = await composeMail({ from: sender, to, subject, text, id, date: now() });
      const transport = await connections();
      await transport.sendMail({ envelope: { from: sender, to: { name: '', address: to } }, raw, signal });
      isFailing = false;
    } catch (error) {
      const failure = error instanceof MailFailure ? error : failureOf(error, to);
      if (!failure.isFinal) {
        isFailing = true;
        onFailure(failure);
      }
      throw failure;
    }
  };
  return {
    mail,
    state: (): 'OK' | 'FAILING' => (isFailing ? 'FAILING' : 'OK'),
    close: () => current?.transport.close(),
  };
};
