import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useSearchParams } from 'wouter';
import { ok } from '#lib/client/problem.ts';
import type { ReportMonth } from '#openapi';
import { api, apiUrl } from '../api/client.ts';
import { OfCustomer } from '../shell/of-customer.tsx';
import { useTexts } from '../texts/texts.tsx';
import { Head } from '../ui/head.tsx';
import { Loaded } from '../ui/states.tsx';
import { Compared } from './compared.tsx';
import { Month } from './month.tsx';
import { useMonths, useReportTexts } from './texts.ts';

/** Of so many months something is kept at most. */
const KEPT = 5;

const monthBefore = (count: number): string => {
  const today = new Date();
  // The first one: other days are not in each month.
  const month = new Date(Date.UTC(today.getFullYear(), today.getMonth() - count, 1));
  return month.toISOString().slice(0, 7);
};

/** The months of which something may be kept, the newest first. */
const keptMonths = (): string[] => Array.from({ length: KEPT }, (_, count) => monthBefore(count));

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
const useReports = (customerId: number, kept: readonly string[]) => [
  useReport(customerId, kept[0]),
  useReport(customerId, kept[1]),
  useReport(customerId, kept[2]),
  useReport(customerId, kept[3]),
  useReport(customerId, kept[4]),
];

/** The address of the report on a month as a file, which a browser gets by its session. */
const fileOf = (customerId: number, month: string): string =>
  `${apiUrl}/customers/${customerId}/report.csv?from=${month}`;

const Reports = ({ customerId }: { customerId: number }) => {
  const texts = useReportTexts();
  const months = useMonths();
  const [params, setParams] = useSearchParams();
  const kept = useMemo(keptMonths, []);
  const queries = useReports(customerId, kept);
  const asked = params.get('month');
  const chosen = kept.find((month) => month === asked) ?? kept[0] ?? '';
  const query = queries[kept.indexOf(chosen)];
  const known = queries.flatMap(({ data }) => data ?? []).toReversed();
  return (
    <Stack gap="lg">
      <Group align="end">
        <Select
          label={texts.month}
          data={kept.map((month) => ({ value: month, label: months.long(month) }))}
          value={chosen}
          onChange={(month) => month && setParams({ month }, { replace: true })}
          allowDeselect={false}
        />
        <Button component="a" href={fileOf(customerId, chosen)} download variant="default">
          {texts.download}
        </Button>
      </Group>
      {query && (
        <Loaded query={query}>
          {(month) => (month === null ? <Text className="empty">{texts.none}</Text> : <Month month={month} />)}
        </Loaded>
      )}
      {queries.every(({ isPending }) => !isPending) && known.length > 1 && <Compared months={known} />}
    </Stack>
  );
};

/** Falls, false alarms, answers and silence by month and room. */
export const ReportsPage = () => {
  const { reports: title } = useTexts();
  const texts = useReportTexts();
  return (
    <>
      <Head title={title} />
      <Text mb="md">{texts.explain}</Text>
      <OfCustomer>{(customerId) => <Reports customerId={customerId} />}</OfCustomer>
    </>
  );
};
