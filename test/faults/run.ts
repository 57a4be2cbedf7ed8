import { readCommandLine } from '../../lib/local/command-line.ts';
import { percentile } from '../bench/figures.ts';
import { faults } from './faults.ts';
import { measureNeighbour } from './neighbour.ts';
import { createFaultWorld } from './world.ts';

const help = `npm run faults [-- --seeds N] [--from SEED] [--only TEXT] [--neighbour SECONDS]
Prints for each fault, over all seeds: lost duplicated recovered p50 p99 (ms from the 202 to the receiver).`;
const options = {
  seeds: { type: 'string', default: '1' },
  from: { type: 'string', default: '1' },
  only: { type: 'string', default: '' },
  neighbour: { type: 'string', default: '15' },
} as const;
const { seeds, from, only, neighbour } = readCommandLine(options, help, { out: console.log, err: console.error });

let isBroken = false;
const line = (values: readonly (string | number)[]) =>
  console.log(values.map((one) => String(one).padStart(10)).join(' '));
line(['lost', 'duplicated', 'recovered', 'p50', 'p99', 'injected', '  fault']);
const world = await createFaultWorld();
for (const [title, what] of faults.filter(([title]) => title.includes(only))) {
  const sum = { lost: 0, duplicated: 0, recovered: 0, injected: 0 };
  const waits: number[] = [];
  for (let seed = Number(from); seed < Number(from) + Number(seeds); seed++) {
    const report = await world.run(what, seed);
    const { lost, unexpected, renamed, pending } = report;
    if (lost.length + unexpected.length + renamed.length + pending > 0) {
      isBroken = true;
      console.error(`seed ${seed}, ${title}:`, { lost, unexpected, renamed, pending });
    }
    sum.lost += lost.length;
    sum.duplicated += report.duplicated;
    sum.recovered += report.recovered;
    sum.injected += report.injected;
    waits.push(...report.waits);
  }
  const [p50, p99] = [percentile(waits, 50), percentile(waits, 99)].map((one) => one.toFixed(0));
  line([sum.lost, sum.duplicated, sum.recovered, p50 ?? '', p99 ?? '', sum.injected, `  ${title}`]);
}
await world.stop();

if (Number(neighbour) > 0 && only === '') {
  const { without, during, ratio } = await measureNeighbour(Number(neighbour));
  line([during.lost, '', '', during.p50.toFixed(0), during.p99.toFixed(0), '', "  another customer's receivers hang"]);
  console.log(`p99 ${ratio.toFixed(2)} x of ${without.p99.toFixed(0)} ms while they answer; the bar is 2`);
  isBroken ||= ratio > 2 || during.lost > 0;
}
process.exit(isBroken ? 1 : 0);
