import { Anchor, Badge, Button, Group, Paper, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useParams } from 'wouter';
import { ok } from '#lib/client/problem.ts';
import { api } from '../api/client.ts';
import { okPage } from '../api/pages.ts';
import { useCustomer } from '../shell/customer.tsx';
import { useDates, useTexts } from '../texts/texts.tsx';
import { Head } from '../ui/head.tsx';
import { useWebhookTexts } from '../webhooks/texts.ts';
import { useWebhook } from '../webhooks/webhook.tsx';
import { DeliveryList } from './delivery-list.tsx';
import { StartReplay } from './start-replay.tsx';
import { useDeliveryTexts } from './texts.ts';
import { useFilter } from './use-filter.ts';

/** Lists the running replays for a webhook, and the replay that ended most recently. */
const Replays = ({ webhookId }: { webhookId: string }) => {
  const texts = useDeliveryTexts();
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

/** The page for deliveries to one webhook, with a form to replay them. */
export const DeliveriesPage = () => {
  const { webhookId = '' } = useParams();
  const webhooks = useWebhookTexts();
  const { titles } = useTexts();
  const texts = useDeliveryTexts();
  const { customerId } = useCustomer();
  const webhook = useWebhook(webhookId);
  const { filter, change } = useFilter();
  const [isOpen, setOpen] = useState(false);
  const name = webhook.data?.name;
  const title = titles.deliveries;
  return (
    <>
      <Head title={name ? `${title}: ${name}` : title} back={{ href: '/deliveries', label: title }}>
        <Button component={Link} variant="default" href={`/webhooks/${webhookId}`}>
          {webhooks.open}
        </Button>
        <Button variant="default" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {texts.replay}
        </Button>
      </Head>
      <Replays webhookId={webhookId} />
      {isOpen && <StartReplay webhookId={webhookId} filter={filter} />}
      <DeliveryList
        filter={{ ...filter, sensor: null, event: null }}
        change={change}
        customerId={customerId}
        webhookId={webhookId}
        read={(query) =>
          okPage(api.GET('/webhooks/{webhookId}/deliveries', { params: { path: { webhookId }, query } }))
        }
        refetchInterval={3_000}
      />
    </>
  );
};
