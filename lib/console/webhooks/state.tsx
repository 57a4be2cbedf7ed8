import { Badge } from '@mantine/core';
import type { Webhook } from '#openapi';
import { useWebhookTexts } from './texts.ts';

const stateOf = (webhook: Webhook) => {
  if (!webhook.isEnabled) return 'off';
  return webhook.health.consecutiveFailures > 0 ? 'failing' : 'healthy';
};
const colours = { off: 'gray', failing: 'red', healthy: 'green' };

export const StateBadge = ({ webhook }: { webhook: Webhook }) => {
  const texts = useWebhookTexts();
  const state = stateOf(webhook);
  return <Badge color={colours[state]}>{texts.state[state]}</Badge>;
};
