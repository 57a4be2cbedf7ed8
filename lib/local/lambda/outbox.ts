import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Runtime } from '#shared/runtime/deps.ts';

type Outbox = { dataDir: string; now: () => number; say: (line: string) => void };

/** Writes a file that only the owner can read, because codes in messages reset passwords and verify channels. */
const write = async ({ dataDir, now }: Outbox, ending: 'eml' | 'txt', content: string | Uint8Array): Promise<void> => {
  const folder = join(dataDir, 'outbox');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${now()}-${randomUUID()}.${ending}`), content, { mode: 0o600 });
};

/**
 * Sends the emails on this host: each becomes a file in the `outbox` folder inside the data folder, or is printed if
 * there is no data folder.
 */
export const createMailFolder =
  (sender: string, outbox: Outbox): Runtime['mail'] =>
  async (to, subject, text) => {
    if (outbox.dataDir === ':memory:') return outbox.say(`mail to ${to}: ${subject}\n${text}`);
    // Loaded here, because a host that prints emails or sends them over SMTP does not need it.
    const { composeMail } = await import('#shared/delivery/targets/mail-message.ts');
    const message = { from: sender, to, subject, text, id: randomUUID(), date: outbox.now() };
    await write(outbox, 'eml', await composeMail(message));
  };

/**
 * Sends the SMS and chat messages on this host: each becomes a file in the `outbox` folder, next to the emails, or is
 * printed if there is no data folder.
 */
export const createMessageFolder =
  (outbox: Outbox) =>
  async (to: string, text: string): Promise<void> => {
    if (outbox.dataDir === ':memory:') return outbox.say(`message to ${to}: ${text}`);
    await write(outbox, 'txt', `To: ${to}\n\n${text}\n`);
  };
