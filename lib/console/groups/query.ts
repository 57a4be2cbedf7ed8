import { queryOptions, useQuery } from '@tanstack/react-query';
import { ok } from '#lib/client/problem.ts';
import { api } from '../api/client.ts';

export const groupsQuery = (customerId: number) =>
  queryOptions({
    queryKey: ['groups', customerId],
    queryFn: () => ok(api.GET('/sensor-groups', { params: { query: { customerId } } })),
  });

export const useGroups = (customerId: number) => useQuery(groupsQuery(customerId));
