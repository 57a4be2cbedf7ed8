import { Alert, Button, Group, Select, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { okPage } from '../api/pages.ts';
import { useDeliveryTexts } from '../deliveries/texts.ts';
import { useMe } from '../session/session.tsx';
import { WithCustomer } from '../shell/with-customer.tsx';
import { useDates, useTexts } from '../texts/texts.tsx';
import { Head } from '../ui/head.tsx';
import { TimeInput } from '../ui/time-input.tsx';
import { type FilterProps, queryOf, useFilter } from './filter.ts';
import { Rows } from './rows.tsx';
import { useAuditTexts } from './texts.ts';

const optionsOf = (texts: Readonly<Record<string, string>>) =>
  Object.entries(texts).map(([value, label]) => ({ value, label }));

const Filters = ({ filter, change }: FilterProps) => {
  const deliveries = useDeliveryTexts();
  const texts = useAuditTexts();
  const isNarrowed = filter.object !== null || filter.actor !== null || filter.of !== null;
  return (
    <Group align="end" mb="md">
      <Select
        label={texts.object}
        placeholder={deliveries.any}
        data={optionsOf(texts.kinds)}
        value={filter.kind}
        onChange={(kind) => change({ kind, object: null })}
        clearable
      />
      <Select
        label={texts.result}
        placeholder={deliveries.any}
        data={optionsOf(texts.results)}
        value={filter.refused}
        onChange={(refused) => change({ refused })}
        clearable
      />
      <TimeInput label={deliveries.since} value={filter.since} onChange={(since) => change({ since })} />
      <TimeInput label={deliveries.until} value={filter.until} onChange={(until) => change({ until })} />
      {isNarrowed && (
        <Button variant="default" onClick={() => change({ object: null, kind: null, actor: null, of: null })}>
          {deliveries.showAll}
        </Button>
      )}
    </Group>
  );
};

/** Returns the time (ms) in an entry id. */
const timeOf = (id: string): number => Number(id.slice(0, 14));

/** If only part of the log was searched, shows how far back the search went, with a button to continue from there. */
const Unsearched = ({ after, change }: Pick<FilterProps, 'change'> & { after: string | null }) => {
  const texts = useAuditTexts();
  const dates = useDates();
  if (after === null) return null;
  return (
    <Alert mt="md" color="yellow" role="status">
      <Stack align="start">
        {texts.unsearched(dates.exact(timeOf(after)))}
        <Button variant="default" onClick={() => change({ after })}>
          {texts.searchOlder}
        </Button>
      </Stack>
    </Alert>
  );
};

const Lines = ({ customerId, filter, change }: FilterProps & { customerId: number }) => {
  const texts = useAuditTexts();
  const params = { path: { customerId }, query: queryOf(filter, Object.keys(texts.kinds)) };
  const lines = useQuery({
    queryKey: ['audit', params],
    queryFn: () => okPage(api.GET('/customers/{customerId}/audit', { params })),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <Filters filter={filter} change={change} />
      <Rows query={lines} change={change} />
      <Unsearched after={lines.data?.[0]?.after ?? null} change={change} />
    </>
  );
};

/** A customer's audit page. System admins also see entries that belong to no customer. */
export const AuditPage = () => {
  const { changes: title } = useTexts();
  const { explain } = useAuditTexts();
  const { isAdmin } = useMe();
  const [filter, change] = useFilter();
  return (
    <>
      <Head title={title} />
      <Text mb="md">{explain}</Text>
      {isAdmin && filter.of === 'none' ? (
        <Lines customerId={0} filter={filter} change={change} />
      ) : (
        <WithCustomer>{(customerId) => <Lines customerId={customerId} filter={filter} change={change} />}</WithCustomer>
      )}
    </>
  );
};
