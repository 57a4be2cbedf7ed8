import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Figure, median } from './figures.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const ROUNDS = 5;

const familyOf = async (pid: number): Promise<number[]> => {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  const all = await Promise.all(children.trim().split(' ').filter(Boolean).map(Number).map(familyOf));
  return [pid, ...all.flat()];
};

/** Gives the name of a process, and its peak resident memory in MB; 0 when it has ended. */
const peakOf = async (pid: number) => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kilobytes = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0);
  return { name: /Name:\s+(\S+)/.exec(status)?.[1] ?? '', megabytes: (kilobytes * 1_024) / 1e6 };
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
  child.kill('SIGTERM');
  await exited;
  return { ms, peaks };
};

/** Measures the time from `npm start` to `ready`, and the memory of the cloud and of its table engine then. */
export const measureStartup = async (folder: string): Promise<Figure[]> => {
  const runs: Awaited<ReturnType<typeof startOnce>>[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    runs.push(await startOnce(join(folder, `start-${round}`)));
  }
  const ready = median(runs.map(({ ms }) => ms));
  const peak = (wanted: (name: string) => boolean) =>
    Math.max(0, ...runs.flatMap(({ peaks }) => peaks.filter(({ name }) => wanted(name)).map((one) => one.megabytes)));
  const [engine, node] = [peak((name) => name.startsWith('dynoxide')), peak((name) => !name.startsWith('dynoxide'))];
  return [
    { name: '`npm start` to `ready`', value: ready / 1_000, unit: 's', most: 3 },
    { name: 'memory at `ready`, the larger process', value: Math.max(node, engine), unit: 'MB', most: 300 },
    { name: 'memory at `ready`, the table engine', value: engine, unit: 'MB' },
  ];
};
