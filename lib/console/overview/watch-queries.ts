import { queryOptions } from '@tanstack/react-query';
import { ok } from '#lib/client/problem.ts';
import type { Watch, Webhook } from '#openapi';
import { api } from '../api/client.ts';

/** The largest page of the API. */
export const MAX_PER_PAGE = 200;
/** The refetch interval (ms) of data that changes rarely. */
export const SLOW_REFETCH_MS = 30_000;
// Also in background tabs: a user who returns must not see stale data.
const slowly = { refetchInterval: SLOW_REFETCH_MS, refetchIntervalInBackground: true } as const;

/** Returns the query for what is not watched at a customer. */
export const watchQuery = (customerId: number) =>
  queryOptions({
    queryKey: ['watch', customerId],
    ...slowly,
    queryFn: () => ok(api.GET('/customers/{customerId}/watch', { params: { path: { customerId } } })),
  });

/** The query for the sensor counts of all customers. The API reads the lists of all customers for it. */
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

/** Returns the query for the webhooks that the user can manage. */
export const webhooksQuery = (customerId: number) =>
  queryOptions({
    queryKey: ['webhooks', 'health', customerId],
    ...slowly,
    queryFn: async (): Promise<readonly Webhook[]> => {
      const all: Webhook[] = [];
      for (let page = 0; ; page += 1) {
        const query = { customerId, perPage: MAX_PER_PAGE, page };
        const [found] = await ok(api.GET('/webhooks', { params: { query } }));
        all.push(...(found?.data ?? []));
        if (!found || found.total <= (page + 1) * MAX_PER_PAGE) return all;
      }
    },
  });

/** Whether anything is known to be unwatched. */
export const hasGap = ({ gaps, unheardRules, isNobodyOnDuty }: Watch): boolean =>
  gaps.length > 0 || unheardRules.length > 0 || isNobodyOnDuty;

/** Whether everything is known to be watched. */
export const isFullyWatched = (watch: Watch | undefined): boolean => watch !== undefined && !hasGap(watch);
