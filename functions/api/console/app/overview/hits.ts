import { queryOptions } from '@tanstack/react-query';
import type { RuleHit } from 'openapi';
import { api } from '../api/client.ts';
import { ok } from '../api/problem.ts';

export const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** The page size, and the number of pages that are read at most. */
const PER_PAGE = 200;
const PAGES = 5;

/** The query for the rule hits of a customer in the last 24 hours, newest first, 1,000 at most. */
export const hitsQuery = (customerId: number) =>
  queryOptions({
    queryKey: ['hits', customerId],
    // The interval is long, because a page of hits is large and the chart shows whole hours.
    refetchInterval: 30_000,
    queryFn: async (): Promise<RuleHit[]> => {
      const since = Date.now() - DAY;
      const hits: RuleHit[] = [];
      for (let page = 0; page < PAGES; page++) {
        const params = { path: { customerId }, query: { page, perPage: PER_PAGE } };
        const [found] = await ok(api.GET('/customers/{customerId}/rule-hits', { params }));
        const recent = found?.data.filter(({ createDate }) => createDate >= since) ?? [];
        hits.push(...recent);
        if (recent.length < PER_PAGE) break;
      }
      return hits;
    },
  });

/** Counts the hits in each of the last 24 hours: gives the start of each hour (s), then the counts. */
export const hourly = (hits: readonly { createDate: number }[], now: number): [number[], number[]] => {
  const last = Math.floor(now / HOUR) * HOUR;
  const hours = Array.from({ length: 24 }, (_, at) => last - (23 - at) * HOUR);
  const counts = hours.map(
    (start) => hits.filter(({ createDate }) => createDate >= start && createDate < start + HOUR).length,
  );
  return [hours.map((hour) => hour / 1_000), counts];
};
