import { queryOptions } from '@tanstack/react-query';
import { ok } from '#lib/client/problem.ts';
import type { Watch } from '#openapi';
import { api } from '../api/client.ts';

/** The largest page the API returns. */
export const MAX_PER_PAGE = 200;
/** The refetch interval (ms) for rarely changing data. */
export const SLOW_REFETCH_MS = 30_000;
// In background tabs too: a user who returns must not see stale data.
const slowly = { refetchInterval: SLOW_REFETCH_MS, refetchIntervalInBackground: true } as const;

/** The query for sensor counts across all customers. To answer it, the API reads every customer's list. */
export const allSensorsQuery = queryOptions({
  queryKey: ['sensors', 'count'],
  ...slowly,
  queryFn: async () => {
    const count = async (query: { isActive?: 'false' }): Promise<number> => {
      const [page] = await ok(api.GET('/sensors', { params: { query: { perPage: 1, ...query } } }));
      return page?.total ?? 0;
    };
    const [sensors, offline] = await Promise.all([count({}), count({ isActive: 'false' })]);
    return { sensors, offline };
  },
});

/** Returns the query that checks whether the customer has webhooks. */
export const webhooksQuery = (customerId: number) =>
  queryOptions({
    queryKey: ['webhooks', 'exist', customerId],
    queryFn: () => ok(api.GET('/webhooks', { params: { query: { customerId, perPage: 1 } } })),
  });

/** Whether anything is known to be unwatched. */
export const hasGap = ({ gaps, unheardRules, isNobodyOnDuty }: Watch): boolean =>
  gaps.length > 0 || unheardRules.length > 0 || isNobodyOnDuty;
