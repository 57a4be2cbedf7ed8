import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { adminOf } from '../fixtures/home.ts';
import { a } from '../fixtures/messages.ts';
import { createBenchHome } from './bench-home.ts';
import {
  type DeliveryRecorder,
  latenciesOf,
  postFall,
  postMessage,
  type Sensor,
  startBenchHost,
  startRecorder,
  until,
} from './bench-site.ts';
import { type Figure, median } from './figures.ts';

const FALLS = 20;
const INTERVAL_MS = 300;
const CALLS_PER_SECOND = 20;
const MESSAGES = 50;

/** How long (ms) the flood lasts before the first fall. */
const BUILD_UP_MS = 2_000;
const MAX_RATIO = 2;

/** The messages in a flood. Either all of them change the presence, or none of them do. */
const storms = {
  'of events': (at: number) => a.presence(at % 2 === 0),
  'of messages without effect': () => a.presence(true),
};

/** Sends 20 requests a second until stopped, without waiting for earlier ones. */
const startFlood = (sensor: Sensor, message: (at: number) => object) => {
  const pendingCalls = new Set<Promise<void>>();
  let calls = 0;
  const call = () => {
    const body = Array.from({ length: MESSAGES }, (_, at) => message(at));
    calls += 1;
    const pending: Promise<void> = postMessage(sensor, body)
      // Whether the flood's requests succeed is not measured.
      .catch(() => {})
      .finally(() => pendingCalls.delete(pending));
    pendingCalls.add(pending);
  };
  const timer = setInterval(call, 1_000 / CALLS_PER_SECOND);
  return {
    stop: async () => {
      clearInterval(timer);
      await Promise.all(pendingCalls);
      return calls;
    },
  };
};

/** Posts falls and returns the latencies (ms) from each 202 to the receiver. */
const latenciesOfFalls = async (ear: DeliveryRecorder, sensor: Sensor): Promise<number[]> => {
  const latencies: number[] = [];
  for (let at = 0; at < FALLS; at++) {
    const fall = await postFall(sensor);
    await until(() => ear.countOf(fall.uuid) > 0);
    latencies.push(...latenciesOf(ear, fall));
    await sleep(INTERVAL_MS);
  }
  return latencies;
};

/** Measures one flood on a separate host, so that a backlog does not delay the next one. */
const measureOne = async (folder: string, name: keyof typeof storms): Promise<Figure> => {
  const ear = await startRecorder();
  const host = await startBenchHost(join(folder, name.replaceAll(' ', '-')));
  try {
    const { client, sensors } = await createBenchHome(await adminOf(host.url), 'rowan', ear, 1);
    const [faller, flooder] = sensors;
    if (!faller || !flooder) throw new Error('the home has too few sensors');
    const calm = await latenciesOfFalls(ear, faller);
    const start = performance.now();
    const flood = startFlood(flooder, storms[name]);
    await sleep(BUILD_UP_MS);
    const stormy = await latenciesOfFalls(ear, faller);
    const seconds = (performance.now() - start) / 1_000;
    // The list counts at most 1,000 events.
    const path = `/sensors/${flooder.sensorId}/events?perPage=1`;
    const [page] = await client.ok<{ total: number }[]>('GET', path);
    const calls = await flood.stop();
    const lost = 2 * FALLS - calm.length - stormy.length;
    const note = `p50 ${median(calm).toFixed(0)} ms without, ${median(stormy).toFixed(0)} with ${(calls / seconds).toFixed(0)} calls/s; at least ${page?.total} events from it; ${lost} lost`;
    const ratio = lost > 0 ? Number.POSITIVE_INFINITY : median(stormy) / median(calm);
    return {
      name: `a storm ${name}: 202 to receiver of a neighbor`,
      value: ratio,
      unit: 'x calm',
      max: MAX_RATIO,
      note,
    };
  } finally {
    // The flood's backlog is discarded.
    await host.end('SIGKILL');
    await ear.receiver.stop();
  }
};

/**
 * Measures a sensor's falls while another sensor of the same customer sends 20 requests a second with 50 messages each.
 */
export const measureStorm = async (folder: string): Promise<Figure[]> => {
  const figures: Figure[] = [];
  for (const name of Object.keys(storms) as (keyof typeof storms)[]) figures.push(await measureOne(folder, name));
  return figures;
};
