import { join } from 'node:path';
import { ALL_PERMISSIONS, adminOf, createAlarm, createHome } from '../fixtures/home.ts';
import { type Figure, median, percentile } from './figures.ts';
import { createLedger, startEngine } from './meter.ts';
import {
  type Ear,
  type Engine,
  linkSensors,
  listen,
  postFall,
  put,
  type Sensor,
  startBenchHost,
  until,
  waitsOf,
} from './site.ts';

const EVENTS = 200;
/** A device may make 20 calls a second, so the load is divided among so many. */
const SENSORS = 40;

const measureCalm = async (engine: Engine, ear: Ear, sensors: readonly Sensor[]): Promise<Figure[]> => {
  const puts: number[] = [];
  const waits: number[] = [];
  const inTurn = Array.from({ length: EVENTS / SENSORS }, () => sensors).flat();
  for (const [at, sensor] of inTurn.entries()) {
    const start = performance.now();
    await put(engine, at);
    puts.push(performance.now() - start);
    const fall = await postFall(sensor);
    await until(() => ear.countOf(fall.uuid) > 0);
    waits.push(waitsOf(ear, fall)[0] ?? Number.POSITIVE_INFINITY);
  }
  const [onePut, p50, p99] = [median(puts), percentile(waits, 50), percentile(waits, 99)];
  return [
    { name: 'one put on the embedded engine, p50', value: onePut, unit: 'ms' },
    { name: '202 to socket, p50', value: p50 / onePut, unit: 'x put', most: 15, note: `${p50.toFixed(1)} ms` },
    { name: '202 to socket, p99', value: p99 / onePut, unit: 'x put', most: 60, note: `${p99.toFixed(1)} ms` },
  ];
};

/** Measures the time from the answer to a device to the socket of a receiver, one event at a time, on loopback. */
export const measureFlow = async (folder: string): Promise<Figure[]> => {
  const engine = await startEngine(createLedger());
  const ear = await listen();
  const host = await startBenchHost(join(folder, 'cloud'));
  try {
    const { client } = await createHome(await adminOf(host.url), 'maple', ALL_PERMISSIONS);
    const sensors = await linkSensors(client, SENSORS);
    await createAlarm(client, ear.receiver.url);
    // This warms the host up, and makes every sensor active, because its first message causes an additional event.
    for (const sensor of sensors) {
      const { uuid } = await postFall(sensor);
      await until(() => ear.countOf(uuid) > 0);
    }
    return await measureCalm(engine, ear, sensors);
  } finally {
    await host.end('SIGTERM');
    await Promise.all([engine.stop(), ear.receiver.stop()]);
  }
};
