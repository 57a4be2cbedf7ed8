import { startTestCloud } from '../fixtures/cloud.ts';
import type { Figure } from './figures.ts';
import { createDeliveries, createHits, createSensors } from './long-lists.ts';
import { createLedger } from './meter.ts';

/** Measures the read units for pages in the longest lists, including those for the caller's session and permissions. */
export const measureLists = async (): Promise<Figure[]> => {
  const ledger = createLedger();
  const differing = ['countedOnly', 'loopback'] as const;
  const cloud = await startTestCloud({ meter: ledger.meter, wrap: ledger.wrap, differing });
  const figures: Figure[] = [];
  for (const create of [createHits, createSensors, createDeliveries]) {
    const { name, client, max, pages } = await create(cloud);
    for (const { query, path } of pages) {
      ledger.clear();
      await client.ok('GET', path);
      figures.push({ name: `${name}: ${query}`, value: ledger.total().read, unit: 'read units', max });
    }
  }
  await cloud.stop();
  return figures;
};
