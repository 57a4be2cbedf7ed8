import { queryOptions } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { ok } from '../api/problem.ts';

/** The query for the number of sensors in a state. The API reads the whole list for it, so it is polled rarely. */
export const sensorCount = (isActive: boolean, customerId: number | null) =>
  queryOptions({
    queryKey: ['sensors', 'count', isActive, customerId],
    refetchInterval: 30_000,
    queryFn: async (): Promise<number> => {
      const query = { perPage: 1, isActive: isActive ? ('true' as const) : ('false' as const) };
      const params = { query: { ...query, ...(customerId !== null && { customerId }) } };
      const [page] = await ok(api.GET('/sensors', { params }));
      return page?.total ?? 0;
    },
  });
