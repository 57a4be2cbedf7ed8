import { Badge, Group, List, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Webhook } from '#openapi';
import { managers } from '../session/permissions.ts';
import { useCan } from '../session/session.tsx';
import { useDates, useTexts } from '../texts/texts.tsx';
import { NameLink } from '../ui/name.tsx';
import { useNow } from '../ui/now.ts';
import { Panel } from '../ui/panel.tsx';
import { Loaded } from '../ui/states.tsx';
import { webhooksQuery } from './watch-queries.ts';

const isFailing = ({ isEnabled, disabledReason, health }: Webhook): boolean =>
  health.consecutiveFailures > 0 || (!isEnabled && disabledReason !== null);

const FailingWebhook = ({ webhook: { id, name, isEnabled, health } }: { webhook: Webhook }) => {
  const { overview: texts } = useTexts();
  const dates = useDates();
  const now = useNow();
  return (
    <List.Item>
      <Group gap="xs">
        <NameLink href={`/webhooks/${id}`}>{name}</NameLink>
        {!isEnabled && <Badge color="red">{texts.disabled}</Badge>}
        <Text size="sm">{texts.failures(health.consecutiveFailures)}</Text>
        {health.failingSince !== null && <Text size="sm">{dates.ago(health.failingSince, now)}</Text>}
      </Group>
    </List.Item>
  );
};

const Webhooks = ({ customerId }: { customerId: number }) => {
  const { overview: texts } = useTexts();
  const webhooks = useQuery(webhooksQuery(customerId));
  return (
    <Loaded query={webhooks}>
      {(webhooks) => {
        const failing = webhooks.filter(isFailing);
        if (failing.length === 0) return <Text>{texts.noFailing}</Text>;
        return (
          <List>
            {failing.map((webhook) => (
              <FailingWebhook key={webhook.id} webhook={webhook} />
            ))}
          </List>
        );
      }}
    </Loaded>
  );
};

/** Lists the failing webhooks, for users who can see webhooks. */
export const Failing = ({ customerId }: { customerId: number }) => {
  const { overview: texts } = useTexts();
  const can = useCan();
  if (!can(managers)) return null;
  return (
    <Panel title={texts.failing}>
      <Webhooks customerId={customerId} />
    </Panel>
  );
};
