import { useQuery } from '@tanstack/react-query';
import type { Rule } from 'openapi';
import { api } from '../api/client.ts';
import { ok } from '../api/problem.ts';
import { sensorCount } from './sensor-count.ts';

/** How far the falls of a home are watched. */
export type Watch = {
  sensors: number;
  /** Sensors that nothing has been heard of for too long. */
  silent: number;
  /** Where rules that are switched on tell of falls: at all sensors at any time, at some of them or at times, or nowhere. */
  fallsTold: 'all' | 'some' | 'none';
};

/** The largest page of the API. */
const MOST = 200;
const ofFalls: readonly Rule['situation'][] = [
  ...(['fall_detected', 'fall_detected_sensitive', 'fall_confirmed'] as const),
  ...(['fall_suspected', 'fall_suspected_sensitive'] as const),
];

const isForAll = ({ sensorId, sensorGroupId, schedule }: Rule): boolean =>
  sensorId === null && sensorGroupId === null && schedule === null;

const fallsTold = async (customerId: number): Promise<Watch['fallsTold']> => {
  let told: Watch['fallsTold'] = 'none';
  for (let page = 0; ; page += 1) {
    const query = { customerId, perPage: MOST, page };
    const [found] = await ok(api.GET('/rules', { params: { query } }));
    const telling = found?.data.filter(({ isEnabled, situation }) => isEnabled && ofFalls.includes(situation)) ?? [];
    if (telling.some(isForAll)) return 'all';
    if (telling.length > 0) told = 'some';
    if (!found || found.total <= (page + 1) * MOST) return told;
  }
};

/** Is something certainly not watched? */
export const hasGap = ({ silent, fallsTold }: Watch): boolean => silent > 0 || fallsTold === 'none';
/** Is everything certainly watched? Rules for parts of a home may cover all of it, or not. */
export const isWhole = ({ silent, fallsTold }: Watch): boolean => silent === 0 && fallsTold === 'all';

/** What of a home is not watched; undefined until all of it is known. Whoever may see sensors and rules may ask it. */
export const useWatch = (customerId: number): Watch | undefined => {
  const active = useQuery(sensorCount(true, customerId)).data;
  const silent = useQuery(sensorCount(false, customerId)).data;
  const told = useQuery({
    // Changed rules ask for it anew.
    queryKey: ['rules', 'watch', customerId],
    refetchInterval: 30_000,
    queryFn: () => fallsTold(customerId),
  }).data;
  return active === undefined || silent === undefined || told === undefined
    ? undefined
    : { sensors: active + silent, silent, fallsTold: told };
};
