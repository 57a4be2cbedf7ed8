import { readCommandLine } from '#lib/local/command-line.ts';
import { randomFrom } from '#lib/local/random.ts';

const help = `npm run power-cuts [-- --events 400] [--cuts 20] [--seed 1]
Cuts the power of the local host at random times, once in each part of --events events: it starts again with nothing but
what its disk had synced. In three more parts a sync fails, the disk is full for a while, and a commit fails on a full
disk. Checks every event that was accepted with 202.`;
const options = {
  events: { type: 'string', default: '400' },
  cuts: { type: 'string', default: '20' },
  seed: { type: 'string', default: '1' },
} as const;
const isCount = (text: string) => /^\d{1,6}$/.test(text);
const { events, cuts, seed } = readCommandLine(options, help, { out: console.log, err: console.error }, (values) =>
  Object.values(values).every(isCount) ? null : 'every value must be a whole number',
);

const { isFaultless, lineOf } = await import('./kills.ts');
const { runPowerCuts } = await import('./power-cuts.ts');
const happening = [...Array(Number(cuts)).fill('cut'), 'failedSync', 'filled', 'failedCommit'];
const random = randomFrom(Number(seed));
const result = await runPowerCuts({ events: Number(events) * happening.length, happening, random, say: console.log });
console.log(lineOf(result));
process.exitCode = isFaultless(result) ? 0 : 1;
