import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCommandLine } from '#lib/local/command-line.ts';
import { randomFrom } from '#lib/local/random.ts';

const help = `npm run kills [-- --events 1000] [--kills 20] [--seed 1]
Kills the local host at random times while events are posted, and checks every event that was accepted with 202.`;
const options = {
  events: { type: 'string', default: '1000' },
  kills: { type: 'string', default: '20' },
  seed: { type: 'string', default: '1' },
} as const;
const isCount = (text: string) => /^\d{1,6}$/.test(text);
const { events, kills, seed } = readCommandLine(options, help, { out: console.log, err: console.error }, (values) =>
  Object.values(values).every(isCount) ? null : 'every value must be a whole number',
);

const { killed, lineOf, isFaultless, runKills } = await import('./kills.ts');
// The same seed yields the same random numbers, but process timing varies.
const random = randomFrom(Number(seed));
const ends = new Map(Array.from({ length: Number(kills) }, () => [Math.floor(random() * Number(events)), killed]));
const dataDir = await mkdtemp(join(tmpdir(), 'sensor-cloud-kills-'));
const result = await runKills({ events: Number(events), ends, dataDir, say: console.log });
await rm(dataDir, { recursive: true, force: true });
console.log(lineOf(result));
process.exitCode = isFaultless(result) ? 0 : 1;
