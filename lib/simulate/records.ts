import type { Api } from '../local/demo/client.ts';
import { type Accounts, type Counts, count } from './expect.ts';
import type { Home } from './home.ts';

/**
 * What the API of the cloud lists. `open` counts deliveries that are not finished; `unsent` counts hits whose alarms
 * are not all sent.
 */
export type Records = Omit<Accounts, 'deliveries'> & { open: Counts; unsent: number };

type Page<T> = [{ total: number; data: T[] }];
const PER_PAGE = 200;

/** Reads all pages of a list. Throws when the `total` of the list is not the number of its entries. */
const readAll = async <T>(api: Api, path: string): Promise<T[]> => {
  const all: T[] = [];
  for (let page = 0; ; page++) {
    const [{ total, data }] = await api.get<Page<T>>(`${path}?perPage=${PER_PAGE}&page=${page}`);
    all.push(...data);
    if (data.length < PER_PAGE) {
      if (total !== all.length) throw new Error(`${path} counts ${total} and has ${all.length}`);
      return all;
    }
  }
};

const open = ['pending', 'sending', 'retrying', 'held', 'failed'];

/** Reads the events, the hits and the unfinished deliveries of a home. */
export const readRecords = async ({ customerId, devices, hooks, rules, enter }: Home): Promise<Records> => {
  const api = await enter();
  const records: Records = { events: new Map(), hits: new Map(), open: new Map(), unsent: 0 };
  const numbers = new Map(devices.map(({ sensorId }, sensor) => [sensorId, sensor]));
  for (const [sensor, { sensorId }] of devices.entries())
    for (const { type, action } of await readAll<{ type: string; action: string }>(api, `/sensors/${sensorId}/events`))
      count(records.events, sensor, `${type}/${action}`);
  type Hit = { ruleId: number; sensorId: string; allSend: boolean };
  for (const { ruleId, sensorId, allSend } of await readAll<Hit>(api, `/customers/${customerId}/rule-hits`)) {
    count(records.hits, numbers.get(sensorId) ?? sensorId, rules.get(ruleId) ?? ruleId);
    if (!allSend) records.unsent++;
  }
  for (const { id, listener } of hooks.values())
    for (const state of open) {
      const [{ total }] = await api.get<Page<unknown>>(`/webhooks/${id}/deliveries?state=${state}&perPage=1`);
      if (total > 0) records.open.set(`${listener} ${state}`, total);
    }
  return records;
};

/** Gives one line for each count that differs. */
export const differences = (what: string, expected: Counts, found: Counts): string[] =>
  [...new Set([...expected.keys(), ...found.keys()])].flatMap((key) => {
    const wanted = expected.get(key) ?? 0;
    const other = found.get(key) ?? 0;
    return wanted === other ? [] : [`${what} ${key}: expected ${wanted}, got ${other}`];
  });
