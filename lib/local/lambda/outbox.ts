import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Runtime } from '#shared/runtime/deps.ts';

type Outbox = { dataDir: string; now: () => number; say: (line: string) => void };

/** Writes a file that only its owner can read, because codes in messages reset passwords and verify channels. */
const write = async ({ dataDir, now }: Outbox, ending: 'eml' | 'txt', content: string): Promise<void> => {
  const folder = join(dataDir, 'outbox');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${now()}-${randomUUID()}.${ending}`), content, { mode: 0o600 });
};

// RFC 2047 is needed because headers are limited to ASCII.
const encoded = (text: string): string => Buffer.from(text, 'utf8').toString('base64');
const word = (text: string): string => (/^[\x20-\x7e]*$/.test(text) ? text : `=?UTF-8?B?${encoded(text)}?=`);

/**
 * Sends the mails of the local host: each becomes a file in `outbox` of the data folder, or is printed if there is no
 * folder.
 */
export const createMailFolder =
  (sender: string, outbox: Outbox): Runtime['mail'] =>
  async (to, subject, text) => {
    if (outbox.dataDir === ':memory:') return outbox.say(`mail to ${to}: ${subject}\n${text}`);
    const head = [
      `From: ${sender || 'outbox'}`,
      `To: ${to}`,
      `Subject: ${word(subject)}`,
      `Date: ${new Date(outbox.now()).toUTCString()}`,
      'MIME-Version: 1.0',
      'Content-Type: text/plain; charset=utf-8',
      'Content-Transfer-Encoding: 8bit',
    ];
    await write(outbox, 'eml', `${head.join('\r\n')}\r\n\r\n${text.replaceAll('\n', '\r\n')}`);
  };

/**
 * Sends the SMS and chat messages of the local host: each becomes a file in `outbox` of the data folder, next to the
 * mails, or is printed if there is no folder.
 */
export const createMessageFolder =
  (outbox: Outbox) =>
  async (to: string, text: string): Promise<void> => {
    if (outbox.dataDir === ':memory:') return outbox.say(`message to ${to}: ${text}`);
    await write(outbox, 'txt', `To: ${to}\n\n${text}\n`);
  };
