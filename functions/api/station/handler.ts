import { hitViews } from '#shared/api/hit-views.ts';
import { matchesEtag } from '#shared/api/http/exchange.ts';
import { Reply } from '#shared/api/operation.ts';
import { serve } from '#shared/api/serve.ts';
import { hashOf } from '#shared/domain/ids.ts';
import { MAX_STATION_HITS, MAX_STATION_SENSORS } from '#shared/domain/watch/station-limits.ts';
import { isUpToDate } from '#shared/domain/watch/watch.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import type { ReadWatch } from '#shared/store/people/watches.ts';
import { station } from './contract.ts';

const MINUTE = 60_000;
/** How recently (ms) a hit must have changed to matter to a station. */
const DAY = 24 * 60 * MINUTE;
/** How old (ms) the date of an unchanged watch may get on a screen. */
const WATCH_DATE_MS = 5 * MINUTE;

type StationDeps = Deps<(typeof station.operations.getStation)['uses'][number]>;

/** Returns a customer's watch, read at most once a minute per process. Null if the customer does not exist. */
const readWatch = async (deps: StationDeps, customerId: number): Promise<ReadWatch | null> => {
  const latest = await deps.store.watches.latest(customerId, deps.now());
  if (latest && isUpToDate(latest.watch, deps.now())) return latest;
  // Most requests do not need the code that computes it.
  const { currentWatch } = await import('#shared/api/current-watch.ts');
  return currentWatch(deps, customerId, { waits: false });
};

const firstPage = { page: 0, perPage: MAX_STATION_SENSORS };

export const handler = serve(station, {
  getStation: async ({ customerId, event, fail }, deps) => {
    const { store, now } = deps;
    const [falls, changes, read] = await Promise.all([
      store.openFalls.page(customerId, firstPage, now()),
      store.hitLists.latestChanges(customerId, { now: now(), since: now() - DAY }),
      readWatch(deps, customerId),
    ]);
    if (!read) return fail('customer_not_found');
    const { watch } = read;
    const onDuty = (read.onDuty ?? []).filter(({ until }) => until > now());
    const roughly = { ...watch, date: Math.floor(watch.date / WATCH_DATE_MS) };
    // The ETag is weak, because it does not cover the exact watch date. The changes are read before the hits, so hits
    // that change in between are resent.
    const tag = `"${hashOf(JSON.stringify([falls, changes, roughly, onDuty]))}"`;
    const openFalls = { openFalls: falls.data, sensorsWithFalls: falls.total };
    const reply = { ...openFalls, hits: [], watch, onDuty };
    const headers = { ETag: `W/${tag}` };
    if (matchesEtag(event, tag)) return new Reply(reply, { headers, status: 304 });
    const hits = await store.hitLists.lastChanged(customerId, changes, { now: now(), limit: MAX_STATION_HITS });
    return new Reply({ ...reply, hits: await hitViews(store, customerId, hits) }, { headers });
  },
});
