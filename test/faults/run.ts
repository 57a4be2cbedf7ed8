import { availableParallelism } from 'node:os';
import { readCommandLine } from '#lib/local/command-line.ts';

const help = `npm run faults [-- --seeds N] [--from SEED] [--only TEXT] [--workers N] [--neighbour SECONDS] [--endless FALLS]
Prints for each fault, over all seeds: lost duplicated recovered p50 p99 (ms from the 202 to the receiver).
Distributes the seeds over --workers processes. Afterwards, another customer's receivers hang for --neighbour seconds, and
receivers respond to --endless falls with endless bodies; 0 skips this.`;
// One more process than cores, because some runs wait for deadlines.
const processes = availableParallelism() + 1;
const options = {
  seeds: { type: 'string', default: '1' },
  from: { type: 'string', default: '1' },
  only: { type: 'string', default: '' },
  workers: { type: 'string', default: String(processes) },
  neighbour: { type: 'string', default: '15' },
  endless: { type: 'string', default: '200' },
} as const;
const values = readCommandLine(options, help, { out: console.log, err: console.error }, ({ only: _, ...numbers }) =>
  Object.values(numbers).every((text) => /^\d{1,6}$/.test(text))
    ? null
    : 'every value except --only must be a whole number',
);
const [seeds, from, workers, neighbour, endless] = [
  ...[values.seeds, values.from, values.workers, values.neighbour, values.endless].map(Number),
] as [number, number, number, number, number];

const [{ faults }, { heading, lineOf }, { runAll }] = await Promise.all([
  import('./faults.ts'),
  import('./tally.ts'),
  import('./workers.ts'),
]);
const places = [...faults.keys()].filter((at) => faults[at]?.title.includes(values.only));
const tallies = await runAll(places, { from, seeds, workers: Math.max(1, workers) }, console.error);
console.log(heading);
for (const [at, tally] of tallies) console.log(lineOf(faults[at]?.title ?? '', tally));
let isBroken = [...tallies.values()].some(({ broken }) => broken.length > 0);

if (neighbour > 0 && values.only === '') {
  const { measureNeighbour } = await import('./neighbour.ts');
  const { without, during, ratio } = await measureNeighbour(neighbour);
  const { lost, p50, p99 } = during;
  const tally = { runs: 1, lost, duplicated: 0, recovered: 0, injected: 0, waits: [p50, p99], fired: {}, broken: [] };
  console.log(lineOf("another customer's receivers hang", tally));
  console.log(`p99 is ${ratio.toFixed(2)} x of ${without.p99.toFixed(0)} ms while they respond; the limit is 2 x`);
  isBroken ||= ratio > 2 || lost > 0;
}
if (endless > 0 && values.only === '') {
  const { MAX_GROWTH_MB, measureEndlessBodies } = await import('./memory.ts');
  const { responses, growthMb } = await measureEndlessBodies(endless);
  console.log(`grew by ${growthMb.toFixed(0)} MB with ${responses} endless bodies; the limit is ${MAX_GROWTH_MB} MB`);
  isBroken ||= growthMb > MAX_GROWTH_MB;
}
process.exit(isBroken ? 1 : 0);
