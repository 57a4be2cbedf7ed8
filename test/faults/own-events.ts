import type { Scene } from './scene.ts';

/**
 * Returns a sensor's events caused by a scenario, newest first, and the uuids of all delivered events. The sensor's
 * events are removed from the receipts, because the suite itself did not post them.
 */
export const ownEvents = async ({ stores, clock, receiver }: Scene, customerId: number, sensorId: string) => {
  const { data } = await stores.events.list(customerId, sensorId, clock.now(), { page: 0, perPage: 50 });
  const own = new Set(data.map(({ uuid }) => uuid));
  const { receipts, strays, delivered } = receiver;
  receipts.splice(0, Number.POSITIVE_INFINITY, ...receipts.filter(({ uuid }) => !own.has(uuid)));
  // An event created by a timer has no message.
  const byTime = data.filter(({ raw }) => raw === '{}').map(({ uuid }) => uuid);
  const others = strays.filter((stray) => !byTime.some((uuid) => stray.includes(uuid)));
  strays.splice(0, Number.POSITIVE_INFINITY, ...others);
  return { data, delivered };
};
