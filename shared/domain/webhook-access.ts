import { type Caller, holds } from './permission.ts';

/** Customer webhooks need manage_customers, bot webhooks manage_bots; which of them it is, the webhook tells. */
export const webhookManagers = ['manage_customers', 'manage_bots'] as const;

export const mayManage = (caller: Caller, webhook: { isCustomerHook: boolean }): boolean =>
  holds(caller, webhookManagers[webhook.isCustomerHook ? 0 : 1]);
