import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The unit of CPU time in /proc: Linux has 100 ticks a second.
 * https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
 */
const TICKS = 100;
/** The positions of utime, stime, cutime and cstime (first to last) after the name of the program. */
const [FIRST, LAST] = [11, 15];

/** Gives the CPU time (s) of a process and of its children that have ended. */
export const cpuOf = async (pid: number): Promise<number> => {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The name is in parentheses, and may contain spaces.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return fields.slice(FIRST, LAST).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS;
};

/** Gives the CPU time (s) of the engine that works on a data folder. */
export const cpuOfEngine = async (dataDir: string): Promise<number> =>
  cpuOf(Number(await readFile(join(dataDir, 'engine.pid'), 'utf8')));

/** Gives the CPU time (s) of the processes of a host: that of Node, and that of its engine. */
export const cpuOfHost = async (pid: number, dataDir: string): Promise<{ node: number; engine: number }> => {
  const [node, engine] = await Promise.all([cpuOf(pid), cpuOfEngine(dataDir)]);
  return { node, engine };
};
