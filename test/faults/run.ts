import { availableParallelism } from 'node:os';
import { readCommandLine } from '#lib/local/command-line.ts';

const help = `npm run faults [-- --seeds N] [--from SEED] [--only TEXT] [--workers N] [--neighbour SECONDS] [--endless FALLS]
Prints for each fault, over all seeds: lost duplicated recovered p50 p99 (ms from the 202 to the receiver).
Shares the seeds out among --workers processes. Then another customer's receivers hang for --neighbour seconds, and in
--endless falls are answered with bodies that have no end; 0 leaves that out.`;
// There is one process more than cores, because some runs wait for deadlines.
const processes = availableParallelism() + 1;
const options = {
  seeds: { type: 'string', default: '1' },
  from: { type: 'string', default: '1' },
  only: { type: 'string', default: '' },
  workers: { type: 'string', default: String(processes) },
  neighbour: { type: 'string', default: '15' },
  endless: { type: 'string', default: '200' },
} as const;
const given = readCommandLine(options, help, { out: console.log, err: console.error }, ({ only: _, ...numbers }) =>
  Object.values(numbers).every((text) => /^\d{1,6}$/.test(text)) ? null : 'whole numbers are wanted',
);
const [seeds, from, workers, neighbour, endless] = [
  ...[given.seeds, given.from, given.workers, given.neighbour, given.endless].map(Number),
] as [number, number, number, number, number];

const [{ faults }, { heading, lineOf }, { runAll }] = await Promise.all([
  import('./faults.ts'),
  import('./tally.ts'),
  import('./workers.ts'),
]);
const places = [...faults.keys()].filter((at) => faults[at]?.title.includes(given.only));
const tallies = await runAll(places, { from, seeds, workers: Math.max(1, workers) }, console.error);
console.log(heading);
for (const [at, tally] of tallies) console.log(lineOf(faults[at]?.title ?? '', tally));
let isBroken = [...tallies.values()].some(({ broken }) => broken.length > 0);

if (neighbour > 0 && given.only === '') {
  const { measureNeighbour } = await import('./neighbour.ts');
  const { without, during, ratio } = await measureNeighbour(neighbour);
  const { lost, p50, p99 } = during;
  const tally = { runs: 1, lost, duplicated: 0, recovered: 0, injected: 0, waits: [p50, p99], rang: {}, broken: [] };
  console.log(lineOf("another customer's receivers hang", tally));
  console.log(`p99 ${ratio.toFixed(2)} x of ${without.p99.toFixed(0)} ms while they answer; the bar is 2`);
  isBroken ||= ratio > 2 || lost > 0;
}
if (endless > 0 && given.only === '') {
  const { MEMORY_BAR, measureEndlessBodies } = await import('./memory.ts');
  const { answers, grown } = await measureEndlessBodies(endless);
  console.log(`${grown.toFixed(0)} MB more for ${answers} bodies without an end; the bar is ${MEMORY_BAR}`);
  isBroken ||= grown > MEMORY_BAR;
}
process.exit(isBroken ? 1 : 0);
