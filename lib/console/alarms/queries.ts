import { queryOptions } from '@tanstack/react-query';
import type { ApiResult } from '#lib/client/problem.ts';
import type { Alarm } from '#openapi';
import { api } from '../api/client.ts';
import { okPage } from '../api/pages.ts';
import { MAX_PER_PAGE } from '../overview/watch-queries.ts';

/** Filters for an alarm list. `from` and `to` are times in ms. */
export type AlarmQuery = {
  from: number;
  to?: number;
  state?: Alarm['state'];
  situation?: Alarm['situation'];
  sensorGroupId?: number;
  sensorId?: string;
};
type Page = { total: number; page: number; perPage: number; data: Alarm[] };

/** Returns part of a customer's alarms, and where to continue. */
export const fetchAlarms = async (customerId: number, query: AlarmQuery & { after?: string; perPage?: number }) => {
  // The response is CSV only for callers who ask for it.
  const call = api.GET('/customers/{customerId}/alarms', { params: { path: { customerId }, query } }) as Promise<
    ApiResult<Page[]>
  >;
  const [page] = await okPage(call);
  return { alarms: page?.data ?? [], after: page?.after ?? null };
};

/** How often (ms) the newest part of the list is refetched. */
const REFETCH_MS = 60_000;

/** Returns the query for one part of the list. Only the first part grows, so only that part is refetched. */
export const alarmsQuery = (customerId: number, query: AlarmQuery, after: string) =>
  queryOptions({
    queryKey: ['alarms', customerId, query, after],
    queryFn: () => fetchAlarms(customerId, { ...query, ...(after !== '' && { after }) }),
    ...(after === '' && { refetchInterval: REFETCH_MS }),
  });

/** Returns the query for the most recent fall in a room, as far back as alarms are kept; null if no fall is known. */
export const lastFallQuery = (customerId: number | null, sensorId: string) =>
  queryOptions({
    queryKey: ['alarms', customerId, 'last fall', sensorId],
    queryFn: async (): Promise<Alarm | null> => {
      const query = { from: 0, sensorId, situation: 'fall_detected', perPage: 1 } as const;
      return (await fetchAlarms(customerId ?? 0, query)).alarms[0] ?? null;
    },
    enabled: customerId !== null,
    staleTime: REFETCH_MS,
  });

/** Returns the query for the time of each room's most recent fall, among the customer's newest falls. */
export const lastFallsQuery = (customerId: number | null) =>
  queryOptions({
    queryKey: ['alarms', customerId, 'last falls'],
    queryFn: async (): Promise<ReadonlyMap<string, number>> => {
      const query = { from: 0, situation: 'fall_detected', perPage: MAX_PER_PAGE } as const;
      const { alarms } = await fetchAlarms(customerId ?? 0, query);
      // The alarms are reversed, because they are newest first and the last entry for a sensor wins.
      return new Map(alarms.toReversed().map(({ sensorId, createDate }) => [sensorId, createDate]));
    },
    enabled: customerId !== null,
    staleTime: REFETCH_MS,
    refetchInterval: REFETCH_MS,
  });

/** How many recent alarms are read for a room, and how many ended alarms are shown. */
const LAST_READ = 10;
const LAST_SHOWN = 5;

/** Returns the query for the most recent ended alarms in a room, newest first. */
export const lastOfRoomQuery = (customerId: number, sensorId: string) =>
  queryOptions({
    queryKey: ['alarms', customerId, 'last of room', sensorId],
    queryFn: async (): Promise<Alarm[]> => {
      const query = { from: 0, sensorId, perPage: LAST_READ };
      const { alarms } = await fetchAlarms(customerId, query);
      return alarms.filter(({ state }) => state === 'over').slice(0, LAST_SHOWN);
    },
    staleTime: REFETCH_MS,
  });

/** The maximum number of pages a report reads. */
const MAX_PAGES = 20;

/** Reads all alarms in a time span. `isWhole` is false if there are too many to read. */
export const fetchAllAlarms = async (
  customerId: number,
  query: AlarmQuery,
): Promise<{ alarms: Alarm[]; isWhole: boolean }> => {
  const alarms: Alarm[] = [];
  let after: string | null = '';
  for (let pages = 0; after !== null && pages < MAX_PAGES; pages++) {
    const part = await fetchAlarms(customerId, { ...query, perPage: MAX_PER_PAGE, ...(after !== '' && { after }) });
    alarms.push(...part.alarms);
    after = part.after;
  }
  return { alarms, isWhole: after === null };
};
