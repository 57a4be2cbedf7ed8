import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { bodyOf } from '#lib/client/problem.ts';
import type { RuleHit, Station } from '#openapi';
import { api } from '../api/client.ts';
import { isSoundOn } from '../sound/use-sound.ts';
import { type OpenFall, openFallsOf } from './falls.ts';
import { noteChanges } from './hits.ts';

/** A customer's last known alarms and gaps. */
type Seen = Pick<Station, 'watch' | 'onDuty'> & {
  /** The entity tag for this content. */
  tag: string;
  /** The open falls, newest first, and the number of unlisted sensors with falls. */
  falls: readonly OpenFall[];
  more: number;
  /** The most recently changed hits. */
  changed: readonly RuleHit[];
};

/** How often (ms) alarms are read while they can be seen or heard, and how often otherwise. */
const FAST_MS = 5_000;
const SLOW_MS = 60_000;

/** Returns how often (ms) the alarms are read now. When a page becomes visible, it reads them at once. */
const pollingInterval = (): number => (document.visibilityState === 'visible' || isSoundOn() ? FAST_MS : SLOW_MS);

const STATION = 'station';
const stationKey = (customerId: number) => [STATION, customerId] as const;

/** Refetches the station data for all customers on screen. */
export const refetchStation = (client: QueryClient): Promise<void> => client.invalidateQueries({ queryKey: [STATION] });

/** Returns the query for everything a screen watches. While nothing has changed, responses have no body. */
export const stationQuery = (customerId: number) =>
  queryOptions({
    queryKey: stationKey(customerId),
    refetchInterval: pollingInterval,
    // Background tabs also need the alarms: they play the sound, and show the number of alarms in the tab title.
    refetchIntervalInBackground: true,
    queryFn: async ({ client }): Promise<Seen> => {
      const known = client.getQueryData<Seen>(stationKey(customerId));
      const answer = await api.GET('/customers/{customerId}/station', {
        params: { path: { customerId } },
        ...(known && { headers: { 'If-None-Match': known.tag } }),
      });
      if (known && answer.response.status === 304) return known;
      const { openFalls, sensorsWithFalls, hits, ...rest } = bodyOf(answer);
      noteChanges(client, customerId, hits);
      return {
        ...rest,
        tag: answer.response.headers.get('ETag') ?? '',
        falls: openFallsOf(openFalls),
        more: Math.max(0, sensorsWithFalls - openFalls.length),
        changed: hits,
      };
    },
  });
