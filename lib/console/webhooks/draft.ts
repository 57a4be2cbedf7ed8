import type { Webhook, WebhookUpdate } from '#openapi';

type Filters = Pick<Webhook, 'eventTypes' | 'situations' | 'sensorGroupId'>;
/** The fields of a webhook that the user enters; the retry schedule is text. `isFetched`: it has no address. */
export type WebhookDraft = Pick<Webhook, 'name' | 'format' | 'isCustomerHook' | 'botId' | 'authMethod'> &
  Filters & { url: string; isFetched: boolean; retries: string };

export const noFilters: Filters = { eventTypes: null, situations: null, sensorGroupId: null };

type Format = Webhook['format'];
const forWhom = {
  full: 'all',
  raw: 'all',
  custom1: 'bots',
  chat: 'chats',
  teams: 'chats',
} as const satisfies Record<Format, 'all' | 'bots' | 'chats'>;

/** Can only a webhook of a bot have this format? */
export const isForBots = (format: Format): boolean => forWhom[format] !== 'all';

/** Is it the format of a chat? Those know the sender by the address alone, and some refuse a call that has a token too. */
export const isForChat = (format: Format): boolean => forWhom[format] === 'chats';

/** The change of a draft to another format, with how the service shows who it is. */
export const toFormat = ({ format: before, authMethod }: WebhookDraft, format: Format): Partial<WebhookDraft> => {
  if (isForChat(format)) return { format, authMethod: 'none' };
  return { format, authMethod: isForChat(before) ? 'bearer' : authMethod };
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
  ...noFilters,
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

export const isGood = ({ retries }: WebhookDraft): boolean => /^\s*(\d+\s*(,\s*\d+\s*)*)?$/.test(retries);

/** Converts a draft to the body of an update. The secret is left out, so it stays unchanged. */
export const updateOf = ({ retries, isFetched, url, ...rest }: WebhookDraft, isEnabled: boolean): WebhookUpdate => ({
  ...rest,
  url: isFetched ? null : url,
  isEnabled,
  retrySchedule: retries.trim() === '' ? null : retries.split(',').map(Number),
});
