import { type ChildProcess, fork } from 'node:child_process';
import { emptyTally, merge, type Tally } from './tally.ts';

/** Some seeds of a fault, which is given by its place in the list. */
export type Task = { fault: number; seeds: number[] };
type Answer = { ready: true } | { task: Task; tally: Tally };

/** The number of seeds that a process gets at a time. */
const AT_A_TIME = 20;
const PROGRESS_MS = 10_000;

const tasksOf = (places: readonly number[], from: number, count: number): Task[] => {
  const seeds = Array.from({ length: count }, (_, at) => from + at);
  const parts = Array.from({ length: Math.ceil(count / AT_A_TIME) }, (_, at) =>
    seeds.slice(at * AT_A_TIME, (at + 1) * AT_A_TIME),
  );
  return places.flatMap((fault) => parts.map((part) => ({ fault, seeds: part })));
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
 * Runs the faults at `places` with the seeds from `from` on, in several processes that have a cloud each. Gives the
 * tally of each fault.
 */
export const runAll = async (
  places: readonly number[],
  { from, seeds, workers }: { from: number; seeds: number; workers: number },
  say: (line: string) => void,
): Promise<Map<number, Tally>> => {
  const tasks = tasksOf(places, from, seeds);
  const tallies = new Map(places.map((place) => [place, emptyTally()]));
  const { add, stop } = progress(places.length * seeds, say);
  const take = (answer: Answer): void => {
    if ('ready' in answer) return;
    const { task, tally } = answer;
    add(task.seeds.length);
    merge(tallies.get(task.fault) ?? emptyTally(), tally);
    for (const problem of tally.broken) say(`fault ${task.fault}, ${problem}`);
  };
  const employ = (child: ChildProcess) =>
    new Promise<void>((done, fail) => {
      child.on('message', (answer: Answer) => {
        take(answer);
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
