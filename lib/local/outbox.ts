import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Runtime } from '../../shared/deps.ts';

type Outbox = { dataDir: string; sender: string; now: () => number; say: (line: string) => void };

// RFC 2047: a header holds nothing but ASCII.
const encoded = (text: string): string => Buffer.from(text, 'utf8').toString('base64');
const word = (text: string): string => (/^[\x20-\x7e]*$/.test(text) ? text : `=?UTF-8?B?${encoded(text)}?=`);

/** Where mails of the local host go: a file each in `outbox` of the data folder; printed when nothing is kept. */
export const createOutbox =
  ({ dataDir, sender, now, say }: Outbox): Runtime['mail'] =>
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
    );
  };
