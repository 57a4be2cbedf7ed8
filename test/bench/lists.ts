import { derivedUlid } from '../../shared/domain/ids.ts';
import { packSnapshot } from '../../shared/domain/packed-snapshot.ts';
import type { HitItem } from '../../shared/store/hit-item.ts';
import { store } from '../../shared/store/store.ts';
import { items } from '../../shared/store/table.ts';
import { startTestCloud } from '../fixtures/cloud.ts';
import { seedHits } from '../fixtures/hits.ts';
import { ALL_PERMISSIONS, adminOf, createAlarm, createHome, linkSensor } from '../fixtures/home.ts';
import { bareSnapshot } from '../fixtures/snapshot.ts';
import type { Figure } from './figures.ts';
import { createLedger } from './meter.ts';

type Bench = { cloud: Awaited<ReturnType<typeof startTestCloud>>; ledger: ReturnType<typeof createLedger> };
const HITS = 100_000;
const SENSORS = 100;
const BAR = 40;

const DELIVERIES = 100_000;
/** The bars for the read units of a page: for the first page, and for any other. */
const DELIVERY_BARS = [
  ['', 100],
  ['?page=100&sortBy=asc(id)', 700],
  ['?state=held', 700],
] as const;

/** Measures the read units of pages of 100,000 deliveries of one webhook, of 1 KB each. */
const measureDeliveries = async ({ cloud, ledger }: Bench): Promise<Figure[]> => {
  const home = await createHome(await adminOf(cloud.url), 'rowan', ALL_PERMISSIONS);
  const { webhook } = await createAlarm(home.client, 'http://127.0.0.1:9/');
  const place = { customerId: home.customerId, webhookId: webhook.id };
  const from = Date.now() - 86_400_000;
  const snapshot = packSnapshot({ ...bareSnapshot, event: { ...bareSnapshot.event, text: 'x'.repeat(600) } });
  const deliveryOf = (n: number) => {
    const id = derivedUlid(from + n, n);
    const dates = { createDate: from + n, updateDate: from + n, nextAttempt: null };
    const fate = { state: 'delivered', reason: null, attempts: 1, hit: null, sendTryTimes: [from + n] };
    return { put: { id, ...place, ...dates, ...fate, snapshot, ...items.delivery({ ...place, deliveryId: id }) } };
  };
  for (let at = 0; at < DELIVERIES; at += 100)
    await cloud.runtime.table.write(...Array.from({ length: 100 }, (_, n) => deliveryOf(at + n)));
  const figures: Figure[] = [];
  for (const [query, most] of DELIVERY_BARS) {
    ledger.clear();
    await home.client.ok('GET', `/webhooks/${webhook.id}/deliveries${query}`);
    figures.push({ name: `100,000 deliveries: ${query}`, value: ledger.total().read, unit: 'read units', most });
  }
  return figures;
};

/** The changes that came late: of so many hits out of all. */
const LATE = 1_000;

/** Reports attempts for hits long after they were made, as a replay does. */
const changeLate = async ({ cloud }: Bench, customerId: number, hits: readonly HitItem[]): Promise<void> => {
  const { ruleHits } = store(cloud.runtime.table);
  for (const { id } of hits.filter((_, n) => n % (HITS / LATE) === 0))
    await ruleHits.report({ customerId, hitId: id, at: 0, tries: [Date.now()], sent: true }, Date.now());
};

/** Measures the read units of pages of 100,000 rule hits. */
const measureHits = async ({ cloud, ledger }: Bench): Promise<Figure[]> => {
  const home = await createHome(await adminOf(cloud.url), 'hazel', ALL_PERMISSIONS);
  const sensors: string[] = [];
  for (let n = 0; n < SENSORS; n++) sensors.push((await linkSensor(home.client)).sensorId);
  const stepMs = 100_000;
  const from = Date.now() - HITS * stepMs;
  const log = { customerId: home.customerId, sensors, count: HITS, from, stepMs };
  await changeLate({ cloud, ledger }, home.customerId, await seedHits(cloud.runtime.table, log));
  const figures: Figure[] = [];
  const pages = [30, 200].flatMap((size) => [0, 0.5, 1].map((part) => ({ size, part })));
  const ways = [
    '',
    '&sortBy=desc(updateDate)',
    `&sensorId=${sensors[0]}`,
    `&sensorId=${sensors[0]}&sortBy=asc(updateDate)`,
  ];
  for (const [at, way] of ways.entries())
    for (const { size, part } of pages) {
      const last = Math.ceil((at < 2 ? HITS : HITS / SENSORS) / size) - 1;
      ledger.clear();
      const query = `perPage=${size}&page=${Math.floor(last * part)}${way}`;
      await home.client.ok('GET', `/customers/${home.customerId}/rule-hits?${query}`);
      const name = `100,000 hits: ${query.replace(/sensorId=[^&]+/, 'sensorId')}`;
      figures.push({ name, value: ledger.total().read, unit: 'read units', most: BAR });
    }
  return figures;
};

/**
 * Measures the read units of pages of the longest lists, including those for the session and the permissions of the
 * caller.
 */
export const measureLists = async (): Promise<Figure[]> => {
  const ledger = createLedger();
  const differing = ['countedOnly', 'loopback'] as const;
  const cloud = await startTestCloud({ meter: ledger.meter, wrap: ledger.wrap, differing });
  const figures = [...(await measureHits({ cloud, ledger })), ...(await measureDeliveries({ cloud, ledger }))];
  await cloud.stop();
  return figures;
};
