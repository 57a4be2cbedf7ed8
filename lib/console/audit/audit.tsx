import { Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { okPage } from '../api/pages.ts';
import { useMe } from '../session/session.tsx';
import { OfCustomer } from '../shell/of-customer.tsx';
import { useTexts } from '../texts/texts.tsx';
import { Head } from '../ui/head.tsx';
import { type FilterProps, queryOf, useFilter } from './filter.ts';
import { Filters } from './filters.tsx';
import { Rows } from './rows.tsx';
import { useAuditTexts } from './texts.ts';

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
    </>
  );
};

/** The page of who changed what in a customer; for system admins also in none. */
export const AuditPage = () => {
  const { changes: title } = useTexts();
  const { explain } = useAuditTexts();
  const { isAdmin } = useMe();
  const [filter, change] = useFilter();
  const shown = { filter, change };
  return (
    <>
      <Head title={title} />
      <Text mb="md">{explain}</Text>
      {isAdmin && filter.of === 'none' ? (
        <Lines customerId={0} {...shown} />
      ) : (
        <OfCustomer>{(customerId) => <Lines customerId={customerId} {...shown} />}</OfCustomer>
      )}
    </>
  );
};
