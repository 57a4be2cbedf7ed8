import { flood } from './run-fault.ts';
import { createFaultWorld } from './world.ts';

const SAMPLE_MS = 5;
const MB = 1_048_576;
/** What this process may grow by, MB. */
export const MEMORY_BAR = 50;

/** Falls until the process has the size that it needs for its work, whatever the answers are. */
const WARM_UP = 300;

/** What `work` gives, and the largest size (MB) of this process until it is done. */
const peakOf = async <T>(work: () => Promise<T>): Promise<{ result: T; peak: number }> => {
  let peak = 0;
  const look = () => {
    peak = Math.max(peak, process.memoryUsage.rss() / MB);
  };
  const timer = setInterval(look, SAMPLE_MS);
  try {
    const result = await work();
    look();
    return { result, peak };
  } finally {
    clearInterval(timer);
  }
};

/** By how many MB the whole cloud in this process grows while receivers answer with bodies that have no end. */
export const measureEndlessBodies = async (falls: number) => {
  const world = await createFaultWorld();
  const bodies = { title: '', rates: { trouble: 1, troubles: ['endlessBody'] } } as const;
  const { peak: before } = await peakOf(() => flood(world, bodies, WARM_UP));
  const { peak: after, result: answers } = await peakOf(() => flood(world, bodies, falls));
  await world.stop();
  return { answers, grown: Math.max(0, after - before) };
};
