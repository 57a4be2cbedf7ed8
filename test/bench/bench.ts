import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCommandLine } from '../../lib/local/command-line.ts';
import manifest from '../../package.json' with { type: 'json' };
import { type Figure, passes, tableOf } from './figures.ts';
import { measureKilled } from './killed.ts';
import { measureLists } from './lists.ts';
import { measureMqtt } from './mqtt.ts';
import { measurePauses } from './pauses.ts';
import { measurePrice } from './price.ts';
import { measureServe } from './serve.ts';
import { measureStarts } from './starts.ts';
import { measureStartup } from './startup.ts';
import { measureStorm } from './storm.ts';
import { measureThroughput } from './throughput.ts';
import { measureWorkers } from './workers.ts';

const help = `npm run bench [-- --json FILE] [--peers FOLDER] [--only starts,serve,startup,throughput,killed,mqtt,storm,workers,lists,pauses,price]
FOLDER: a node_modules with hono, @hono/zod-validator, express and serverless-http, to compare with.`;

const options = {
  json: { type: 'string' },
  peers: { type: 'string', default: '' },
  only: { type: 'string', default: 'starts,serve,startup,throughput,killed,mqtt,storm,workers,lists,pauses,price' },
} as const;

const { json, peers, only } = readCommandLine(options, help, { out: console.log, err: console.error });
const folder = await mkdtemp(join(tmpdir(), 'sensor-cloud-bench-'));
const parts: Record<string, () => Promise<Figure[]>> = {
  starts: () => measureStarts(join(folder, 'bundles'), peers),
  serve: () => measureServe(peers),
  startup: () => measureStartup(folder),
  throughput: () => measureThroughput(folder),
  killed: () => measureKilled(folder),
  mqtt: () => measureMqtt(folder),
  storm: () => measureStorm(folder),
  workers: measureWorkers,
  lists: measureLists,
  pauses: () => measurePauses(folder),
  price: measurePrice,
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
