import { flood } from './run-fault.ts';
import { createFaultWorld } from './world.ts';

const SAMPLE_MS = 5;
const MB = 1_048_576;
/** How much (MB) this process may grow. */
export const MAX_GROWTH_MB = 50;

/** The number of falls after which the process reaches a stable size. */
const WARM_UP = 300;

/** Runs `work`. Returns the result, and this process's largest size (MB) during the work. */
const peakOf = async <T>(work: () => Promise<T>): Promise<{ result: T; peak: number }> => {
  let peak = 0;
  const sample = () => {
    peak = Math.max(peak, process.memoryUsage.rss() / MB);
  };
  const timer = setInterval(sample, SAMPLE_MS);
  try {
    const result = await work();
    sample();
    return { result, peak };
  } finally {
    clearInterval(timer);
  }
};

/** Measures by how many MB the process that runs the whole cloud grows while receivers respond with endless bodies. */
export const measureEndlessBodies = async (falls: number) => {
  const world = await createFaultWorld();
  const bodies = { title: '', rates: { trouble: 1, troubles: ['endlessBody'] } } as const;
  const { peak: before } = await peakOf(() => flood(world, bodies, WARM_UP));
  const { peak: after, result: responses } = await peakOf(() => flood(world, bodies, falls));
  await world.stop();
  return { responses, growthMb: Math.max(0, after - before) };
};
