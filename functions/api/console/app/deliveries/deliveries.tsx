import { Anchor, Button, Group, Select } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Delivery } from 'openapi';
import { useState } from 'react';
import { Link, useParams } from 'wouter';
import { api } from '../api/client.ts';
import { okPage } from '../api/problem.ts';
import { useDates, useTexts } from '../texts/texts.tsx';
import { Head } from '../ui/head.tsx';
import { List } from '../ui/list.tsx';
import { endOfMinute, TimeInput } from '../ui/time-input.tsx';
import { useWebhook } from '../webhooks/webhook.tsx';
import { type Filter, useFilter } from './filter.ts';
import { Replays } from './replays.tsx';
import { StartReplay } from './start-replay.tsx';
import { StateBadge } from './state.tsx';

type FilterProps = { filter: Filter; change: (part: Partial<Filter>) => void };

const Filters = ({ filter, change }: FilterProps) => {
  const { deliveries: texts } = useTexts();
  return (
    <Group align="end" mb="md">
      <Select
        label={texts.state}
        placeholder={texts.any}
        data={Object.entries(texts.states).map(([value, label]) => ({ value, label }))}
        value={filter.state}
        onChange={(state) => change({ state: state as Filter['state'] })}
        clearable
      />
      <TimeInput label={texts.since} value={filter.since} onChange={(since) => change({ since })} />
      <TimeInput label={texts.until} value={filter.until} onChange={(until) => change({ until })} />
    </Group>
  );
};

const Rows = ({ webhookId, filter, change }: FilterProps & { webhookId: string }) => {
  const { deliveries: texts } = useTexts();
  const dates = useDates();
  const { state, since, until, page } = filter;
  const query = {
    page,
    ...(state !== null && { state }),
    ...(since !== null && { since }),
    ...(until !== null && { until: endOfMinute(until) }),
  };
  const deliveries = useQuery({
    queryKey: ['deliveries', webhookId, query],
    queryFn: () => okPage(api.GET('/webhooks/{webhookId}/deliveries', { params: { path: { webhookId }, query } })),
    placeholderData: keepPreviousData,
    refetchInterval: 3_000,
  });
  return (
    <List<Delivery>
      label={texts.title}
      query={deliveries}
      keyOf={({ id }) => id}
      empty={texts.empty}
      onPage={(next) => change({ page: next })}
      columns={[
        {
          head: texts.time,
          cell: ({ id, createDate }) => (
            <Anchor component={Link} href={`/deliveries/${webhookId}/${id}`} inherit>
              {dates.exact(createDate)}
            </Anchor>
          ),
        },
        { head: texts.event, cell: ({ event }) => event },
        { head: texts.state, cell: (delivery) => <StateBadge state={delivery.state} /> },
        { head: texts.attempts, cell: ({ attempts }) => dates.number(attempts), isMinor: true },
        { head: texts.repeats, cell: ({ replayOf }) => (replayOf === null ? '' : '✓'), isMinor: true },
      ]}
    />
  );
};

export const DeliveriesPage = () => {
  const { webhookId = '' } = useParams();
  const { deliveries: texts, webhooks } = useTexts();
  const webhook = useWebhook(webhookId);
  const [filter, change] = useFilter();
  const [isOpen, setOpen] = useState(false);
  const name = webhook.data?.name;
  return (
    <>
      <Head title={name ? `${texts.title}: ${name}` : texts.title} back={{ href: '/deliveries', label: texts.title }}>
        <Button component={Link} variant="default" href={`/webhooks/${webhookId}`}>
          {webhooks.onward}
        </Button>
        <Button variant="default" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {texts.replay}
        </Button>
      </Head>
      <Replays webhookId={webhookId} />
      {isOpen && <StartReplay webhookId={webhookId} filter={filter} />}
      <Filters filter={filter} change={change} />
      <Rows webhookId={webhookId} filter={filter} change={change} />
    </>
  );
};
