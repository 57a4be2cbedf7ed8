import { Button } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { ok } from '#lib/client/problem.ts';
import type { Webhook } from '#openapi';
import { api } from '../api/client.ts';
import { WithCustomer } from '../shell/with-customer.tsx';
import { useTexts } from '../texts/texts.tsx';
import { Head } from '../ui/head.tsx';
import { useListState } from '../ui/list-state.ts';
import { Name, NameLink } from '../ui/name.tsx';
import { SearchedList } from '../ui/searched-list.tsx';
import { StateBadge } from './state.tsx';
import { useWebhookTexts } from './texts.ts';

const Webhooks = ({ customerId }: { customerId: number }) => {
  const texts = useWebhookTexts();
  const { setup, titles } = useTexts();
  const listState = useListState<'asc(name)' | 'desc(name)'>('asc(name)');
  const query = { ...listState.query, customerId };
  const webhooks = useQuery({
    queryKey: ['webhooks', query],
    queryFn: () => ok(api.GET('/webhooks', { params: { query } })),
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  });
  return (
    <SearchedList<Webhook>
      label={titles.webhooks}
      query={webhooks}
      rowKey={({ id }) => id}
      empty={texts.empty}
      listState={listState}
      notFound={texts.notFound}
      columns={[
        {
          head: setup.name,
          sortBy: 'name',
          cell: ({ id, name }) => <NameLink href={`/webhooks/${id}`}>{name}</NameLink>,
        },
        { head: texts.url, cell: ({ url }) => <Name>{url ?? texts.fetched}</Name>, isMinor: true },
        { head: texts.format, cell: ({ format }) => texts.formats[format], isMinor: true },
        { head: setup.state, cell: (webhook) => <StateBadge webhook={webhook} /> },
      ]}
    />
  );
};

export const WebhooksPage = () => {
  const texts = useWebhookTexts();
  const { titles } = useTexts();
  return (
    <>
      <Head title={titles.webhooks}>
        <Button component={Link} href="/webhooks/new">
          {texts.create}
        </Button>
      </Head>
      <WithCustomer>{(customerId) => <Webhooks customerId={customerId} />}</WithCustomer>
    </>
  );
};
