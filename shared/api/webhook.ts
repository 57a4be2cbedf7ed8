import type { WebhookRecord } from '../domain/delivery/webhook.ts';
import { mayManage } from '../domain/delivery/webhook-access.ts';
import type { Caller } from '../domain/identity/permission.ts';
import type { StoreOf } from '../store/store.ts';

/** As much of a call as names a webhook. */
type AboutWebhook = {
  caller: Caller;
  customerId: number;
  params: { webhookId: string };
  fail: (code: 'webhook_not_found' | 'forbidden') => never;
};

/** Gives the webhook that the path names, if the caller may manage it; 404 when there is none, 403 when not. */
export const findWebhook = async (
  { caller, customerId, params, fail }: AboutWebhook,
  store: StoreOf<'webhooks.get'>,
): Promise<WebhookRecord> => {
  const webhook = (await store.webhooks.get(customerId, params.webhookId)) ?? fail('webhook_not_found');
  return mayManage(caller, webhook) ? webhook : fail('forbidden');
};
