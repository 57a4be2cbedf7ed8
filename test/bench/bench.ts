import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCommandLine } from '#lib/local/command-line.ts';
import manifest from '#package.json' with { type: 'json' };
import { type Figure, passes, tableOf } from './figures.ts';

const help = `npm run bench [-- --json FILE] [--only starts,serve,startup,throughput,one-core,killed,mqtt,storm,workers,lists,pauses,price]`;

const options = {
  json: { type: 'string' },
  only: {
    type: 'string',
    default: 'starts,serve,startup,throughput,one-core,killed,mqtt,storm,workers,lists,pauses,price',
  },
} as const;

const { json, only } = readCommandLine(options, help, { out: console.log, err: console.error });
const folder = await mkdtemp(join(tmpdir(), 'sensor-cloud-bench-'));
/** The parts, each imported only if selected. */
const parts: Record<string, () => Promise<Figure[]>> = {
  starts: async () => (await import('./starts.ts')).measureStarts(join(folder, 'bundles')),
  serve: async () => (await import('./serve.ts')).measureServe(),
  startup: async () => (await import('./startup.ts')).measureStartup(folder),
  throughput: async () => (await import('./throughput.ts')).measureThroughput(folder),
  'one-core': async () => (await import('./one-core.ts')).measureOneCore(folder),
  killed: async () => (await import('./killed.ts')).measureKilled(folder),
  mqtt: async () => (await import('./mqtt.ts')).measureMqtt(folder),
  storm: async () => (await import('./storm.ts')).measureStorm(folder),
  workers: async () => (await import('./workers.ts')).measureWorkers(),
  lists: async () => (await import('./lists.ts')).measureLists(),
  pauses: async () => (await import('./pauses.ts')).measurePauses(folder),
  price: async () => (await import('./price.ts')).measurePrice(),
};
const figures: Figure[] = [];
for (const [name, measure] of Object.entries(parts)) {
  if (!only.split(',').includes(name)) continue;
  console.error(`${name} ...`);
  figures.push(...(await measure()));
}
await rm(folder, { recursive: true, force: true });
console.log(tableOf(figures));
const about = {
  command: `npm run bench -- --only ${only}`,
  date: new Date().toISOString(),
  node: process.version,
  cpu: `${cpus().length} x ${cpus()[0]?.model ?? ''}`,
  versions: manifest.dependencies,
};
if (json) await writeFile(json, JSON.stringify({ ...about, figures }, null, 2));
process.exit(figures.some((figure) => passes(figure) === false) ? 1 : 0);
