import { Button } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Webhook } from 'openapi';
import { useState } from 'react';
import { Link } from 'wouter';
import { api } from '../api/client.ts';
import { ok } from '../api/problem.ts';
import { OfCustomer } from '../shell/of-customer.tsx';
import { useTexts } from '../texts/texts.tsx';
import { Head } from '../ui/head.tsx';
import { List } from '../ui/list.tsx';
import { Name, NameLink } from '../ui/name.tsx';
import { Search } from '../ui/search.tsx';
import { StateBadge } from './state.tsx';

const Webhooks = ({ customerId }: { customerId: number }) => {
  const { webhooks: texts, setup } = useTexts();
  const [page, setPage] = useState(0);
  const [typed, setTyped] = useState('');
  const [searchText] = useDebouncedValue(typed, 250);
  const query = { customerId, page, searchText };
  const webhooks = useQuery({
    queryKey: ['webhooks', query],
    queryFn: () => ok(api.GET('/webhooks', { params: { query } })),
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  });
  const look = (text: string) => {
    setTyped(text);
    setPage(0);
  };
  return (
    <>
      <Search value={typed} onChange={look} />
      <List<Webhook>
        label={texts.title}
        query={webhooks}
        keyOf={({ id }) => id}
        empty={searchText === '' ? texts.empty : texts.notFound}
        onPage={setPage}
        columns={[
          { head: setup.name, cell: ({ id, name }) => <NameLink href={`/webhooks/${id}`}>{name}</NameLink> },
          { head: texts.url, cell: ({ url }) => <Name>{url}</Name>, isMinor: true },
          { head: texts.format, cell: ({ format }) => texts.formats[format], isMinor: true },
          { head: setup.state, cell: (webhook) => <StateBadge webhook={webhook} /> },
        ]}
      />
    </>
  );
};

export const WebhooksPage = () => {
  const { webhooks: texts } = useTexts();
  return (
    <>
      <Head title={texts.title}>
        <Button component={Link} href="/webhooks/new">
          {texts.create}
        </Button>
      </Head>
      <OfCustomer>{(customerId) => <Webhooks customerId={customerId} />}</OfCustomer>
    </>
  );
};
