import { Alert, Anchor, Button, Paper, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { ok } from '#lib/client/problem.ts';
import type { Webhook } from '#openapi';
import { api } from '../api/client.ts';
import { useWrite } from '../api/write.ts';
import { Phases } from '../deliveries/phases.tsx';
import { useDeliveryTexts } from '../deliveries/texts.ts';
import { Code } from '../ui/code.tsx';
import { useWebhookTexts } from './texts.ts';

type TestResultProps = { webhookId: string; deliveryId: string; isPosted: boolean };
const TestResult = ({ webhookId, deliveryId, isPosted }: TestResultProps) => {
  const texts = useWebhookTexts();
  const deliveries = useDeliveryTexts();
  const path = { webhookId, deliveryId };
  const delivery = useQuery({
    queryKey: ['delivery', deliveryId],
    queryFn: () => ok(api.GET('/webhooks/{webhookId}/deliveries/{deliveryId}', { params: { path } })),
    refetchInterval: ({ state }) => (state.data?.attemptLog.length ? false : 500),
  });
  const attempt = delivery.data?.attemptLog.at(-1);
  if (!attempt) return <Text role="status">{isPosted ? texts.sendingTest : texts.testPending}</Text>;
  const { status, error, durationMs, responseBody } = attempt;
  const isFetched = status === null && error === null;
  const isSuccess = isFetched || (status !== null && status >= 200 && status < 300);
  const outcome = (): string => {
    if (error !== null) return texts.noResponse(deliveries.errors[error] ?? error, durationMs);
    return status === null ? texts.testFetched : texts.response(status, durationMs);
  };
  return (
    <Stack gap="sm">
      <Alert color={isSuccess ? 'green' : 'red'} role="status">
        {outcome()}
      </Alert>
      {!isFetched && <Phases attempt={attempt} />}
      {responseBody !== '' && <Code label={texts.responseBody}>{responseBody}</Code>}
      <Anchor component={Link} href={`/deliveries/${webhookId}/${deliveryId}`}>
        {deliveries.delivery}
      </Anchor>
    </Stack>
  );
};

/** Sends a test to a webhook and shows the receiver's response. */
export const Ping = ({ webhook: { id, url, isEnabled } }: { webhook: Webhook }) => {
  const texts = useWebhookTexts();
  const [deliveryId, setDeliveryId] = useState<string | null>(null);
  const ping = useWrite({
    send: () => ok(api.POST('/webhooks/{webhookId}/test', { params: { path: { webhookId: id } } })),
    refresh: [['webhook', id]],
    onDone: (sent) => setDeliveryId(sent.deliveryId),
  });
  return (
    <Paper component="section" aria-label={texts.sendTest} withBorder p="md">
      <Stack>
        <div>
          <Button onClick={() => ping.mutate()} loading={ping.isPending} disabled={!isEnabled}>
            {texts.sendTest}
          </Button>
        </div>
        {deliveryId !== null && (
          <TestResult key={deliveryId} webhookId={id} deliveryId={deliveryId} isPosted={url !== null} />
        )}
      </Stack>
    </Paper>
  );
};
