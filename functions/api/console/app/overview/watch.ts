import { queryOptions } from '@tanstack/react-query';
import type { Rule } from 'openapi';
import { api } from '../api/client.ts';
import { ok } from '../api/problem.ts';

/** How far the falls of a home are watched. */
export type Watch = {
  sensors: number;
  /** Sensors that nothing has been heard of for too long. */
  silent: number;
  /** Does a rule that is switched on tell somebody of falls? */
  isFallTold: boolean;
};

/** The largest page of the API. */
const MOST = 200;
const ofFalls: readonly Rule['situation'][] = [
  ...(['fall_detected', 'fall_detected_sensitive', 'fall_confirmed'] as const),
  ...(['fall_suspected', 'fall_suspected_sensitive'] as const),
];

const countSensors = async (customerId: number, isActive?: 'false'): Promise<number> => {
  const query = { customerId, perPage: 1, ...(isActive && { isActive }) };
  return (await ok(api.GET('/sensors', { params: { query } })))[0]?.total ?? 0;
};

const isFallTold = async (customerId: number): Promise<boolean> => {
  for (let page = 0; ; page += 1) {
    const query = { customerId, perPage: MOST, page };
    const [found] = await ok(api.GET('/rules', { params: { query } }));
    if (found?.data.some(({ isEnabled, situation }) => isEnabled && ofFalls.includes(situation))) return true;
    if (!found || found.total <= (page + 1) * MOST) return false;
  }
};

export const isWhole = ({ silent, isFallTold }: Watch): boolean => silent === 0 && isFallTold;

/** The query for what of a home is not watched. Whoever may see sensors and rules may ask it. */
export const watchQuery = (customerId: number) =>
  queryOptions({
    // Changed rules ask for it anew.
    queryKey: ['rules', 'watch', customerId],
    refetchInterval: 30_000,
    queryFn: async (): Promise<Watch> => {
      const [sensors, silent, told] = await Promise.all([
        countSensors(customerId),
        countSensors(customerId, 'false'),
        isFallTold(customerId),
      ]);
      return { sensors, silent, isFallTold: told };
    },
  });
