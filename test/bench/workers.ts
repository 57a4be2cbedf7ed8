import { adminOf } from '../fixtures/home.ts';
import { startHostWithWorkers } from '../fixtures/workers.ts';
import { createBenchHome } from './bench-home.ts';
import { type DeliveryRecorder, type PostedFall, postFall, type Sensor, startRecorder, until } from './bench-site.ts';
import type { Figure } from './figures.ts';

const FALLS = 200;
const MAX_RATIO = 2;

/** Returns the number of seconds until the last fall in a burst from one sensor has arrived. */
const burst = async (ear: DeliveryRecorder, sensor: Sensor): Promise<number> => {
  const start = performance.now();
  const posted: PostedFall[] = [];
  for (let at = 0; at < FALLS; at++) posted.push(await postFall(sensor));
  await until(() => posted.every(({ uuid }) => ear.countOf(uuid) > 0));
  return (performance.now() - start) / 1_000;
};

const measureWith = async (workers: number): Promise<number> => {
  const [cloud, ear] = await Promise.all([startHostWithWorkers(workers), startRecorder()]);
  try {
    const { sensors } = await createBenchHome(await adminOf(cloud.url), 'maple', ear, 1);
    return await burst(ear, sensors[0] ?? (await Promise.reject(new Error('the home has no sensor'))));
  } finally {
    await Promise.all([cloud.stop(), ear.receiver.stop()]);
  }
};

/**
 * Measures a burst of falls from one sensor with several `process` workers on one queue. More workers must not be
 * slower.
 */
export const measureWorkers = async (): Promise<Figure[]> => {
  const alone = await measureWith(1);
  const figures: Figure[] = [{ name: `${FALLS} falls of one sensor, 1 process`, value: alone, unit: 's' }];
  for (const workers of [4, 10])
    figures.push({
      name: `${FALLS} falls of one sensor, ${workers} processes`,
      value: (await measureWith(workers)) / alone,
      unit: 'x 1 process',
      max: MAX_RATIO,
    });
  return figures;
};
