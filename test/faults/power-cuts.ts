import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileOf, type PLANTED } from './disk-faults.ts';
import { type KillPlan, type MortalHost, type Reconciled, runKills } from './kills.ts';

/** The files a power cut leaves behind, and the files that belong only to a running process. */
const FILES = ['cloud.sqlite', 'cloud.sqlite-wal'];
const OF_PROCESS = ['cloud.sqlite-shm'];

/** What can happen to a host's power and disk, each followed by a restart unless the host recovers. */
const eventsOn = (folder: string, dataDir: string) => {
  const file = (name: Parameters<typeof fileOf>[1]) => fileOf(folder, name);
  /** Leaves nothing but what was synced. */
  const loseUnsynced = async (): Promise<void> => {
    const kept = await readFile(file('kept'), 'utf8');
    for (const name of [...FILES, ...OF_PROCESS]) await rm(join(dataDir, name), { force: true });
    for (const name of FILES) await copyFile(join(kept, name), join(dataDir, name));
  };
  const untilFull = async (host: MortalHost): Promise<void> => {
    for (;;) {
      const health = await host.health().then(
        (response) => response.json(),
        () => null,
      );
      if ((health as { disk?: string } | null)?.disk === 'FULL') return;
      await sleep(50);
    }
  };
  /** Waits until a host has ended without being stopped. Throws if it did not print what to do. */
  const untilEnded = async (host: Awaited<ReturnType<MortalHost['current']>>): Promise<void> => {
    const code = await host.ended;
    const isExplained = host.lines.some((line) => line.includes('start it again'));
    if (code !== 1 || !isExplained) throw new Error(`the host ended with ${code}: ${host.lines.join('\n')}`);
  };
  return {
    cut: (host: MortalHost) => host.restart((dying) => dying.end('SIGKILL'), loseUnsynced),
    failedSync: async (host: MortalHost): Promise<void> => {
      await writeFile(file('failing'), '');
      await host.restart(untilEnded, loseUnsynced);
    },
    /** Fills the disk for a while. The host refuses everything, and then recovers without a restart. */
    filled: async (host: MortalHost): Promise<void> => {
      await writeFile(file('full'), '');
      await untilFull(host);
      await rm(file('full'));
    },
    /** Fills the disk in the middle of a commit. The host ends, and waits for free space when it is restarted. */
    failedCommit: async (host: MortalHost): Promise<void> => {
      await writeFile(file('uncommittable'), '');
      const restarted = host.restart(untilEnded, () => writeFile(file('full'), ''));
      await untilFull(host);
      await rm(file('full'));
      await restarted;
    },
  };
};
type DiskEvents = ReturnType<typeof eventsOn>;

type CutPlan = Pick<KillPlan, 'events' | 'say' | 'timeoutMs'> & {
  /**
   * The disk events in a run, in this order. The run is split into equal parts, with one disk event at a random time in
   * each.
   */
  happening: readonly (keyof DiskEvents)[];
  random: () => number;
  /** The additional time (ms) each sync takes. */
  delayMs?: number;
  planted?: keyof typeof PLANTED;
};

/** Runs a host on a simulated disk that loses everything unsynced, and then checks every event. */
export const runPowerCuts = async ({
  happening,
  random,
  delayMs = 0,
  planted = '',
  ...plan
}: CutPlan): Promise<Reconciled> => {
  const base = await mkdtemp(join(tmpdir(), 'sensor-cloud-cuts-'));
  const [folder, dataDir] = [join(base, 'disk'), join(base, 'data')];
  await mkdir(folder);
  const disk = eventsOn(folder, dataDir);
  const part = plan.events / happening.length;
  const ends = new Map(happening.map((name, at) => [Math.floor((at + 0.1 + 0.8 * random()) * part), disk[name]]));
  const hook = new URL('./cut-disk.ts', import.meta.url);
  hook.search = String(new URLSearchParams({ folder, data: dataDir, delayMs: String(delayMs), planted }));
  const environment = { NODE_OPTIONS: `--import=${hook}` };
  const result = await runKills({ ...plan, ends, environment, dataDir });
  await rm(base, { recursive: true, force: true });
  return result;
};
