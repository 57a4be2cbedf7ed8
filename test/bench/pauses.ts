import { statSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cloud } from '#lib/local/cloud.ts';
import { dataFileOf } from '#lib/local/table/storage.ts';
import { startTestCloud } from '../fixtures/cloud.ts';
import { CONCURRENCY, repeat } from './bench-site.ts';
import { type Figure, median, percentile } from './figures.ts';
import { createDeliveries, createHits, createSensors, deliveriesOf, type LongList } from './long-lists.ts';

/** The longest acceptable event loop pause (ms). */
const MAX_PAUSE_MS = 50;

/** Reads per page. More than one, because other work on the machine sometimes blocks the loop too. */
const REPETITIONS = 5;
const LOADS = 5;
const ITEMS = 100_000;

/** Returns the duration (ms) of some work, and the longest event loop pause while it runs. */
const measure = async (work: () => Promise<unknown>) => {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const start = performance.now();
  await work();
  const ms = performance.now() - start;
  // The last pause is recorded only in the event loop turns after it.
  await sleep(5);
  delay.disable();
  return { ms, pause: delay.max / 1e6 };
};

const measurePages = async ({ name, client, pages }: LongList): Promise<Figure[]> => {
  const found: { query: string; ms: number; pause: number }[] = [];
  for (const { query, path } of pages) {
    const times: { ms: number; pause: number }[] = [];
    for (let time = 0; time < REPETITIONS; time++) times.push(await measure(() => client.ok('GET', path)));
    found.push({ query, ms: median(times.map(({ ms }) => ms)), pause: median(times.map(({ pause }) => pause)) });
  }
  const worst = (metric: 'ms' | 'pause') =>
    found.toSorted((a, b) => b[metric] - a[metric])[0] ?? { query: '', ms: 0, pause: 0 };
  return [
    {
      name: `${name}: slowest page`,
      value: worst('ms').ms,
      unit: 'ms',
      note: `${worst('ms').query}; median page ${percentile(
        found.map(({ ms }) => ms),
        50,
      ).toFixed(1)} ms`,
    },
    {
      name: `${name}: longest pause of the event loop`,
      value: worst('pause').pause,
      unit: 'ms',
      max: MAX_PAUSE_MS,
      note: worst('pause').query,
    },
  ];
};

/** Writes 100,000 items of 1 KB separately, 32 at a time. */
const load = ({ runtime }: Cloud) => {
  const delivery = deliveriesOf({ customerId: 1, webhookId: 'loaded' });
  return measure(() => repeat(ITEMS, CONCURRENCY, (at) => runtime.table.write(delivery(at))));
};

const measureLoad = async (folder: string): Promise<Figure[]> => {
  const loads: { ms: number; pause: number }[] = [];
  const checks: number[] = [];
  let megabytes = 0;
  for (let round = 0; round < LOADS; round++) {
    const dataDir = join(folder, `load-${round}`);
    const cloud = await startTestCloud({ dataDir });
    loads.push(await load(cloud));
    await cloud.stop();
    const file = dataFileOf(dataDir);
    megabytes = statSync(file).size / 1e6;
    const start = performance.now();
    const database = new DatabaseSync(file, { readOnly: true });
    database.prepare('PRAGMA quick_check').all();
    database.close();
    checks.push(performance.now() - start);
  }
  const pauses = loads.map(({ pause }) => pause);
  return [
    { name: '100,000 writes, 32 at a time', value: median(loads.map(({ ms }) => (ITEMS * 1e3) / ms)), unit: '1/s' },
    {
      name: '100,000 writes: longest pause of the event loop',
      value: median(pauses),
      unit: 'ms',
      max: MAX_PAUSE_MS,
      note: `rounds: ${pauses.map((pause) => pause.toFixed(0)).join(', ')}`,
    },
    {
      name: 'PRAGMA quick_check',
      value: median(checks),
      unit: 'ms',
      note: `of a file of ${megabytes.toFixed(0)} MB in memory`,
    },
  ];
};

/** Measures how long the longest lists and many writes block the event loop, with the table in this process. */
export const measurePauses = async (folder: string): Promise<Figure[]> => {
  const cloud = await startTestCloud({ dataDir: join(folder, 'pauses') });
  const figures: Figure[] = [];
  for (const create of [createHits, createSensors, createDeliveries])
    figures.push(...(await measurePages(await create(cloud))));
  await cloud.stop();
  return [...figures, ...(await measureLoad(folder))];
};
