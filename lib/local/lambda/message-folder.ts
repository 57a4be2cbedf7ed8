import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

type MessageFolder = { dataDir: string; now: () => number; say: (line: string) => void };

/**
 * Sends the SMS and chat messages of the local host: each becomes a file in `outbox` of the data folder, beside the mails,
 * or is printed when there is no folder.
 */
export const createMessageFolder =
  ({ dataDir, now, say }: MessageFolder) =>
  async (to: string, text: string): Promise<void> => {
    if (dataDir === ':memory:') return say(`message to ${to}: ${text}`);
    const folder = join(dataDir, 'outbox');
    await mkdir(folder, { recursive: true });
    // Whoever reads a code proves a channel.
    await writeFile(join(folder, `${now()}-${randomUUID()}.txt`), `To: ${to}\n\n${text}\n`, { mode: 0o600 });
  };
