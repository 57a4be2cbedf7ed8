import { setTimeout as sleep } from 'node:timers/promises';
import { createFaultWorld } from './world.ts';

const SAMPLE_MS = 20;
const MB = 1_048_576;
const endless = {
  title: 'bodies without an end',
  rates: { trouble: 1, troubles: ['endlessBody'] },
} as const;

/** The largest size (MB) of this process until `work` is done. */
const peak = async (work: Promise<unknown>): Promise<number> => {
  let most = 0;
  let isDone = false;
  const end = work.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    most = Math.max(most, process.memoryUsage.rss() / MB);
    await sleep(SAMPLE_MS);
  }
  await end;
  return most;
};

/** By how many MB this process grows while receivers answer with bodies that have no end. */
export const measureEndlessBodies = async (runs: number) => {
  const world = await createFaultWorld();
  let requests = 0;
  const some = async (count: number): Promise<void> => {
    for (let seed = 1; seed <= count; seed++) requests += (await world.run(endless, seed)).injected;
  };
  const before = await peak(some(runs));
  requests = 0;
  const after = await peak(some(runs));
  await world.stop();
  return { requests, grown: Math.max(0, after - before) };
};
