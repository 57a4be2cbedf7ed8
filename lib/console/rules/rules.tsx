import { Badge, Button } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { ok } from '#lib/client/problem.ts';
import type { Rule } from '#openapi';
import { api } from '../api/client.ts';
import { ImportLink } from '../imports/imports.tsx';
import { useCan } from '../session/session.tsx';
import { WithCustomer } from '../shell/with-customer.tsx';
import { useDates, useTexts } from '../texts/texts.tsx';
import { Head } from '../ui/head.tsx';
import { useListState } from '../ui/list-state.ts';
import { NameLink } from '../ui/name.tsx';
import { SearchedList } from '../ui/searched-list.tsx';
import { CopyRule } from './copy-rule.tsx';

type RuleSort = 'asc(name)' | 'desc(name)' | 'asc(updateDate)' | 'desc(updateDate)';

const OnOff = ({ isOn }: { isOn: boolean }) => {
  const { setup } = useTexts();
  return <Badge color={isOn ? 'green' : 'gray'}>{isOn ? setup.on : setup.off}</Badge>;
};

const Rules = ({ customerId }: { customerId: number }) => {
  const { rules: texts, setup, situations, sensors } = useTexts();
  const can = useCan();
  const dates = useDates();
  const listState = useListState<RuleSort>('asc(name)');
  const query = { ...listState.query, customerId };
  const rules = useQuery({
    queryKey: ['rules', query],
    queryFn: () => ok(api.GET('/rules', { params: { query } })),
    placeholderData: keepPreviousData,
  });
  return (
    <SearchedList<Rule>
      label={texts.title}
      query={rules}
      rowKey={({ id }) => id}
      empty={texts.empty}
      listState={listState}
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
        ...(can('manage_rules')
          ? [{ head: sensors.more, cell: (rule: Rule) => <CopyRule rule={rule} isInList />, isMinor: true } as const]
          : []),
      ]}
    />
  );
};

export const RulesPage = () => {
  const { rules: texts } = useTexts();
  const can = useCan();
  return (
    <>
      <Head title={texts.title}>
        <ImportLink kind="rules" />
        {can('manage_rules') && (
          <Button component={Link} href="/rules/new">
            {texts.create}
          </Button>
        )}
      </Head>
      <WithCustomer>{(customerId) => <Rules customerId={customerId} />}</WithCustomer>
    </>
  );
};
