import { type Caller, hasPermission } from '../identity/permission.ts';

/** The permissions to manage webhooks: customer webhooks need manage_customers, bot webhooks need manage_bots. */
export const webhookManagers = ['manage_customers', 'manage_bots'] as const;
/**
 * The permissions to see deliveries. Users who may change rules see the deliveries to people, because rules name these
 * people.
 */
export const deliveryManagers = [...webhookManagers, 'manage_rules'] as const;

export const mayManage = (
  caller: Pick<Caller, 'isAdmin' | 'permissions'>,
  webhook: { isCustomerHook: boolean },
): boolean => hasPermission(caller, webhookManagers[webhook.isCustomerHook ? 0 : 1]);
