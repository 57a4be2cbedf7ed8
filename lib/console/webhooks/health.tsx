import { Code, Paper, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ok } from '#lib/client/problem.ts';
import type { Webhook } from '#openapi';
import { api, feedUrlOf } from '../api/client.ts';
import { useDates, useTexts } from '../texts/texts.tsx';
import { useNow } from '../ui/now.ts';
import { StateBadge } from './state.tsx';
import { useWebhookTexts } from './texts.ts';

const useCircuit = (webhookId: string) =>
  useQuery({
    queryKey: ['webhook', webhookId, 'circuit'],
    queryFn: () => ok(api.GET('/webhooks/{webhookId}/circuit', { params: { path: { webhookId } } })),
    refetchInterval: 5_000,
    gcTime: 0,
  });

/** Shows the receiver health and the circuit breaker state. */
export const Health = ({ webhook }: { webhook: Webhook }) => {
  const texts = useWebhookTexts();
  const { never } = useTexts();
  const dates = useDates();
  const now = useNow();
  const { consecutiveFailures, failingSince, lastSuccess } = webhook.health;
  const isFetched = webhook.url === null;
  const { data: circuit } = useCircuit(webhook.id);
  return (
    <Paper component="section" aria-label={texts.health} withBorder p="md">
      <Title order={2} size="h3" mb="sm">
        {texts.health} <StateBadge webhook={webhook} />
      </Title>
      {webhook.disabledReason !== null && (
        <Text mb="sm">{texts.disabledBy(texts.reasons[webhook.disabledReason] ?? webhook.disabledReason)}</Text>
      )}
      {isFetched && (
        <Text mb="sm" size="sm">
          {texts.fetchFrom} <Code>{feedUrlOf(webhook.id)}</Code>
        </Text>
      )}
      <dl className="facts">
        <dt>{isFetched ? texts.lastFetch : texts.lastSuccess}</dt>
        <dd>{lastSuccess === null ? never : dates.ago(lastSuccess, now)}</dd>
        {!isFetched && (
          <>
            <dt>{texts.failures}</dt>
            <dd>{dates.number(consecutiveFailures)}</dd>
          </>
        )}
        {failingSince !== null && (
          <>
            <dt>{isFetched ? texts.noFetchSince : texts.failingSince}</dt>
            <dd>{dates.exact(failingSince)}</dd>
          </>
        )}
        {!isFetched && circuit && (
          <>
            <dt>{texts.circuit}</dt>
            <dd>
              {texts.circuits[circuit.state]}{' '}
              {circuit.openUntil !== null && texts.nextRetry(dates.ago(circuit.openUntil, now))}
            </dd>
          </>
        )}
      </dl>
    </Paper>
  );
};
