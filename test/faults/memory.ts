import { flood } from './run-fault.ts';
import { createFaultWorld } from './world.ts';

const SAMPLE_MS = 5;
const MB = 1_048_576;
/** The number of MB by which this process may grow. */
export const MEMORY_BAR = 50;

/** The number of falls after which the process has its normal size, whatever the answers are. */
const WARM_UP = 300;

/** Gives the result of `work`, and the largest size (MB) of this process until it ends. */
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

/** Measures by how many MB the process with the whole cloud grows while receivers answer with endless bodies. */
export const measureEndlessBodies = async (falls: number) => {
  const world = await createFaultWorld();
  const bodies = { title: '', rates: { trouble: 1, troubles: ['endlessBody'] } } as const;
  const { peak: before } = await peakOf(() => flood(world, bodies, WARM_UP));
  const { peak: after, result: answers } = await peakOf(() => flood(world, bodies, falls));
  await world.stop();
  return { answers, grown: Math.max(0, after - before) };
};
