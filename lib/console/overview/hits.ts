import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { ok } from '#lib/client/problem.ts';
import type { RuleHit } from '#openapi';
import { api } from '../api/client.ts';
import { pollingInterval } from './polling.ts';

export const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** The maximum number of pages per read, and the page sizes for all hits and for changed hits. */
const MAX_PAGES = 5;
const ALL_PER_PAGE = 200;
const CHANGED_PER_PAGE = 10;
/** Lists show a change after up to a second, so changes of this time (ms) before the newest known one are read again. */
const OVERLAP_MS = 60_000;

/** The rule hits of the last 24 hours, newest first. */
type Hits = {
  hits: readonly RuleHit[];
  /** Whether no hit is missing. At most 1,000 are read. */
  isWhole: boolean;
  /** The time (ms) of the newest known change, including changes of older hits. */
  changed: number;
};

const hitsKey = (customerId: number) => ['hits', customerId] as const;

type By = { sortBy: 'desc(createDate)' | 'desc(updateDate)'; perPage: number };
/** Reads pages until a hit is past the wanted range. */
const read = async (customerId: number, by: By, isPast: (hit: RuleHit) => boolean) => {
  const found: RuleHit[] = [];
  for (let page = 0; page < MAX_PAGES; page++) {
    const params = { path: { customerId }, query: { ...by, page } };
    const [answer] = await ok(api.GET('/customers/{customerId}/rule-hits', { params }));
    const hits = answer?.data ?? [];
    found.push(...hits);
    if (hits.length < by.perPage || hits.some(isPast)) return { found, isWhole: true };
  }
  return { found, isWhole: false };
};

/** Merges hits into the known ones. The newer version of a hit wins, in whatever order the responses arrive. */
export const merged = (known: Hits | undefined, found: readonly RuleHit[], since: number): Hits => {
  const byId = new Map(known?.hits.map((hit) => [hit.id, hit]));
  for (const hit of found) {
    const existing = byId.get(hit.id);
    if (!existing || hit.updateDate >= existing.updateDate) byId.set(hit.id, hit);
  }
  const recent = [...byId.values()].filter(({ createDate }) => createDate >= since);
  const changed = Math.max(known?.changed ?? 0, ...found.map(({ updateDate }) => updateDate));
  return { hits: recent.toSorted((hit, other) => other.id - hit.id), isWhole: known?.isWhole ?? true, changed };
};

/** Caches hits as returned by a write, until they are read again. */
export const cacheHits = (client: QueryClient, customerId: number, hits: readonly RuleHit[]): void => {
  client.setQueryData<Hits>(hitsKey(customerId), (known) => known && merged(known, hits, Date.now() - DAY));
};

/**
 * Returns the query for the rule hits of a customer in the last 24 hours, at most 1,000. It reads all of them once and
 * then only changes, so that polling every five seconds reads one small page.
 */
export const hitsQuery = (customerId: number) =>
  queryOptions({
    queryKey: hitsKey(customerId),
    refetchInterval: pollingInterval,
    // The title of the page shows the number of open alarms, even in background tabs.
    refetchIntervalInBackground: true,
    queryFn: async ({ client }): Promise<Hits> => {
      const since = Date.now() - DAY;
      const known = () => client.getQueryData<Hits>(hitsKey(customerId));
      const from = known()?.changed;
      if (from !== undefined) {
        const by = { sortBy: 'desc(updateDate)', perPage: CHANGED_PER_PAGE } as const;
        const { found, isWhole } = await read(customerId, by, ({ updateDate }) => updateDate < from - OVERLAP_MS);
        if (isWhole) return merged(known(), found, since);
      }
      const by = { sortBy: 'desc(createDate)', perPage: ALL_PER_PAGE } as const;
      const { found, isWhole } = await read(customerId, by, ({ createDate }) => createDate < since);
      return { ...merged(undefined, found, since), isWhole };
    },
  });
