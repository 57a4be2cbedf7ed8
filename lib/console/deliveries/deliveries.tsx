import { Anchor, Badge, Button, Group, Paper, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useParams } from 'wouter';
import { ok } from '#lib/client/problem.ts';
import { api } from '../api/client.ts';
import { okPage } from '../api/pages.ts';
import { useDates, useTexts } from '../texts/texts.tsx';
import { Head } from '../ui/head.tsx';
import { useWebhookTexts } from '../webhooks/texts.ts';
import { useWebhook } from '../webhooks/webhook.tsx';
import { queryOf, useFilter } from './filter.ts';
import { Filters } from './filters.tsx';
import { Rows } from './rows.tsx';
import { StartReplay } from './start-replay.tsx';

/** Lists the running replays of a webhook, and the latest one that has ended. */
const Replays = ({ webhookId }: { webhookId: string }) => {
  const { deliveries: texts } = useTexts();
  const dates = useDates();
  const replays = useQuery({
    queryKey: ['replays', webhookId],
    queryFn: () => ok(api.GET('/webhooks/{webhookId}/replays', { params: { path: { webhookId } } })),
    refetchInterval: 5_000,
  });
  return replays.data?.[0]?.data.map(({ id, state, isPaused, createDate, sent, failed, total }) => (
    <Paper key={id} withBorder p="sm" mb="md">
      <Group gap="sm">
        <Anchor component={Link} href={`/replays/${webhookId}/${id}`}>
          {texts.replayOf(dates.exact(createDate))}
        </Anchor>
        <Badge color={state === 'running' ? 'cyan' : 'gray'}>
          {isPaused ? texts.paused : texts.replayState[state]}
        </Badge>
        <Text span>{texts.progress(sent, failed, total)}</Text>
      </Group>
    </Paper>
  ));
};

/** The page of the deliveries to one webhook, with a form to replay them. */
export const DeliveriesPage = () => {
  const { webhookId = '' } = useParams();
  const webhooks = useWebhookTexts();
  const { deliveries: texts } = useTexts();
  const webhook = useWebhook(webhookId);
  const [filter, change] = useFilter();
  const [isOpen, setOpen] = useState(false);
  const query = queryOf({ ...filter, sensor: null, event: null });
  const deliveries = useQuery({
    queryKey: ['deliveries', webhookId, query],
    queryFn: () => okPage(api.GET('/webhooks/{webhookId}/deliveries', { params: { path: { webhookId }, query } })),
    placeholderData: keepPreviousData,
    refetchInterval: 3_000,
  });
  const name = webhook.data?.name;
  return (
    <>
      <Head title={name ? `${texts.title}: ${name}` : texts.title} back={{ href: '/deliveries', label: texts.title }}>
        <Button component={Link} variant="default" href={`/webhooks/${webhookId}`}>
          {webhooks.open}
        </Button>
        <Button variant="default" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {texts.replay}
        </Button>
      </Head>
      <Replays webhookId={webhookId} />
      {isOpen && <StartReplay webhookId={webhookId} filter={filter} />}
      <Filters filter={{ ...filter, sensor: null, event: null }} change={change} />
      <Rows
        query={deliveries}
        onPage={(page) => change({ page })}
        isFiltered={filter.state !== null || filter.since !== null || filter.until !== null}
      />
    </>
  );
};
