import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { ok } from '#lib/client/problem.ts';
import type { RuleHit } from '#openapi';
import { isFuture } from '#shared/domain/state/clock.ts';
import { MAX_STATION_HITS } from '#shared/domain/watch/station-limits.ts';
import { api } from '../api/client.ts';

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
/** The maximum number of hit pages to read, and the page size. */
const MAX_PAGES = 5;
const PER_PAGE = 200;
/** How often (ms) to retry reading the hits until it succeeds. */
const RETRY_MS = 5_000;
/** Lists can take a second to show a change, so changes up to this long (ms) before the newest known one may be new. */
const OVERLAP_MS = 60_000;

/** Rule hits from the last 24 hours, newest first. */
type Hits = {
  hits: readonly RuleHit[];
  /** Whether the list contains every hit. At most 1,000 are read. */
  isWhole: boolean;
  /** The time (ms) of the newest known change, including changes to older hits. */
  changed: number;
};

const hitsKey = (customerId: number) => ['hits', customerId] as const;

/** Reads a customer's hits since the given time (ms), newest first. */
const readHits = async (customerId: number, since: number): Promise<Pick<Hits, 'hits' | 'isWhole'>> => {
  const hits: RuleHit[] = [];
  for (let page = 0; page < MAX_PAGES; page++) {
    const params = { path: { customerId }, query: { sortBy: 'desc(createDate)', perPage: PER_PAGE, page } as const };
    const [answer] = await ok(api.GET('/customers/{customerId}/rule-hits', { params }));
    const found = answer?.data ?? [];
    hits.push(...found);
    if (found.length < PER_PAGE || found.some(({ createDate }) => createDate < since)) return { hits, isWhole: true };
  }
  return { hits, isWhole: false };
};

/**
 * Merges hits into the known hits from the last 24 hours. The newer version of a hit wins, in whatever order the
 * responses arrive. A version from the future was made before the service clock was set back, so any other version is
 * newer.
 */
export const merged = (known: Hits | undefined, found: readonly RuleHit[], now: number): Hits => {
  const byId = new Map(known?.hits.map((hit) => [hit.id, hit]));
  for (const hit of found) {
    const { updateDate = 0 } = byId.get(hit.id) ?? {};
    if (hit.updateDate >= updateDate || isFuture(updateDate, now)) byId.set(hit.id, hit);
  }
  const recent = [...byId.values()].filter(({ createDate }) => createDate >= now - DAY);
  // A change with a time in the future would hide all missed changes until that time.
  const changes = found.map(({ updateDate }) => Math.min(updateDate, now));
  const changed = Math.max(known?.changed ?? 0, ...changes);
  return { hits: recent.toSorted((hit, other) => other.id - hit.id), isWhole: known?.isWhole ?? true, changed };
};

/** Caches hits returned by a write or by the station, until they are read again. */
export const cacheHits = (client: QueryClient, customerId: number, hits: readonly RuleHit[]): void => {
  client.setQueryData<Hits>(hitsKey(customerId), (known) => known && merged(known, hits, Date.now()));
};

/** Caches the most recently changed hits. Reads all hits again if others may have changed as well. */
export const noteChanges = (client: QueryClient, customerId: number, hits: readonly RuleHit[]): void => {
  const known = client.getQueryData<Hits>(hitsKey(customerId));
  const isGap = known !== undefined && hits.every(({ updateDate }) => updateDate > known.changed - OVERLAP_MS);
  cacheHits(client, customerId, hits);
  if (isGap && hits.length >= MAX_STATION_HITS) void client.invalidateQueries({ queryKey: hitsKey(customerId) });
};

/**
 * Returns the query for a customer's rule hits in the last 24 hours, at most 1,000. They are read once, and then kept
 * up to date by what the station and writes return.
 */
export const hitsQuery = (customerId: number) =>
  queryOptions<Hits>({
    queryKey: hitsKey(customerId),
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: ({ state }) => (state.data === undefined ? RETRY_MS : false),
    refetchIntervalInBackground: true,
    queryFn: async ({ client }) => {
      const { hits, isWhole } = await readHits(customerId, Date.now() - DAY);
      const known = client.getQueryData<Hits>(hitsKey(customerId));
      return { ...merged(known, hits, Date.now()), isWhole };
    },
  });
