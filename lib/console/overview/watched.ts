import { queryOptions } from '@tanstack/react-query';
import type { Rule, Sensor, Webhook } from 'openapi';
import { ok } from '../../client/problem.ts';
import { api } from '../api/client.ts';

/** The largest page of the API, and the number of silent sensors that are named. */
const MOST = 200;
const NAMED = 10;
/** How often (ms) what changes rarely is read. */
export const SLOWLY = 30_000;
// Behind another tab too: who comes back must not find it out of date.
const slowly = { refetchInterval: SLOWLY, refetchIntervalInBackground: true } as const;

const ofFalls: readonly Rule['situation'][] = [
  ...(['fall_detected', 'fall_detected_sensitive', 'fall_confirmed'] as const),
  ...(['fall_suspected', 'fall_suspected_sensitive'] as const),
];

const ofCustomer = (customerId: number | null) => (customerId === null ? {} : { customerId });

/** The query for the number of sensors: of one customer, or of all. The API reads the whole list for it. */
export const sensorsQuery = (customerId: number | null) =>
  queryOptions({
    queryKey: ['sensors', 'count', customerId],
    ...slowly,
    queryFn: async (): Promise<number> => {
      const query = { perPage: 1, ...ofCustomer(customerId) };
      const [page] = await ok(api.GET('/sensors', { params: { query } }));
      return page?.total ?? 0;
    },
  });

/** The query for the number of silent sensors, and the first of them by name. */
export const silentQuery = (customerId: number | null) =>
  queryOptions({
    queryKey: ['sensors', 'silent', customerId],
    ...slowly,
    queryFn: async (): Promise<{ total: number; first: readonly Sensor[] }> => {
      const query = { perPage: NAMED, isActive: 'false' as const, ...ofCustomer(customerId) };
      const [page] = await ok(api.GET('/sensors', { params: { query } }));
      return { total: page?.total ?? 0, first: page?.data ?? [] };
    },
  });

/** Reads all pages of a list, and keeps what is `wanted`; gives how many there are, too. */
const readAll = async <T>(
  pageAt: (page: number) => Promise<readonly { total: number; data: readonly T[] }[]>,
  isWanted: (item: T) => boolean = () => true,
) => {
  const wanted: T[] = [];
  for (let page = 0; ; page += 1) {
    const [found] = await pageAt(page);
    wanted.push(...(found?.data.filter(isWanted) ?? []));
    if (!found || found.total <= (page + 1) * MOST) return { total: found?.total ?? 0, wanted };
  }
};

/** Does a rule tell of falls? */
export const isOfFalls = ({ situation }: Rule): boolean => ofFalls.includes(situation);

/** The query for the rules that tell of falls and of silent sensors, and the number of all rules. Changed rules ask for it anew. */
export const watchRulesQuery = (customerId: number) =>
  queryOptions({
    queryKey: ['rules', 'watch', customerId],
    ...slowly,
    queryFn: () =>
      readAll<Rule>(
        (page) => ok(api.GET('/rules', { params: { query: { customerId, perPage: MOST, page } } })),
        (rule) => rule.isEnabled && (isOfFalls(rule) || rule.situation === 'sensor_inactive'),
      ),
  });

/** The query for the webhooks that the user may manage. */
export const webhooksQuery = (customerId: number) =>
  queryOptions({
    queryKey: ['webhooks', 'health', customerId],
    ...slowly,
    queryFn: async (): Promise<readonly Webhook[]> => {
      const { wanted } = await readAll<Webhook>((page) =>
        ok(api.GET('/webhooks', { params: { query: { customerId, perPage: MOST, page } } })),
      );
      return wanted;
    },
  });
