import type { Cloud } from '#lib/local/cloud.ts';
import { packSnapshot } from '#shared/domain/delivery/packed-snapshot.ts';
import { derivedUlid } from '#shared/domain/ids.ts';
import { deviceIdOf, newSensor } from '#shared/domain/sensor/sensor.ts';
import type { HitItem } from '#shared/store/hits/hit-item.ts';
import { newSensorItem } from '#shared/store/sensors/sensor-item.ts';
import { store } from '#shared/store/store.ts';
import { items } from '#shared/store/table.ts';
import type { Client } from '../fixtures/client.ts';
import { seedHits } from '../fixtures/hits.ts';
import { ALL_PERMISSIONS, adminOf, createAlarm, createHome, linkSensor } from '../fixtures/home.ts';
import { bareSnapshot } from '../fixtures/snapshot.ts';

/** A list with some of its pages, and the maximum number of read units for a page. */
export type LongList = { name: string; client: Client; max: number; pages: { query: string; path: string }[] };

const HITS = 100_000;
const SENSORS_WITH_HITS = 100;
/** The number of hits changed late. */
const LATE = 1_000;
const DELIVERIES = 100_000;
const SENSORS = 10_000;
const TRANSACTION = 100;

/** Reports attempts for hits long after they were created, as a replay does. */
const changeLate = async (cloud: Cloud, customerId: number, hits: readonly HitItem[]): Promise<void> => {
  const { hitReports } = store(cloud.runtime.table);
  for (const { id } of hits.filter((_, n) => n % (HITS / LATE) === 0))
    await hitReports.report({ customerId, hitId: id, at: 0, tries: [Date.now()], sent: true }, Date.now());
};

/** Returns the first, middle and last page in two sizes, sorted by either date, for all sensors or one. */
const pagesOfHits = (sensorId: string): string[] =>
  ['', '&sortBy=desc(updateDate)', `&sensorId=${sensorId}`, `&sensorId=${sensorId}&sortBy=asc(updateDate)`].flatMap(
    (filter) =>
      [30, 200].flatMap((size) => {
        const last = Math.ceil((filter.includes('sensorId') ? HITS / SENSORS_WITH_HITS : HITS) / size) - 1;
        return [0, 0.5, 1].map((part) => `perPage=${size}&page=${Math.floor(last * part)}${filter}`);
      }),
  );

/** Creates 100,000 rule hits for 100 sensors. 1,000 of the hits are changed late. */
export const createHits = async (cloud: Cloud): Promise<LongList> => {
  const { client, customerId } = await createHome(await adminOf(cloud.url), 'hazel', ALL_PERMISSIONS);
  const sensors: string[] = [];
  for (let n = 0; n < SENSORS_WITH_HITS; n++) sensors.push((await linkSensor(client)).sensorId);
  const stepMs = 100_000;
  const log = { customerId, sensors, count: HITS, from: Date.now() - HITS * stepMs, stepMs };
  await changeLate(cloud, customerId, await seedHits(cloud.runtime.table, log));
  const pages = pagesOfHits(sensors[0] ?? '').map((query) => ({
    query: query.replace(/sensorId=[^&]+/, 'sensorId'),
    path: `/customers/${customerId}/rule-hits?${query}`,
  }));
  return { name: '100,000 hits', client, max: 40, pages };
};

/** Returns a function that builds the n-th of many 1 KB deliveries to one webhook. */
export const deliveriesOf = (place: { customerId: number; webhookId: string }) => {
  const from = Date.now() - 86_400_000;
  const snapshot = packSnapshot({ ...bareSnapshot, event: { ...bareSnapshot.event, text: 'x'.repeat(600) } });
  return (n: number) => {
    const id = derivedUlid(from + n, n);
    const dates = { createDate: from + n, updateDate: from + n, nextAttempt: null };
    const outcome = { state: 'delivered', reason: null, attempts: 1, hit: null, sendTryTimes: [from + n] };
    return { put: { id, ...place, ...dates, ...outcome, snapshot, ...items.delivery({ ...place, deliveryId: id }) } };
  };
};

/** Writes items, 100 per transaction. */
const seed = async (cloud: Cloud, count: number, put: (n: number) => { put: { pk: string; sk: string } }) => {
  for (let at = 0; at < count; at += TRANSACTION)
    await cloud.runtime.table.write(...Array.from({ length: TRANSACTION }, (_, n) => put(at + n)));
};

/** Creates 100,000 deliveries to one webhook, 1 KB each. */
export const createDeliveries = async (cloud: Cloud): Promise<LongList> => {
  const { client, customerId } = await createHome(await adminOf(cloud.url), 'rowan', ALL_PERMISSIONS);
  const { webhook } = await createAlarm(client, 'http://127.0.0.1:9/');
  await seed(cloud, DELIVERIES, deliveriesOf({ customerId, webhookId: webhook.id }));
  const pages = ['', 'page=100&sortBy=asc(id)', 'state=held'].map((query) => ({
    query,
    path: `/webhooks/${webhook.id}/deliveries?${query}`,
  }));
  return { name: '100,000 deliveries', client, max: 100, pages };
};

/** Creates 10,000 sensors for one customer. */
export const createSensors = async (cloud: Cloud): Promise<LongList> => {
  const { client, customerId } = await createHome(await adminOf(cloud.url), 'alder', ALL_PERMISSIONS);
  await seed(cloud, SENSORS, (n) => {
    const hardwareId = (0xb0_0000_0000_00 + n).toString(16).toUpperCase();
    const about = { id: deviceIdOf(hardwareId), hardwareId, manufacturer: 'maker_a', firmwareVersion: 42 } as const;
    return {
      put: newSensorItem({ ...newSensor(about, Date.now() - n), customerId, name: `Room ${(n * 17) % 4_001}` }),
    };
  });
  const pages = ['id', 'name', 'updateDate'].flatMap((field) =>
    [0, 25, 49].map((page) => `perPage=200&page=${page}&sortBy=desc(${field})`),
  );
  return {
    name: '10,000 sensors',
    client,
    max: 120,
    pages: pages.map((query) => ({ query, path: `/sensors?${query}` })),
  };
};
