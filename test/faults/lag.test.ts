import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '#lib/local/clock.ts';
import { createTable, type Table } from '#shared/store/engine/client.ts';
import { changes } from '#shared/store/engine/request.ts';
import { laggingReads } from './lag.ts';
import { type FaultTable, openNearTable, TABLE_NAME } from './tables.ts';

describe('a table with lagging reads', () => {
  let near: FaultTable;
  let table: Table;
  let time = 1_000_000;
  /** How much the next reads lag, as a fraction of 2 s. */
  let lag = 0;
  const key = { pk: 'C#1', sk: 'ITEM' };
  const due = { pk: 'DUE#1', index: 'due' } as const;
  const at = (dueAt: string) => ({ ...key, duePk: 'DUE#1', dueAt });
  const page = async (limit?: number) => {
    const { items, next } = await table.query<{ dueAt: string }>({ ...due, ...(limit && { limit }) });
    return { times: items.map(({ dueAt }) => dueAt), isMore: next !== undefined };
  };

  beforeAll(async () => {
    near = await openNearTable(systemClock);
    const lagging = laggingReads(
      { now: () => time },
      () => true,
      () => lag,
    );
    table = createTable(lagging(near.client), TABLE_NAME);
  });
  afterAll(() => near.stop());

  test('shows every write immediately to consistent reads, and later to eventually consistent ones', async () => {
    await table.write({ put: at('1') });
    time += 5_000;
    lag = 0.5;
    await table.update(key, changes({ set: { name: 'new' } }));
    time += 900;
    expect(await table.get(key)).toMatchObject({ name: 'new' });
    expect(await table.getEventual(key)).not.toHaveProperty('name');
    expect((await table.getAllEventual([key]))[0]).not.toHaveProperty('name');
    expect((await table.query({ pk: key.pk, consistent: false })).items[0]).not.toHaveProperty('name');
    time += 200;
    expect(await table.getEventual(key)).toMatchObject({ name: 'new' });

    await table.write({ put: { pk: 'C#1', sk: 'OTHER' } });
    expect(await table.getEventual({ pk: 'C#1', sk: 'OTHER' })).not.toBeNull();
    expect((await table.query({ pk: key.pk, consistent: false })).items).toHaveLength(1);
    expect((await table.query({ pk: key.pk })).items).toHaveLength(2);
  });

  test('pages through an outdated index in order', async () => {
    time += 5_000;
    await table.write({ put: at('2') });
    await table.write({ put: { ...at('3'), sk: 'NEW' } });
    lag = 0.5;
    expect(await page()).toEqual({ times: ['1'], isMore: false });
    lag = 0;
    expect(await page()).toEqual({ times: ['2', '3'], isMore: false });
    time += 5_000;
    await table.write({ remove: key });
    lag = 0.5;
    expect(await page()).toEqual({ times: ['2', '3'], isMore: false });
    expect(await page(1)).toEqual({ times: ['2'], isMore: true });
  });
});
