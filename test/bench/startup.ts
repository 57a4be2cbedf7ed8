import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { familyOf } from './cpu.ts';
import { type Figure, median } from './figures.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const ROUNDS = 5;

/** Returns a process's peak resident memory in MB, or 0 if the process has ended. */
const peakOf = async (pid: number): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return (Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1_024) / 1e6;
};

/** Whether a process is the host itself rather than npm or the shell above it. */
const isHost = async (pid: number): Promise<boolean> => {
  const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0');
  return words[1] === 'bin/run.ts';
};

/** Returns the host processes below npm: the host and its descendants. */
const hostBelow = async (npm: number) => {
  for (const { pid } of await familyOf(npm)) if (await isHost(pid)) return familyOf(pid);
  return [];
};

/** Starts the host as a user would, with an empty folder, and stops it once it is ready. */
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
  const host = await hostBelow(child.pid ?? 0);
  const [serving] = host;
  if (!serving) throw new Error('npm start did not start a host');
  const peaks = await Promise.all(host.map(({ pid }) => peakOf(pid)));
  // A signal to npm would end the shell in between, and leave the host running.
  process.kill(serving.pid, 'SIGTERM');
  await exited;
  return { ms, processes: host.length, megabytes: peaks.reduce((sum, peak) => sum + peak, 0) };
};

/** Measures the time from `npm start` to `ready`, and the host's processes and memory at that point. */
export const measureStartup = async (folder: string): Promise<Figure[]> => {
  const runs: Awaited<ReturnType<typeof startOnce>>[] = [];
  for (let round = 0; round < ROUNDS; round++) runs.push(await startOnce(join(folder, `start-${round}`)));
  const times = runs.map(({ ms }) => ms / 1_000);
  const peaks = runs.map(({ megabytes }) => megabytes);
  const note = `rounds: ${times.map((time) => time.toFixed(2)).join(', ')}`;
  return [
    { name: '`npm start` to `ready`', value: median(times), unit: 's', max: 0.7, note },
    { name: 'memory of the host at `ready`', value: Math.max(...peaks), unit: 'MB', max: 190 },
    {
      name: 'processes of the host at `ready`',
      value: Math.max(...runs.map((run) => run.processes)),
      unit: '',
      max: 1,
      min: 1,
    },
  ];
};
