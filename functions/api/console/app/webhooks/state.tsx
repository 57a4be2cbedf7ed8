import { Badge } from '@mantine/core';
import type { Webhook } from 'openapi';
import { useTexts } from '../texts/texts.tsx';

/** Failures in a row at which the service opens the circuit of a webhook (section "Circuit breaker" of the README). */
const OPENS_AT = 10;

export const isOpen = ({ health }: Pick<Webhook, 'health'>): boolean => health.consecutiveFailures >= OPENS_AT;

const stateOf = (webhook: Webhook) => {
  if (!webhook.isEnabled) return 'off';
  if (isOpen(webhook)) return 'resting';
  return webhook.health.consecutiveFailures > 0 ? 'failing' : 'well';
};
const colours = { off: 'gray', resting: 'red', failing: 'orange', well: 'green' };

/** How a webhook is doing, in a word. */
export const StateBadge = ({ webhook }: { webhook: Webhook }) => {
  const { webhooks: texts } = useTexts();
  const state = stateOf(webhook);
  return (
    <Badge variant="light" color={colours[state]}>
      {texts.state[state]}
    </Badge>
  );
};
