import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Runtime } from '#shared/runtime/deps.ts';

type MailFolder = { dataDir: string; sender: string; now: () => number; say: (line: string) => void };

// RFC 2047 is needed because headers are limited to ASCII.
const encoded = (text: string): string => Buffer.from(text, 'utf8').toString('base64');
const word = (text: string): string => (/^[\x20-\x7e]*$/.test(text) ? text : `=?UTF-8?B?${encoded(text)}?=`);

/**
 * Sends the mails of the local host: each becomes a file in `outbox` of the data folder, or is printed when there is
 * no folder.
 */
export const createMailFolder =
  ({ dataDir, sender, now, say }: MailFolder): Runtime['mail'] =>
  async (to, subject, text) => {
    if (dataDir === ':memory:') return say(`mail to ${to}: ${subject}\n${text}`);
    const head = [
      `From: ${sender || 'outbox'}`,
      `To: ${to}`,
      `Subject: ${word(subject)}`,
      `Date: ${new Date(now()).toUTCString()}`,
      'MIME-Version: 1.0',
      'Content-Type: text/plain; charset=utf-8',
      'Content-Transfer-Encoding: 8bit',
    ];
    const folder = join(dataDir, 'outbox');
    await mkdir(folder, { recursive: true });
    await writeFile(
      join(folder, `${now()}-${randomUUID()}.eml`),
      `${head.join('\r\n')}\r\n\r\n${text.replaceAll('\n', '\r\n')}`,
      // Whoever reads a code sets a password.
      { mode: 0o600 },
    );
  };
