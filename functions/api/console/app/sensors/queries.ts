import { queryOptions } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { ok } from '../api/problem.ts';

/** As many events as a page can have. */
const MOST = 200;

/** The newest events of a sensor: for its drawing, its presence and its vital signs. */
export const newestEventsQuery = (sensorId: string) =>
  queryOptions({
    queryKey: ['sensor', sensorId, 'newest events'],
    refetchInterval: 10_000,
    queryFn: async () => {
      const params = { path: { sensorId }, query: { perPage: MOST } };
      const [page] = await ok(api.GET('/sensors/{sensorId}/events', { params }));
      return page?.data ?? [];
    },
  });

export const roomQuery = (sensorId: string) =>
  queryOptions({
    queryKey: ['sensor', sensorId, 'room'],
    queryFn: () => ok(api.GET('/sensors/{sensorId}/room', { params: { path: { sensorId } } })),
  });
