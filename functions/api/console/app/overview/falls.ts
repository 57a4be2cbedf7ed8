import { useQueries } from '@tanstack/react-query';
import type { RuleHit, SensorStatus } from 'openapi';
import { api } from '../api/client.ts';
import { ok, statusOf } from '../api/problem.ts';

/** Sensors with falls that are asked for their state: the newest. */
const MOST = 20;
/** ms between two hits of what is one fall. */
const APART = 900_000;

const isFall = ({ situation }: RuleHit): boolean => situation.startsWith('fall_');

/** A fall of which a hit told, since when (ms), and how far it is. */
export type OpenFall = { hit: RuleHit; since: number; state: SensorStatus['fallState'] };

/** When the fall began that the newest of these hits (newest first) tells of. */
const sinceOf = (hits: readonly RuleHit[]): number => {
  const breaks = hits.findIndex(({ createDate }, at) => createDate - (hits[at + 1]?.createDate ?? 0) > APART);
  return hits[breaks]?.createDate ?? 0;
};

/** The newest hit of a fall of each sensor, with the time at which that fall began. */
export const newestFalls = (hits: readonly RuleHit[]): Omit<OpenFall, 'state'>[] => {
  const bySensor = Map.groupBy(hits.filter(isFall), ({ sensorId }) => sensorId);
  return [...bySensor.values()].flatMap((ofSensor) => {
    const [hit] = ofSensor;
    return hit ? [{ hit, since: sinceOf(ofSensor) }] : [];
  });
};

/** Is somebody on the floor in that state? */
export const isOpen = (state: SensorStatus['fallState']): boolean => state !== null && state !== 'finished';

export const statusQuery = (sensorId: string) => ({
  queryKey: ['sensor', sensorId, 'status'],
  queryFn: () => ok(api.GET('/sensors/{sensorId}/status', { params: { path: { sensorId } } })),
  refetchInterval: 5_000,
});

/**
 * The falls among the hits that are not over, newest first; undefined until it is known of each. One of which nothing
 * can be learnt counts as open: nobody must be overlooked. A sensor that is gone has none.
 */
export const useOpenFalls = (hits: readonly RuleHit[] | undefined): OpenFall[] | undefined => {
  const falls = newestFalls(hits ?? []).slice(0, MOST);
  const states = useQueries({ queries: falls.map(({ hit }) => statusQuery(hit.sensorId)) });
  if (!hits || states.some(({ isPending }) => isPending)) return undefined;
  return falls.flatMap((fall, at) => {
    const { data, error } = states[at] ?? {};
    const state = data?.fallState ?? null;
    const isUnknown = data === undefined && statusOf(error) !== 404;
    return isUnknown || isOpen(state) ? [{ ...fall, state }] : [];
  });
};
