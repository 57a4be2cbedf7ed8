import { Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Webhook } from 'openapi';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { ok } from '../api/problem.ts';
import { OfCustomer } from '../shell/of-customer.tsx';
import { useTexts } from '../texts/texts.tsx';
import { Head } from '../ui/head.tsx';
import { List } from '../ui/list.tsx';
import { Name, NameLink } from '../ui/name.tsx';
import { StateBadge } from '../webhooks/state.tsx';

const Webhooks = ({ customerId }: { customerId: number }) => {
  const { deliveries: texts, webhooks, setup } = useTexts();
  const [page, setPage] = useState(0);
  const query = { customerId, page };
  const found = useQuery({
    queryKey: ['webhooks', query],
    queryFn: () => ok(api.GET('/webhooks', { params: { query } })),
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  });
  return (
    <List<Webhook>
      label={webhooks.title}
      query={found}
      keyOf={({ id }) => id}
      empty={texts.none}
      onPage={setPage}
      columns={[
        { head: setup.name, cell: ({ id, name }) => <NameLink href={`/deliveries/${id}`}>{name}</NameLink> },
        { head: webhooks.url, cell: ({ url }) => <Name>{url}</Name>, isMinor: true },
        { head: setup.state, cell: (webhook) => <StateBadge webhook={webhook} /> },
      ]}
    />
  );
};

/** The page on which a webhook is chosen, whose deliveries are then listed. */
export const ChooseWebhookPage = () => {
  const { deliveries: texts } = useTexts();
  return (
    <>
      <Head title={texts.title} />
      <Text mb="md">{texts.choose}</Text>
      <OfCustomer>{(customerId) => <Webhooks customerId={customerId} />}</OfCustomer>
    </>
  );
};
