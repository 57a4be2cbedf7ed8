import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { adminOf } from '../fixtures/home.ts';
import { a } from '../fixtures/messages.ts';
import { createBenchHome } from './bench-home.ts';
import { type Figure, median } from './figures.ts';
import { type Ear, handIn, listen, postFall, type Sensor, startBenchHost, until, waitsOf } from './site.ts';

const FALLS = 20;
const BETWEEN_MS = 300;
const CALLS_PER_SECOND = 20;
const MESSAGES = 50;
/** The flood lasts so many ms before the first fall. */
const BUILD_UP_MS = 2_000;
const MOST = 3;

/** The messages of a flood: each changes the presence, or none does. */
const storms = {
  'of events': (at: number) => a.presence(at % 2 === 0),
  'that means nothing': () => a.presence(true),
};

/** Makes 20 calls a second until it is stopped, without waiting for earlier ones. */
const blow = (sensor: Sensor, message: (at: number) => object) => {
  const under = new Set<Promise<void>>();
  let calls = 0;
  const call = () => {
    const body = Array.from({ length: MESSAGES }, (_, at) => message(at));
    calls += 1;
    const pending: Promise<void> = handIn(sensor, body)
      // The fate of the flood is not measured.
      .catch(() => {})
      .finally(() => under.delete(pending));
    under.add(pending);
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

/** Posts falls; gives the times (ms) from each 202 to the receiver. */
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

/** Measures one flood on a host of its own, because its remaining work must not delay the next one. */
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
    // The list counts at most 1,000 events.
    const path = `/sensors/${stormy.sensorId}/events?perPage=1`;
    const [page] = await client.ok<{ total: number }[]>('GET', path);
    const calls = await storm.stop();
    const lost = 2 * FALLS - calm.length - rough.length;
    const note = `p50 ${median(calm).toFixed(0)} ms without, ${median(rough).toFixed(0)} with ${(calls / seconds).toFixed(0)} calls/s; at least ${page?.total} events made of it; ${lost} lost`;
    const ratio = lost > 0 ? Number.POSITIVE_INFINITY : median(rough) / median(calm);
    return { name: `a storm ${name}: 202 to receiver of a neighbour`, value: ratio, unit: 'x calm', most: MOST, note };
  } finally {
    // The remaining work of the flood is discarded.
    await host.end('SIGKILL');
    await ear.receiver.stop();
  }
};

/**
 * Measures the falls of a sensor while another sensor of the same customer makes 20 calls a second with 50 messages
 * each.
 */
export const measureStorm = async (folder: string): Promise<Figure[]> => {
  const figures: Figure[] = [];
  for (const name of Object.keys(storms) as (keyof typeof storms)[]) figures.push(await measureOne(folder, name));
  return figures;
};
