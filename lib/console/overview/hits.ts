import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { ok } from '#lib/client/problem.ts';
import type { RuleHit } from '#openapi';
import { api } from '../api/client.ts';

export const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** The number of pages that are read at most, and the sizes of a page: of all hits at first, then of changed ones. */
const PAGES = 5;
const ALL = 200;
const CHANGED = 10;
/** Lists show a change after a second. What changed within this time (ms) before the newest known change is read again. */
const OVERLAP = 60_000;

/** The rule hits of the last 24 hours, newest first. */
type Hits = {
  hits: readonly RuleHit[];
  /** Is none missing? More than 1,000 are not read. */
  isWhole: boolean;
  /** When the last change (ms) was that is known of, also of an older hit. */
  changed: number;
};

const keyOf = (customerId: number) => ['hits', customerId] as const;

type By = { sortBy: 'desc(createDate)' | 'desc(updateDate)'; perPage: number };
/** Reads pages up to the first hit that is past what is wanted. */
const read = async (customerId: number, by: By, isPast: (hit: RuleHit) => boolean) => {
  const found: RuleHit[] = [];
  for (let page = 0; page < PAGES; page++) {
    const params = { path: { customerId }, query: { ...by, page } };
    const [answer] = await ok(api.GET('/customers/{customerId}/rule-hits', { params }));
    const hits = answer?.data ?? [];
    found.push(...hits);
    if (hits.length < by.perPage || hits.some(isPast)) return { found, isWhole: true };
  }
  return { found, isWhole: false };
};

/** Puts hits among those that are known. Of one hit the newer form stays, in whatever order the answers come. */
export const merged = (known: Hits | undefined, found: readonly RuleHit[], since: number): Hits => {
  const byId = new Map(known?.hits.map((hit) => [hit.id, hit]));
  for (const hit of found) {
    const before = byId.get(hit.id);
    if (!before || hit.updateDate >= before.updateDate) byId.set(hit.id, hit);
  }
  const recent = [...byId.values()].filter(({ createDate }) => createDate >= since);
  const changed = Math.max(known?.changed ?? 0, ...found.map(({ updateDate }) => updateDate));
  return { hits: recent.toSorted((hit, other) => other.id - hit.id), isWhole: known?.isWhole ?? true, changed };
};

/** Shows hits as a write has left them, before they are read again. */
export const keepHits = (client: QueryClient, customerId: number, hits: readonly RuleHit[]): void => {
  client.setQueryData<Hits>(keyOf(customerId), (known) => known && merged(known, hits, Date.now() - DAY));
};

/**
 * The query for the rule hits of a customer in the last 24 hours, 1,000 at most. It reads all of them once, and then
 * what has changed, so that a look every five seconds is one small page.
 */
export const hitsQuery = (customerId: number) =>
  queryOptions({
    queryKey: keyOf(customerId),
    refetchInterval: 5_000,
    // The title of the page says the number of open alarms also behind another tab.
    refetchIntervalInBackground: true,
    queryFn: async ({ client }): Promise<Hits> => {
      const since = Date.now() - DAY;
      const known = () => client.getQueryData<Hits>(keyOf(customerId));
      const from = known()?.changed;
      if (from !== undefined) {
        const by = { sortBy: 'desc(updateDate)', perPage: CHANGED } as const;
        const { found, isWhole } = await read(customerId, by, ({ updateDate }) => updateDate < from - OVERLAP);
        if (isWhole) return merged(known(), found, since);
      }
      const by = { sortBy: 'desc(createDate)', perPage: ALL } as const;
      const { found, isWhole } = await read(customerId, by, ({ createDate }) => createDate < since);
      return { ...merged(undefined, found, since), isWhole };
    },
  });

/** Counts the hits in each of the last 24 hours: gives the start of each hour (s), then the counts. */
export const hourly = (hits: readonly { createDate: number }[], now: number): [number[], number[]] => {
  const last = Math.floor(now / HOUR) * HOUR;
  const hours = Array.from({ length: 24 }, (_, at) => last - (23 - at) * HOUR);
  const counts = hours.map(
    (start) => hits.filter(({ createDate }) => createDate >= start && createDate < start + HOUR).length,
  );
  return [hours.map((hour) => hour / 1_000), counts];
};
