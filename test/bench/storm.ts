import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { adminOf } from '../fixtures/home.ts';
import { a } from '../fixtures/messages.ts';
import { type Figure, median } from './figures.ts';
import { type Ear, handIn, listen, postFall, type Sensor, startBenchHost, until, waitsOf } from './site.ts';
import { createBenchHome } from './throughput.ts';

const FALLS = 20;
const BETWEEN_MS = 300;
const CALLS_PER_SECOND = 20;
const MESSAGES = 50;
/** The storm blows for so long before the first fall. */
const BUILD_UP_MS = 2_000;
const MOST = 3;

/** Somebody comes and goes with each message, or is there all the time. */
const storms = {
  'of events': (at: number) => a.presence(at % 2 === 0),
  'that means nothing': () => a.presence(true),
};

/** Hands in 20 calls a second until it is stopped, whatever becomes of those before. */
const blow = (sensor: Sensor, message: (at: number) => object) => {
  const under = new Set<Promise<void>>();
  let calls = 0;
  const call = () => {
    const body = Array.from({ length: MESSAGES }, (_, at) => message(at));
    calls += 1;
    const one: Promise<void> = handIn(sensor, body)
      // Whatever becomes of the storm is not what is measured.
      .catch(() => {})
      .finally(() => under.delete(one));
    under.add(one);
  };
  const timer = setInterval(call, 1_000 / CALLS_PER_SECOND);
  return {
    stop: async () => {
      clearInterval(timer);
      await Promise.all(under);
      return calls;
    },
  };
};

/** From the 202 of each fall to the receiver, ms. */
const waitsOfFalls = async (ear: Ear, sensor: Sensor): Promise<number[]> => {
  const waits: number[] = [];
  for (let at = 0; at < FALLS; at++) {
    const fall = await postFall(sensor);
    await until(() => ear.countOf(fall.uuid) > 0);
    waits.push(...waitsOf(ear, fall));
    await sleep(BETWEEN_MS);
  }
  return waits;
};

/** One storm on a host of its own, for what it leaves behind must not weigh on the next. */
const measureOne = async (folder: string, name: keyof typeof storms): Promise<Figure> => {
  const ear = await listen();
  const host = await startBenchHost(join(folder, name.replaceAll(' ', '-')));
  try {
    const { client, sensors } = await createBenchHome(await adminOf(host.url), 'rowan', ear, 1);
    const [faller, stormy] = sensors;
    if (!faller || !stormy) throw new Error('there are too few sensors');
    const calm = await waitsOfFalls(ear, faller);
    const start = performance.now();
    const storm = blow(stormy, storms[name]);
    await sleep(BUILD_UP_MS);
    const rough = await waitsOfFalls(ear, faller);
    const seconds = (performance.now() - start) / 1_000;
    // The list counts up to 1,000.
    const path = `/sensors/${stormy.sensorId}/events?perPage=1`;
    const [page] = await client.ok<{ total: number }[]>('GET', path);
    const calls = await storm.stop();
    const lost = 2 * FALLS - calm.length - rough.length;
    const note = `p50 ${median(calm).toFixed(0)} ms without, ${median(rough).toFixed(0)} with ${(calls / seconds).toFixed(0)} calls/s; at least ${page?.total} events made of it; ${lost} lost`;
    const ratio = lost > 0 ? Number.POSITIVE_INFINITY : median(rough) / median(calm);
    return { name: `a storm ${name}: 202 to receiver of a neighbour`, value: ratio, unit: 'x calm', most: MOST, note };
  } finally {
    // What is left of the storm is nobody's concern.
    await host.end('SIGKILL');
    await ear.receiver.stop();
  }
};

/** One sensor hands in 20 calls a second of 50 messages each, while another of the same customer falls now and then. */
export const measureStorm = async (folder: string): Promise<Figure[]> => {
  const figures: Figure[] = [];
  for (const name of Object.keys(storms) as (keyof typeof storms)[]) figures.push(await measureOne(folder, name));
  return figures;
};
