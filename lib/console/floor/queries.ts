import { queryOptions } from '@tanstack/react-query';
import { ok } from '#lib/client/problem.ts';
import type { FloorPlan, Sensor } from '#openapi';
import { api } from '../api/client.ts';
import { type Extent, extentOf } from './geometry.ts';

export const planQuery = (groupId: number) =>
  queryOptions({
    queryKey: ['floor plan', groupId],
    queryFn: (): Promise<FloorPlan> => ok(api.GET('/sensor-groups/{groupId}/plan', { params: { path: { groupId } } })),
    refetchInterval: 60_000,
  });

/** The largest page the API returns. */
const MAX_PER_PAGE = 200;

/** A sensor on a plan. `presence` is null while unknown. */
export type KnownSensor = Pick<Sensor, 'name' | 'isActive'> & { presence: boolean | null };

/**
 * Returns the query for a customer's sensors: their names, whether they are online, and whether anyone is in the room.
 */
export const allSensorsOfQuery = (customerId: number) =>
  queryOptions({
    queryKey: ['sensors', 'all', customerId],
    queryFn: async () => {
      const all = new Map<string, KnownSensor>();
      for (let page = 0; ; page += 1) {
        const query = { customerId, perPage: MAX_PER_PAGE, page, withState: 'true' } as const;
        const [found] = await ok(api.GET('/sensors', { params: { query } }));
        for (const { id, name, isActive, state } of found?.data ?? [])
          all.set(id, { name, isActive, presence: state?.presence ?? null });
        if (!found || found.total <= (page + 1) * MAX_PER_PAGE) return all;
      }
    },
    refetchInterval: 15_000,
    refetchIntervalInBackground: true,
  });

/** How many rooms are read at once, and the pause (ms) between batches. Alarm requests share the rate limit. */
const BATCH = 10;
const PAUSE_MS = 500;

/** Returns the query for room sizes. They hardly ever change, and each one takes a request. */
export const extentsQuery = (sensorIds: readonly string[]) =>
  queryOptions({
    queryKey: ['floor plan', 'sizes', sensorIds],
    queryFn: async () => {
      const extents = new Map<string, Extent>();
      for (let at = 0; at < sensorIds.length; at += BATCH) {
        if (at > 0) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
        const read = sensorIds.slice(at, at + BATCH).map(async (sensorId) => {
          const room = await ok(api.GET('/sensors/{sensorId}/room', { params: { path: { sensorId } } }));
          extents.set(sensorId, extentOf(room));
        });
        await Promise.all(read);
      }
      return extents;
    },
    staleTime: 600_000,
    refetchOnWindowFocus: false,
  });
