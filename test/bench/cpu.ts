import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** Ticks per second in the CPU times under /proc. https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
const TICKS = 100;

/** Field positions after the program name: the parent, and utime, stime, cutime and cstime (first to last). */
const PARENT = 1;
const FIRST = 11;
const LAST = 15;

/** A host is idle when it uses less CPU time (s) than this in a second. */
const IDLE = 0.05;

type Running = { pid: number; parent: number; seconds: number };

const runningOf = async (pid: number): Promise<Running[]> => {
  // The process may have ended in the meantime.
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (text === null) return [];
  // The name is in parentheses and may contain spaces.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(FIRST, LAST).reduce((sum, field) => sum + Number(field), 0);
  return [{ pid, parent: Number(fields[PARENT]), seconds: ticks / TICKS }];
};

/** Returns a process and all its descendants. */
export const familyOf = async (pid: number): Promise<Running[]> => {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const all = (await Promise.all(pids.map(runningOf))).flat();
  const withChildren = (running: Running): Running[] => [
    running,
    ...all.filter(({ parent }) => parent === running.pid).flatMap(withChildren),
  ];
  return all.filter((running) => running.pid === pid).flatMap(withChildren);
};

/** Returns the CPU time (s) of a process and all its descendants, including those that have ended. */
const cpuOf = async (pid: number): Promise<number> =>
  (await familyOf(pid)).reduce((sum, { seconds }) => sum + seconds, 0);

/** Waits until a process is idle. Returns the total CPU time (s), including all descendants. */
export const settledCpu = async (pid: number): Promise<number> => {
  for (let before = await cpuOf(pid); ; ) {
    await sleep(1_000);
    const now = await cpuOf(pid);
    if (now - before < IDLE) return now;
    before = now;
  }
};
