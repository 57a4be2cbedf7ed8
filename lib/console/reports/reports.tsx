import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { useMemo } from 'react';
import { useSearchParams } from 'wouter';
import { OfCustomer } from '../shell/of-customer.tsx';
import { useTexts } from '../texts/texts.tsx';
import { Head } from '../ui/head.tsx';
import { Loaded } from '../ui/states.tsx';
import { Compared } from './compared.tsx';
import { Month } from './month.tsx';
import { fileOf, keptMonths, useReports } from './queries.ts';
import { useMonths, useReportTexts } from './texts.ts';

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
