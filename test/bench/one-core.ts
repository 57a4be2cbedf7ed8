import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { adminOf } from '../fixtures/home.ts';
import { createBenchHome } from './bench-home.ts';
import { startBenchHost, startRecorder } from './bench-site.ts';
import type { Figure } from './figures.ts';
import { loadAt } from './loads.ts';

const RATES = [20, 50, 100, 200];

/** Measures a host restricted to the first core, while the sender and the receiver use the others. Linux only. */
export const measureOneCore = async (folder: string): Promise<Figure[]> => {
  const ear = await startRecorder();
  const host = await startBenchHost(join(folder, 'one-core'));
  const figures: Figure[] = [];
  try {
    execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', '0', String(host.pid)]);
    const home = await createBenchHome(await adminOf(host.url), 'maple', ear, 1);
    for (const rate of RATES) {
      const { cpu, p50, p99, perSecond } = await loadAt({ pid: host.pid, ear }, home, rate);
      const name = `one core, ${rate} falls a second`;
      figures.push(
        { name: `${name}: 202 to receiver, p50`, value: p50, unit: 'ms' },
        { name: `${name}: 202 to receiver, p99`, value: p99, unit: 'ms' },
        { name: `${name}: CPU of a fall`, value: cpu, unit: 'ms' },
        { name: `${name}: delivered`, value: perSecond, unit: '1/s' },
      );
    }
  } finally {
    await host.end('SIGTERM');
    await ear.receiver.stop();
  }
  return figures;
};
