import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { ok } from '#lib/client/problem.ts';
import type { Customer, CustomerState } from '#openapi';
import { api } from '../api/client.ts';
import { useMe } from '../session/session.tsx';
import { customersQuery } from '../shell/customer.tsx';
import { useDates, useTexts } from '../texts/texts.tsx';
import { Head } from '../ui/head.tsx';
import { List } from '../ui/list.tsx';
import { Name, NameLink } from '../ui/name.tsx';
import { Search } from '../ui/search.tsx';
import { State } from '../ui/state.tsx';
import { ExistingCustomer } from './customer.tsx';
import { useAdminTexts } from './texts.ts';

/** The maximum number of customers whose states the API returns in one response. */
const PER_PAGE = 30;
const REFETCH_MS = 60_000;

/** Returns the open alarms and gaps for the given customers, by id. Only system admins may read them. */
const useStates = (ids: readonly number[]): ReadonlyMap<number, CustomerState> => {
  const { isAdmin } = useMe();
  const customerIds = ids.join(',');
  const { data = [] } = useQuery({
    queryKey: ['customers', 'states', customerIds],
    queryFn: () => ok(api.GET('/customers/states', { params: { query: { customerIds } } })),
    enabled: isAdmin && ids.length > 0,
    refetchInterval: REFETCH_MS,
  });
  return new Map(data.map((state) => [state.customerId, state]));
};

/** A number that stands out unless it is 0. Empty while unknown. */
const Count = ({ value }: { value: number | undefined }) => {
  if (value === undefined) return null;
  return value === 0 ? '0' : <State kind="offline">{value}</State>;
};

/** Lists all customers. The API returns them all at once, so the list is paged here. */
const Customers = () => {
  const texts = useAdminTexts();
  const { setup, titles } = useTexts();
  const dates = useDates();
  const [page, setPage] = useState(0);
  const [text, setText] = useState('');
  const customers = useQuery(customersQuery);
  const found = (customers.data ?? []).filter(({ name, location }) =>
    `${name}\n${location}`.toLowerCase().includes(text.toLowerCase()),
  );
  const data = found.slice(page * PER_PAGE, (page + 1) * PER_PAGE);
  const states = useStates(data.map(({ id }) => id));
  const paged = customers.data && [{ total: found.length, page, perPage: PER_PAGE, data }];
  const search = (next: string) => {
    setText(next);
    setPage(0);
  };
  return (
    <>
      <Head title={titles.customers}>
        <Button component={Link} href="/customers/new">
          {setup.newCustomer}
        </Button>
      </Head>
      <Search value={text} onChange={search} />
      <List<Customer>
        label={titles.customers}
        query={{ ...customers, data: paged } as Parameters<typeof List<Customer>>[0]['query']}
        rowKey={({ id }) => id}
        empty={texts.noCustomers}
        onPage={setPage}
        columns={[
          { head: setup.name, cell: ({ id, name }) => <NameLink href={`/customers/${id}`}>{name}</NameLink> },
          {
            head: texts.openAlarms,
            cell: ({ id }) => <Count value={states.get(id)?.openAlarms} />,
          },
          {
            head: texts.gaps,
            cell: ({ id }) => <Count value={states.get(id)?.gaps} />,
          },
          { head: texts.location, cell: ({ location }) => <Name>{location}</Name>, isMinor: true },
          { head: setup.created, cell: ({ createDate }) => dates.dateTime(createDate), isMinor: true },
        ]}
      />
    </>
  );
};

/** The customer list for system admins. Other users see their own customer. */
export const CustomersPage = () => {
  const { isAdmin, customerId } = useMe();
  return isAdmin || customerId === null ? <Customers /> : <ExistingCustomer customerId={customerId} />;
};
