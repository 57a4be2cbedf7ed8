import { queryOptions } from '@tanstack/react-query';
import { ok } from '#lib/client/problem.ts';
import type { Watch, Webhook } from '#openapi';
import { api } from '../api/client.ts';

/** The largest page of the API. */
const MOST = 200;
/** How often (ms) what changes rarely is read. */
export const SLOWLY = 30_000;
// Behind another tab too: who comes back must not find it out of date.
const slowly = { refetchInterval: SLOWLY, refetchIntervalInBackground: true } as const;

/** The query for what of a customer is not watched. */
export const watchQuery = (customerId: number) =>
  queryOptions({
    queryKey: ['watch', customerId],
    ...slowly,
    queryFn: () => ok(api.GET('/customers/{customerId}/watch', { params: { path: { customerId } } })),
  });

/** The query for the numbers of sensors of all customers. The API reads all lists for each. */
export const allSensorsQuery = queryOptions({
  queryKey: ['sensors', 'count'],
  ...slowly,
  queryFn: async () => {
    const count = async (query: { isActive?: 'false' }): Promise<number> => {
      const [page] = await ok(api.GET('/sensors', { params: { query: { perPage: 1, ...query } } }));
      return page?.total ?? 0;
    };
    const [sensors, silent] = await Promise.all([count({}), count({ isActive: 'false' })]);
    return { sensors, silent };
  },
});

/** The query for the webhooks that the user may manage. */
export const webhooksQuery = (customerId: number) =>
  queryOptions({
    queryKey: ['webhooks', 'health', customerId],
    ...slowly,
    queryFn: async (): Promise<readonly Webhook[]> => {
      const all: Webhook[] = [];
      for (let page = 0; ; page += 1) {
        const query = { customerId, perPage: MOST, page };
        const [found] = await ok(api.GET('/webhooks', { params: { query } }));
        all.push(...(found?.data ?? []));
        if (!found || found.total <= (page + 1) * MOST) return all;
      }
    },
  });

/** Is something certainly not watched? */
export const hasGap = ({ silentSensors, fallsTold, unheardRules, isNobodyOnDuty }: Watch): boolean =>
  silentSensors.total > 0 || fallsTold === 'none' || unheardRules.length > 0 || isNobodyOnDuty;

/** Is everything certainly watched? Rules for parts of a home may cover all of it, or not. */
export const isWhole = (watch: Watch | undefined): boolean =>
  watch !== undefined && !hasGap(watch) && watch.fallsTold === 'all';
