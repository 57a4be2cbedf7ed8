import { Paper, Text, Title } from '@mantine/core';
import type { Webhook } from 'openapi';
import { useDates, useTexts } from '../texts/texts.tsx';
import { useNow } from '../ui/now.ts';
import { isOpen, StateBadge } from './state.tsx';

/** How a receiver is doing, and what the service does about it. */
export const Health = ({ webhook }: { webhook: Webhook }) => {
  const { webhooks: texts, never } = useTexts();
  const dates = useDates();
  const now = useNow();
  const { consecutiveFailures, failingSince, lastSuccess } = webhook.health;
  return (
    <Paper component="section" aria-label={texts.health} withBorder p="md">
      <Title order={2} size="h3" mb="sm">
        {texts.health} <StateBadge webhook={webhook} />
      </Title>
      {webhook.disabledReason !== null && (
        <Text mb="sm">{texts.disabledBy(texts.reasons[webhook.disabledReason] ?? webhook.disabledReason)}</Text>
      )}
      <dl className="facts">
        <dt>{texts.lastSuccess}</dt>
        <dd>{lastSuccess === null ? never : dates.ago(lastSuccess, now)}</dd>
        <dt>{texts.failures}</dt>
        <dd>{dates.number(consecutiveFailures)}</dd>
        {failingSince !== null && (
          <>
            <dt>{texts.failingSince}</dt>
            <dd>{dates.exact(failingSince)}</dd>
          </>
        )}
        <dt>{texts.circuit}</dt>
        <dd>{isOpen(webhook) ? texts.open : texts.closed}</dd>
      </dl>
    </Paper>
  );
};
