import { readFile, realpath } from 'node:fs/promises';
import { pidFileOf, tableFileOf } from './engines.ts';

/**
 * Gives the endpoint of the engine that works on a data folder at the moment; null when there is none. The command
 * line of its process names the port and the file, so another process that has the same id by chance is recognized.
 */
export const runningEngine = async (dataDir: string): Promise<string | null> => {
  const folder = await realpath(dataDir);
  const pid = Number(await readFile(pidFileOf(folder), 'utf8').catch(() => ''));
  const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0');
  const port = words[words.indexOf('--port') + 1];
  return words.includes(tableFileOf(folder)) && port ? `http://127.0.0.1:${port}` : null;
};
