import type { User } from '#openapi';

export type Permission = User['permissions'][number];

/** What a page or an action requires: a permission, one of several, or the role of the system admin. */
export type Needs = Permission | readonly Permission[] | 'system_admin';

/** Who sees webhooks, and what is sent to them. */
export const managers = ['manage_customers', 'manage_bots'] as const satisfies Needs;
/** Who sees deliveries of any kind: those to people are for whoever may change rules. */
export const deliveryManagers = [...managers, 'manage_rules'] as const satisfies Needs;

/** May the user do what requires `needs`? It decides what the console offers; the API checks each call itself. */
export const may = ({ isAdmin, permissions }: Pick<User, 'isAdmin' | 'permissions'>, needs?: Needs): boolean =>
  isAdmin ||
  needs === undefined ||
  (needs !== 'system_admin' && [needs].flat().some((permission) => permissions.includes(permission)));
