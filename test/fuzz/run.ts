import { parseArgs } from 'node:util';
import { fuzz, fuzzWorld } from './fuzz.ts';

const { values } = parseArgs({ options: { requests: { type: 'string' }, seed: { type: 'string' } } });
const requests = Number(values.requests ?? 10_000);
const seed = Number(values.seed ?? Date.now() % 2_147_483_647);
console.log(`${requests} requests, seed ${seed}`);

const world = await fuzzWorld();
const onRequest = (sent: number) => sent % 1_000 === 0 && console.log(`${sent} sent`);
const { finding, statuses } = await fuzz(world, { requests, seed, onRequest });
await world.stop();
console.log(
  Object.entries(statuses)
    .map(([status, count]) => `${status}: ${count}`)
    .join('  '),
);
if (finding !== null) console.error(`FOUND with seed ${seed}\n${finding}`);
process.exitCode = finding === null ? 0 : 1;
