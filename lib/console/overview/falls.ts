import { queryOptions } from '@tanstack/react-query';
import { ok } from '#lib/client/problem.ts';
import type { SensorStatus, SensorWithFalls } from '#openapi';
import { api } from '../api/client.ts';
import { pollingInterval } from './polling.ts';

/** An open fall, with its sensor. */
export type OpenFall = SensorWithFalls['falls'][number] & Pick<SensorWithFalls, 'sensorId' | 'name'>;
/** The open falls of a customer; `more` is the number of sensors with falls that are not listed. */
type OpenFalls = { falls: readonly OpenFall[]; more: number };

/** The largest page of the API. */
const MAX_PER_PAGE = 200;

/** Whether a fall state means that somebody is on the floor. */
export const isOpen = (state: SensorStatus['fallState']): boolean => state !== null && state !== 'finished';

/** The key of a fall, which stays the same while the fall is open. */
export const fallKey = ({ sensorId, since }: OpenFall): string => `${sensorId} ${since}`;

/** Returns the query for the open falls of a customer, newest first. */
export const openFallsQuery = (customerId: number) =>
  queryOptions({
    queryKey: ['open falls', customerId],
    refetchInterval: pollingInterval,
    refetchIntervalInBackground: true,
    queryFn: async (): Promise<OpenFalls> => {
      const params = { path: { customerId }, query: { perPage: MAX_PER_PAGE } };
      const [page] = await ok(api.GET('/customers/{customerId}/open-falls', { params }));
      const sensors = page?.data ?? [];
      const falls = sensors.flatMap(({ sensorId, name, falls }) => falls.map((fall) => ({ ...fall, sensorId, name })));
      const newestFirst = falls.toSorted((fall, other) => other.since - fall.since);
      return { falls: newestFirst, more: Math.max(0, (page?.total ?? 0) - MAX_PER_PAGE) };
    },
  });
