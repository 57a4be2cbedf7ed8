import { startTestCloud } from '../fixtures/cloud.ts';
import { seedHits } from '../fixtures/hits.ts';
import { ALL_PERMISSIONS, adminOf, createHome, linkSensor } from '../fixtures/home.ts';
import type { Figure } from './figures.ts';
import { createLedger } from './meter.ts';

const HITS = 100_000;
const SENSORS = 100;
const BAR = 40;

/** Read units of pages of the longest lists, the caller's session and permissions included. */
export const measureLists = async (): Promise<Figure[]> => {
  const ledger = createLedger();
  const environment = { RATE_LIMIT_PER_SECOND: '1000000' };
  const cloud = await startTestCloud({ meter: ledger.meter, wrap: ledger.wrap, environment });
  const home = await createHome(await adminOf(cloud.url), 'hazel', ALL_PERMISSIONS);
  const sensors: string[] = [];
  for (let n = 0; n < SENSORS; n++) sensors.push((await linkSensor(home.client)).sensorId);
  const stepMs = 100_000;
  const from = Date.now() - HITS * stepMs;
  await seedHits(cloud.runtime.table, { customerId: home.customerId, sensors, count: HITS, from, stepMs });
  const figures: Figure[] = [];
  for (const [perPage, page] of [30, 200].flatMap((size) => [0, Math.ceil(HITS / size) - 1].map((at) => [size, at]))) {
    ledger.clear();
    const query = `perPage=${perPage}&page=${page}`;
    await home.client.ok('GET', `/customers/${home.customerId}/rule-hits?${query}`);
    figures.push({ name: `100,000 hits: ${query}`, value: ledger.total().read, unit: 'read units', most: BAR });
  }
  await cloud.stop();
  return figures;
};
