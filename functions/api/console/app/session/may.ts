import type { User } from 'openapi';

export type Permission = User['permissions'][number];

/** What a page or an action needs: a permission, one of several, or the role of the system admin. */
export type Needs = Permission | readonly Permission[] | 'system_admin';

/** May somebody do what needs that? The API decides; this is what is offered. */
export const may = ({ isAdmin, permissions }: Pick<User, 'isAdmin' | 'permissions'>, needs?: Needs): boolean =>
  isAdmin ||
  needs === undefined ||
  (needs !== 'system_admin' && [needs].flat().some((one) => permissions.includes(one)));
