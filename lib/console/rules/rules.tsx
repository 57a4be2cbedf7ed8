import { Badge, Button } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { ok } from '#lib/client/problem.ts';
import type { Rule } from '#openapi';
import { api } from '../api/client.ts';
import { useMay } from '../session/session.tsx';
import { OfCustomer } from '../shell/of-customer.tsx';
import { useDates, useTexts } from '../texts/texts.tsx';
import { Head } from '../ui/head.tsx';
import { useLooking } from '../ui/looking.ts';
import { NameLink } from '../ui/name.tsx';
import { SearchedList } from '../ui/searched-list.tsx';

type RuleSort = 'asc(name)' | 'desc(name)' | 'asc(updateDate)' | 'desc(updateDate)';

const OnOff = ({ isOn }: { isOn: boolean }) => {
  const { setup } = useTexts();
  return (
    <Badge variant="light" color={isOn ? 'green' : 'gray'}>
      {isOn ? setup.on : setup.off}
    </Badge>
  );
};

const Rules = ({ customerId }: { customerId: number }) => {
  const { rules: texts, setup, situations } = useTexts();
  const dates = useDates();
  const looking = useLooking<RuleSort>('asc(name)');
  const query = { ...looking.query, customerId };
  const rules = useQuery({
    queryKey: ['rules', query],
    queryFn: () => ok(api.GET('/rules', { params: { query } })),
    placeholderData: keepPreviousData,
  });
  return (
    <SearchedList<Rule>
      label={texts.title}
      query={rules}
      keyOf={({ id }) => id}
      empty={texts.empty}
      looking={looking}
      notFound={texts.notFound}
      columns={[
        {
          head: setup.name,
          sortBy: 'name',
          cell: ({ id, name }) => <NameLink href={`/rules/${id}`}>{name}</NameLink>,
        },
        { head: texts.situation, cell: ({ situation }) => situations[situation] },
        { head: setup.state, cell: ({ isEnabled }) => <OnOff isOn={isEnabled} /> },
        {
          head: setup.changed,
          sortBy: 'updateDate',
          cell: ({ updateDate }) => dates.dateTime(updateDate),
          isMinor: true,
        },
      ]}
    />
  );
};

export const RulesPage = () => {
  const { rules: texts } = useTexts();
  const may = useMay();
  return (
    <>
      <Head title={texts.title}>
        {may('manage_rules') && (
          <Button component={Link} href="/rules/new">
            {texts.create}
          </Button>
        )}
      </Head>
      <OfCustomer>{(customerId) => <Rules customerId={customerId} />}</OfCustomer>
    </>
  );
};
