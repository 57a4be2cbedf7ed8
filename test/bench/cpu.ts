import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html: counted in ticks, of which Linux has 100 a second. */
const TICKS = 100;
/** Of utime, stime, cutime and cstime among what follows the name of the program. */
const [FIRST, LAST] = [11, 15];

/** Seconds of CPU of a process and of its children that have ended. */
export const cpuOf = async (pid: number): Promise<number> => {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The name is in parentheses, and may have spaces.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return fields.slice(FIRST, LAST).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS;
};

/** Seconds of CPU of the engine that keeps its table in a folder. */
export const cpuOfEngine = async (dataDir: string): Promise<number> =>
  cpuOf(Number(await readFile(join(dataDir, 'engine.pid'), 'utf8')));

/** Seconds of CPU of all processes of a host: its own, and the engine that it started. */
export const cpuOfHost = async (pid: number, dataDir: string): Promise<{ node: number; engine: number }> => {
  const [node, engine] = await Promise.all([cpuOf(pid), cpuOfEngine(dataDir)]);
  return { node, engine };
};
