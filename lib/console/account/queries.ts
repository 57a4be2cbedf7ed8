import { queryOptions } from '@tanstack/react-query';
import { ok } from '#lib/client/problem.ts';
import { api } from '../api/client.ts';

/** The path parameters for the logged-in user's resources. */
export const self = { path: { userId: 'me' } } as const;

export const channelsQuery = queryOptions({
  queryKey: ['channels'],
  queryFn: () => ok(api.GET('/users/{userId}/channels', { params: self })),
});

export const kindsQuery = queryOptions({ queryKey: ['channel kinds'], queryFn: () => ok(api.GET('/channels')) });

export const dutyQuery = (customerId: number) =>
  queryOptions({
    queryKey: ['duty', customerId],
    queryFn: () => ok(api.GET('/customers/{customerId}/duty', { params: { path: { customerId } } })),
    refetchInterval: 30_000,
  });
