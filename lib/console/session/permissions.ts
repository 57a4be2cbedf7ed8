import type { User } from '#openapi';

export type Permission = User['permissions'][number];

/** What a page or an action requires: a permission, one of several, or the system admin role. */
export type Needs = Permission | readonly Permission[] | 'system_admin';

/** Users who can see webhooks and webhook deliveries. */
export const managers = ['manage_customers', 'manage_bots'] as const satisfies Needs;
/** Users who can import something. */
export const importers = ['manage_users', 'manage_sensors', 'manage_rules'] as const satisfies Needs;
/** Users who can see deliveries of any kind. Deliveries to people are visible to users who can change rules. */
export const deliveryViewers = [...managers, 'manage_rules'] as const satisfies Needs;

/**
 * Whether the user has what `needs` requires. This decides what the console offers; the API checks every request
 * itself.
 */
export const can = ({ isAdmin, permissions }: Pick<User, 'isAdmin' | 'permissions'>, needs?: Needs): boolean =>
  isAdmin ||
  needs === undefined ||
  (needs !== 'system_admin' && [needs].flat().some((permission) => permissions.includes(permission)));
