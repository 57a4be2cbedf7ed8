import { type ApiResult, bodyOf, ok } from '#lib/client/problem.ts';
import { type Accounts, type Counts, count } from './expect.ts';
import type { Home } from './home.ts';

/**
 * What the cloud API lists. `open` counts unfinished deliveries, and `unsent` counts hits with at least one alarm not
 * yet sent.
 */
export type Records = Omit<Accounts, 'deliveries'> & { open: Counts; unsent: number };

type Page<T> = { total: number; data: T[] };
const PER_PAGE = 200;

/** Reads all pages of a list. Throws if `total` is not the number of items. */
const readAll = async <T>(
  name: string,
  get: (query: { page: number; perPage: number }) => Promise<ApiResult<Page<T>[]>>,
): Promise<T[]> => {
  const all: T[] = [];
  for (let page = 0; ; page++) {
    const [{ total, data } = { total: 0, data: [] }] = bodyOf(await get({ page, perPage: PER_PAGE }));
    all.push(...data);
    if (data.length < PER_PAGE) {
      if (total !== all.length) throw new Error(`the list of ${name} has a total of ${total} but ${all.length} items`);
      return all;
    }
  }
};

const open = ['pending', 'sending', 'retrying', 'held', 'failed'] as const;

/** Reads the events, hits and unfinished deliveries in a home. */
export const readRecords = async ({ customerId, client, devices, hooks, rules }: Home): Promise<Records> => {
  const records: Records = { events: new Map(), hits: new Map(), open: new Map(), unsent: 0 };
  const numbers = new Map(devices.map(({ sensorId }, sensor) => [sensorId, sensor]));
  for (const [sensor, { sensorId }] of devices.entries()) {
    const events = await readAll(`events of ${sensorId}`, (query) =>
      client.GET('/sensors/{sensorId}/events', { params: { path: { sensorId }, query } }),
    );
    for (const { type, action } of events) count(records.events, sensor, `${type}/${action}`);
  }
  const hits = await readAll('rule hits', (query) =>
    client.GET('/customers/{customerId}/rule-hits', { params: { path: { customerId }, query } }),
  );
  for (const { ruleId, sensorId, allSend } of hits) {
    count(records.hits, numbers.get(sensorId) ?? sensorId, rules.get(ruleId) ?? ruleId);
    if (!allSend) records.unsent++;
  }
  for (const { id, listener } of hooks.values())
    for (const state of open) {
      const params = { path: { webhookId: id }, query: { state, perPage: 1 } };
      const [page] = await ok(client.GET('/webhooks/{webhookId}/deliveries', { params }));
      if (page && page.total > 0) records.open.set(`${listener} ${state}`, page.total);
    }
  return records;
};

/** Returns one line for each difference between two counts. */
export const differences = (name: string, expected: Counts, actual: Counts): string[] =>
  [...new Set([...expected.keys(), ...actual.keys()])].flatMap((key) => {
    const expectedCount = expected.get(key) ?? 0;
    const actualCount = actual.get(key) ?? 0;
    return expectedCount === actualCount ? [] : [`${name} ${key}: expected ${expectedCount}, got ${actualCount}`];
  });
