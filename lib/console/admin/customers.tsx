import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Customer } from '#openapi';
import { useMe } from '../session/session.tsx';
import { customersQuery } from '../shell/customer.tsx';
import { useDates, useTexts } from '../texts/texts.tsx';
import { Head } from '../ui/head.tsx';
import { List } from '../ui/list.tsx';
import { Name, NameLink } from '../ui/name.tsx';
import { Search } from '../ui/search.tsx';
import { ExistingCustomer } from './customer.tsx';
import { useAdminTexts } from './texts.ts';

const PER_PAGE = 30;

/** Lists all customers. The API returns them all at once; the list is paged here. */
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
          { head: texts.location, cell: ({ location }) => <Name>{location}</Name>, isMinor: true },
          { head: setup.created, cell: ({ createDate }) => dates.dateTime(createDate), isMinor: true },
        ]}
      />
    </>
  );
};

/** The page of all customers for system admins; other users see their own customer. */
export const CustomersPage = () => {
  const { isAdmin, customerId } = useMe();
  return isAdmin || customerId === null ? <Customers /> : <ExistingCustomer customerId={customerId} />;
};
