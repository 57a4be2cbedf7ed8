import { faults } from './faults.ts';
import { runFault } from './run-fault.ts';
import { count, emptyTally } from './tally.ts';
import type { Task } from './workers.ts';
import { createFaultWorld, type FaultWorld } from './world.ts';

// A world keeps the data from all its runs, and its customers may have only a limited number of bots, rules and
// webhooks.
const RUNS_PER_WORLD = 80;
/** The timeout for a run (ms). Some faults wait for deadlines, but none needs this long even on a busy machine. */
const TIMEOUT_MS = 600_000;
const inTime = <T>(run: Promise<T>): Promise<T> => {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('the run timed out')), TIMEOUT_MS);
  return Promise.race([run, promise]).finally(() => clearTimeout(timer));
};

let world: FaultWorld | undefined;
let runs = 0;

const runOne = async (at: number, seed: number) => {
  const fault = faults[at];
  if (!fault) throw new Error(`there is no fault ${at}`);
  if (world && runs >= RUNS_PER_WORLD) world = void (await inTime(world.stop()).catch(() => {}));
  if (!world) runs = 0;
  runs += 1;
  world ??= await createFaultWorld();
  return inTime(runFault(world, fault, seed));
};

const work = async ({ fault, seeds }: Task) => {
  const tally = emptyTally();
  for (const seed of seeds) {
    try {
      count(tally, seed, await runOne(fault, seed));
    } catch (error) {
      // After a failure, the world's state is unknown, so a new one is created.
      runs = RUNS_PER_WORLD;
      tally.broken.push(`seed ${seed}: ${error instanceof Error ? error.stack : error}`);
    }
  }
  return tally;
};

process.on('message', (task: Task) => void work(task).then((tally) => process.send?.({ task, tally })));
process.on('disconnect', () => process.exit());
process.send?.({ ready: true });
