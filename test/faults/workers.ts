import { type ChildProcess, fork } from 'node:child_process';
import { emptyTally, merge, type Tally } from './tally.ts';

/** Some seeds for a fault. `fault` is an index into the list. */
export type Task = { fault: number; seeds: number[] };
type WorkerMessage = { ready: true } | { task: Task; tally: Tally };

/** The number of seeds in one process task. */
const SEEDS_PER_TASK = 20;
const PROGRESS_MS = 10_000;

const tasksOf = (indexes: readonly number[], from: number, count: number): Task[] => {
  const seeds = Array.from({ length: count }, (_, at) => from + at);
  const parts = Array.from({ length: Math.ceil(count / SEEDS_PER_TASK) }, (_, at) =>
    seeds.slice(at * SEEDS_PER_TASK, (at + 1) * SEEDS_PER_TASK),
  );
  return indexes.flatMap((fault) => parts.map((part) => ({ fault, seeds: part })));
};

/** Prints the progress at intervals. */
const progress = (total: number, say: (line: string) => void) => {
  const start = performance.now();
  let done = 0;
  const timer = setInterval(() => {
    const minutes = ((performance.now() - start) / 60_000 / Math.max(1, done)) * (total - done);
    say(`${done} of ${total} runs, about ${minutes.toFixed(1)} minutes left`);
  }, PROGRESS_MS);
  const add = (runs: number): void => {
    done += runs;
  };
  return { add, stop: () => clearInterval(timer) };
};

/**
 * Runs the faults at `indexes`, with seeds starting at `from`, in several processes with one cloud each. Returns each
 * fault's tally.
 */
export const runAll = async (
  indexes: readonly number[],
  { from, seeds, workers }: { from: number; seeds: number; workers: number },
  say: (line: string) => void,
): Promise<Map<number, Tally>> => {
  const tasks = tasksOf(indexes, from, seeds);
  const tallies = new Map(indexes.map((index) => [index, emptyTally()]));
  const { add, stop } = progress(indexes.length * seeds, say);
  const addResult = (message: WorkerMessage): void => {
    if ('ready' in message) return;
    const { task, tally } = message;
    add(task.seeds.length);
    merge(tallies.get(task.fault) ?? emptyTally(), tally);
    for (const problem of tally.broken) say(`fault ${task.fault}, ${problem}`);
  };
  const employ = (child: ChildProcess) =>
    new Promise<void>((done, fail) => {
      child.on('message', (message: WorkerMessage) => {
        addResult(message);
        const task = tasks.shift();
        if (task) child.send(task);
        else child.disconnect();
      });
      child.once('exit', (code) => (code === 0 ? done() : fail(new Error(`a process ended with ${code}`))));
    });
  const script = new URL('worker-run.ts', import.meta.url);
  const children = Array.from({ length: Math.min(workers, tasks.length) }, () => fork(script));
  try {
    await Promise.all(children.map(employ));
  } finally {
    stop();
    for (const child of children) child.kill();
  }
  return tallies;
};
