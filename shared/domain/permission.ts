import * as z from 'zod';

export const Permission = z.enum([
  'manage_users',
  'manage_customers',
  'manage_bots',
  'manage_sensors',
  'edit_sensor_room',
  'edit_sensor_config',
  'manage_rules',
]);
export type Permission = z.infer<typeof Permission>;

/** Who calls: what every decision about access is made from. The customer comes from here, never from a request. */
export type Caller = {
  accountId: number;
  customerId: number | null;
  isAdmin: boolean;
  permissions: readonly Permission[];
  locale: string;
  /** `token`: an access token; `session`: somebody who logged in. */
  kind: 'session' | 'token';
  /** A token that opens nothing but GET. */
  readOnly: boolean;
};

/** Permissions are independent of each other; a system admin holds them all. */
export const holds = (caller: Pick<Caller, 'isAdmin' | 'permissions'>, permission: Permission): boolean =>
  caller.isAdmin || caller.permissions.includes(permission);

/**
 * May a caller who manages users change this one? A system admin is changed by system admins and by itself: whoever
 * sets its password or address could take over the whole service.
 */
export const mayChange = (caller: Caller, user: { id: number; isAdmin: boolean }): boolean =>
  caller.isAdmin || !user.isAdmin || caller.accountId === user.id;

/** A customer that a caller works in: its own, or any for a system admin. Two missing customers are never the same. */
export const worksIn = (caller: Caller, customerId: number | null): boolean =>
  caller.isAdmin || (caller.customerId !== null && caller.customerId === customerId);
