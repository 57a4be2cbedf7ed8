import { queryOptions } from '@tanstack/react-query';
import { ok } from '#lib/client/problem.ts';
import { api } from '../api/client.ts';

/** How many of the newest events are read. This is the largest page the API returns. */
export const MAX_EVENTS = 200;

/** Returns the query for the newest sensor events, used for the drawing, presence and vital signs. */
export const newestEventsQuery = (sensorId: string) =>
  queryOptions({
    queryKey: ['sensor', sensorId, 'newest events'],
    refetchInterval: 10_000,
    queryFn: async () => {
      const params = { path: { sensorId }, query: { perPage: MAX_EVENTS } };
      const [page] = await ok(api.GET('/sensors/{sensorId}/events', { params }));
      return page?.data ?? [];
    },
  });

export const roomQuery = (sensorId: string) =>
  queryOptions({
    queryKey: ['sensor', sensorId, 'room'],
    queryFn: () => ok(api.GET('/sensors/{sensorId}/room', { params: { path: { sensorId } } })),
  });

/** Returns the query for the current sensor status. */
export const statusQuery = (sensorId: string) => ({
  queryKey: ['sensor', sensorId, 'status'],
  queryFn: () => ok(api.GET('/sensors/{sensorId}/status', { params: { path: { sensorId } } })),
  refetchInterval: 5_000,
});
