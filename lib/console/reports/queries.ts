import { useQuery } from '@tanstack/react-query';
import { ok } from '#lib/client/problem.ts';
import type { ReportMonth } from '#openapi';
import { api, apiUrl } from '../api/client.ts';

/** Of so many months something is kept at most. */
const KEPT = 5;

const monthBefore = (count: number): string => {
  const today = new Date();
  // The first one: other days are not in each month.
  const month = new Date(Date.UTC(today.getFullYear(), today.getMonth() - count, 1));
  return month.toISOString().slice(0, 7);
};

/** The months of which something may be kept, the newest first. */
export const keptMonths = (): string[] => Array.from({ length: KEPT }, (_, count) => monthBefore(count));

const useReport = (customerId: number, month = '') =>
  useQuery({
    queryKey: ['report', customerId, month],
    queryFn: async (): Promise<ReportMonth | null> => {
      const params = { path: { customerId }, query: { from: month } };
      const { months } = await ok(api.GET('/customers/{customerId}/report', { params }));
      return months[0] ?? null;
    },
    staleTime: 60_000,
  });

/**
 * The reports of the kept months, each by a call of its own: one that has too much for a report does not keep the others
 * away. Null: nothing of the month is kept. (`useQueries` would be among what is loaded first.)
 */
export const useReports = (customerId: number, kept: readonly string[]) => [
  useReport(customerId, kept[0]),
  useReport(customerId, kept[1]),
  useReport(customerId, kept[2]),
  useReport(customerId, kept[3]),
  useReport(customerId, kept[4]),
];

/** The address of the report on a month as a file, which a browser gets by its session. */
export const fileOf = (customerId: number, month: string): string =>
  `${apiUrl}/customers/${customerId}/report.csv?from=${month}`;
