import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Link, useSearchParams } from 'wouter';
import { ok } from '#lib/client/problem.ts';
import type { ReportMonth } from '#openapi';
import { useAlarmTexts } from '../alarms/texts.ts';
import { api, apiUrl } from '../api/client.ts';
import { WithCustomer } from '../shell/with-customer.tsx';
import { useTexts } from '../texts/texts.tsx';
import { Head } from '../ui/head.tsx';
import { Loaded } from '../ui/states.tsx';
import { Compared } from './compared.tsx';
import { Month } from './month.tsx';
import { useMonths, useReportTexts } from './texts.ts';

/** The maximum number of months with stored data. */
const STORED_MONTHS = 5;

const monthBefore = (count: number): string => {
  const today = new Date();
  // Uses the first day, because not every month has every day.
  const month = new Date(Date.UTC(today.getFullYear(), today.getMonth() - count, 1));
  return month.toISOString().slice(0, 7);
};

/** Returns the months that may have stored data, newest first. */
const storedMonths = (): string[] => Array.from({ length: STORED_MONTHS }, (_, count) => monthBefore(count));

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
 * Returns the report queries for the stored months. The report is null for a month without data. Each month is a
 * separate request, so that a month with too many entries does not block the others. (`useQueries` would add to the
 * first load.)
 */
const useReports = (customerId: number, stored: readonly string[]) => [
  useReport(customerId, stored[0]),
  useReport(customerId, stored[1]),
  useReport(customerId, stored[2]),
  useReport(customerId, stored[3]),
  useReport(customerId, stored[4]),
];

/** Returns the URL from which the browser session can download a monthly report as a file. */
const fileOf = (customerId: number, month: string): string =>
  `${apiUrl}/customers/${customerId}/report.csv?from=${month}`;

const Reports = ({ customerId }: { customerId: number }) => {
  const texts = useReportTexts();
  const { audit } = useAlarmTexts();
  const months = useMonths();
  const [params, setParams] = useSearchParams();
  const stored = useMemo(storedMonths, []);
  const queries = useReports(customerId, stored);
  const requested = params.get('month');
  const chosen = stored.find((month) => month === requested) ?? stored[0] ?? '';
  const query = queries[stored.indexOf(chosen)];
  const reports = queries.flatMap(({ data }) => data ?? []).toReversed();
  return (
    <Stack gap="lg">
      <Group align="end">
        <Select
          label={texts.month}
          data={stored.map((month) => ({ value: month, label: months.long(month) }))}
          value={chosen}
          onChange={(month) => month && setParams({ month }, { replace: true })}
          allowDeselect={false}
        />
        <Button component="a" href={fileOf(customerId, chosen)} download variant="default">
          {texts.download}
        </Button>
        <Button component={Link} href={`/reports/audit?month=${chosen}`} variant="default">
          {audit.link}
        </Button>
      </Group>
      {query && (
        <Loaded query={query}>
          {(month) => (month === null ? <Text className="empty">{texts.none}</Text> : <Month month={month} />)}
        </Loaded>
      )}
      {queries.every(({ isPending }) => !isPending) && reports.length > 1 && <Compared months={reports} />}
    </Stack>
  );
};

/** The page with falls, false alarms, response times and offline periods by month and room. */
export const ReportsPage = () => {
  const { reports: title } = useTexts();
  const texts = useReportTexts();
  return (
    <>
      <Head title={title} />
      <Text mb="md">{texts.explain}</Text>
      <WithCustomer>{(customerId) => <Reports customerId={customerId} />}</WithCustomer>
    </>
  );
};
