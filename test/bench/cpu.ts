import { readFile } from 'node:fs/promises';

/**
 * The unit of CPU time in /proc: Linux has 100 ticks a second.
 * https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
 */
const TICKS = 100;
/** The positions of utime, stime, cutime and cstime (first to last) after the name of the program. */
const [FIRST, LAST] = [11, 15];

/** A process and all that it has started, by their ids. */
export const familyOf = async (pid: number): Promise<number[]> => {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  const all = await Promise.all(children.trim().split(' ').filter(Boolean).map(Number).map(familyOf));
  return [pid, ...all.flat()];
};

/** Gives the CPU time (s) of a process and of its children that have ended. */
const cpuOfOne = async (pid: number): Promise<number> => {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The name is in parentheses, and may contain spaces.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return fields.slice(FIRST, LAST).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS;
};

/** Gives the CPU time (s) of a process and of all that it has started. */
export const cpuOf = async (pid: number): Promise<number> => {
  const all = await Promise.all((await familyOf(pid)).map(cpuOfOne));
  return all.reduce((sum, one) => sum + one, 0);
};
