import { type Caller, hasPermission } from '../identity/permission.ts';

/** The permissions to manage webhooks: manage_customers for customer webhooks, manage_bots for bot webhooks. */
export const webhookManagers = ['manage_customers', 'manage_bots'] as const;
/**
 * The permissions to view deliveries. Users who may change rules can see deliveries to people, because rules name these
 * people.
 */
export const deliveryManagers = [...webhookManagers, 'manage_rules'] as const;

export const mayManage = (
  caller: Pick<Caller, 'isAdmin' | 'permissions'>,
  webhook: { isCustomerHook: boolean },
): boolean => hasPermission(caller, webhookManagers[webhook.isCustomerHook ? 0 : 1]);
