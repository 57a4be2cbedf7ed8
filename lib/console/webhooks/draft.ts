import type { Webhook, WebhookUpdate } from '#openapi';

type Filters = Pick<Webhook, 'eventTypes' | 'situations' | 'sensorGroupId'>;
/**
 * The webhook fields that the user enters. The retry schedule is text. A webhook whose deliveries are fetched has no
 * URL.
 */
export type WebhookDraft = Pick<Webhook, 'name' | 'format' | 'isCustomerHook' | 'botId' | 'authMethod'> &
  Filters & { url: string; isFetched: boolean; retries: string };

export const NO_FILTERS: Filters = { eventTypes: null, situations: null, sensorGroupId: null };

type Format = Webhook['format'];
const audiences = {
  full: 'all',
  raw: 'all',
  custom1: 'bots',
  chat: 'chats',
  teams: 'chats',
} as const satisfies Record<Format, 'all' | 'bots' | 'chats'>;

/** Whether only bot webhooks can have this format. */
export const isForBots = (format: Format): boolean => audiences[format] !== 'all';

/**
 * Whether this is a chat format. Chat services identify the sender by the URL alone, and some reject requests with a
 * token.
 */
export const isForChat = (format: Format): boolean => audiences[format] === 'chats';

/** Returns the draft changes needed to switch to another format, including the authentication if necessary. */
export const changeFormat = ({ format: previous, authMethod }: WebhookDraft, format: Format): Partial<WebhookDraft> => {
  if (isForChat(format)) return { format, authMethod: 'none' };
  return { format, authMethod: isForChat(previous) ? 'bearer' : authMethod };
};

export const newWebhook = (isCustomerHook: boolean): WebhookDraft => ({
  name: '',
  url: '',
  isFetched: false,
  format: 'full',
  isCustomerHook,
  botId: null,
  authMethod: 'bearer',
  retries: '',
  ...NO_FILTERS,
});

export const draftOf = (webhook: Webhook): WebhookDraft => {
  const { name, format, isCustomerHook, botId, authMethod, eventTypes, situations, sensorGroupId } = webhook;
  return {
    name,
    format,
    isCustomerHook,
    botId,
    authMethod,
    eventTypes,
    situations,
    sensorGroupId,
    url: webhook.url ?? '',
    isFetched: webhook.url === null,
    retries: webhook.retrySchedule?.join(', ') ?? '',
  };
};

export const hasValidRetries = ({ retries }: WebhookDraft): boolean => /^\s*(\d+\s*(,\s*\d+\s*)*)?$/.test(retries);

/** Converts a draft to an update body. The body has no secret, so the existing secret stays unchanged. */
export const updateOf = ({ retries, isFetched, url, ...rest }: WebhookDraft, isEnabled: boolean): WebhookUpdate => ({
  ...rest,
  url: isFetched ? null : url,
  isEnabled,
  retrySchedule: retries.trim() === '' ? null : retries.split(',').map(Number),
});
