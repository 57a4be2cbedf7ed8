import { faults } from './faults.ts';
import { runFault } from './run-fault.ts';
import { count, emptyTally } from './tally.ts';
import type { Task } from './workers.ts';
import { createFaultWorld, type FaultWorld } from './world.ts';

// A world keeps everything that has happened in it, and its customers may have only so many bots, rules and webhooks.
const RUNS = 80;
/** The timeout (ms) of a run. Some faults wait for deadlines, a busy machine takes longer, and none needs this long. */
const LONGEST_MS = 600_000;
const inTime = <T>(run: Promise<T>): Promise<T> => {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('the run does not end')), LONGEST_MS);
  return Promise.race([run, promise]).finally(() => clearTimeout(timer));
};

let world: FaultWorld | undefined;
let runs = 0;

const runOne = async (at: number, seed: number) => {
  const fault = faults[at];
  if (!fault) throw new Error(`there is no fault ${at}`);
  if (world && runs >= RUNS) world = void (await inTime(world.stop()).catch(() => {}));
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
      // After a failure the state of the world is unknown, so a new one is created.
      runs = RUNS;
      tally.broken.push(`seed ${seed}: ${error instanceof Error ? error.stack : error}`);
    }
  }
  return tally;
};

process.on('message', (task: Task) => void work(task).then((tally) => process.send?.({ task, tally })));
process.on('disconnect', () => process.exit());
process.send?.({ ready: true });
