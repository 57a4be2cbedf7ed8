import type { Webhook, WebhookUpdate } from 'openapi';

/** The fields of a webhook that the user enters; the retry schedule is text. */
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

/** Converts a draft to the body of an update. The secret is left out, so it stays unchanged. */
export const updateOf = ({ retries, ...rest }: WebhookDraft, isEnabled: boolean): WebhookUpdate => ({
  ...rest,
  isEnabled,
  retrySchedule: retries.trim() === '' ? null : retries.split(',').map(Number),
});
