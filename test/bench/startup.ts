import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { familyOf } from './cpu.ts';
import { type Figure, median } from './figures.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const ROUNDS = 5;

/** Gives the peak resident memory (MB) of a process; 0 when it has ended. */
const peakOf = async (pid: number): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return (Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1_024) / 1e6;
};

/** Starts the cloud as a user does, from an empty folder, and stops it once it is ready. */
const startOnce = async (dataDir: string) => {
  const start = performance.now();
  const variables = ['PORT=0', `DATA_DIR=${dataDir}`];
  const child = spawn('env', [...variables, 'npm', 'start'], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  let printed = '';
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
    printed += chunk.toString();
    if (/^ready /m.test(printed)) break;
  }
  const ms = performance.now() - start;
  const family = await familyOf(child.pid ?? 0);
  const peaks = await Promise.all(family.map(peakOf));
  // npm does not pass the signal on to what its shell has started.
  for (const pid of family) process.kill(pid, 'SIGTERM');
  await exited;
  return { ms, peaks };
};

/** Measures the time from `npm start` to `ready`, and the memory of the largest process then: npm is the other one. */
export const measureStartup = async (folder: string): Promise<Figure[]> => {
  const runs: Awaited<ReturnType<typeof startOnce>>[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    runs.push(await startOnce(join(folder, `start-${round}`)));
  }
  const ready = median(runs.map(({ ms }) => ms));
  const peak = Math.max(...runs.flatMap(({ peaks }) => peaks));
  return [
    { name: '`npm start` to `ready`', value: ready / 1_000, unit: 's', most: 2 },
    { name: 'memory at `ready`', value: peak, unit: 'MB', most: 250 },
  ];
};
