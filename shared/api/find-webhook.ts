import type { WebhookRecord } from '../domain/delivery/webhook.ts';
import { mayManage } from '../domain/delivery/webhook-access.ts';
import type { Caller } from '../domain/identity/permission.ts';
import type { StoreOf } from '../store/store.ts';

/** The part of a request that names a webhook. */
type WebhookCall = {
  caller: Caller;
  customerId: number;
  params: { webhookId: string };
  fail: (code: 'webhook_not_found' | 'forbidden') => never;
};

/**
 * Returns the webhook named in the path. Fails the request with 404 if the webhook does not exist, and with 403 if the
 * caller may not manage it.
 */
export const findWebhook = async (
  { caller, customerId, params, fail }: WebhookCall,
  store: StoreOf<'webhooks.get'>,
): Promise<WebhookRecord> => {
  const webhook = (await store.webhooks.get(customerId, params.webhookId)) ?? fail('webhook_not_found');
  return mayManage(caller, webhook) ? webhook : fail('forbidden');
};
