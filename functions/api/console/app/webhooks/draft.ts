import type { Webhook, WebhookUpdate } from 'openapi';

/** What of a webhook somebody enters; the delays as text. */
export type WebhookDraft = Pick<Webhook, 'name' | 'url' | 'format' | 'isCustomerHook' | 'botId' | 'authMethod'> & {
  retries: string;
};

export const newWebhook = (isCustomerHook: boolean): WebhookDraft => ({
  ...{ name: '', url: '', format: 'full', isCustomerHook, botId: null, authMethod: 'bearer', retries: '' },
});

export const draftOf = ({ name, url, format, isCustomerHook, botId, authMethod, retrySchedule }: Webhook) => ({
  ...{ name, url, format, isCustomerHook, botId, authMethod },
  retries: retrySchedule?.join(', ') ?? '',
});

export const isGood = ({ retries }: WebhookDraft): boolean => /^\s*(\d+\s*(,\s*\d+\s*)*)?$/.test(retries);

/** The same as the service takes it. Without a secret: that stays as it is. */
export const updateOf = ({ retries, ...rest }: WebhookDraft, isEnabled: boolean): WebhookUpdate => ({
  ...rest,
  isEnabled,
  retrySchedule: retries.trim() === '' ? null : retries.split(',').map(Number),
});
