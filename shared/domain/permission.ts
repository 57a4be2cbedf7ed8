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

type Rights = { id: number; isAdmin: boolean; permissions: readonly Permission[] };

/**
 * May a caller who manages users change what a user logs in with and may do? Whoever sets a password, or where the code
 * for a new one is mailed, becomes that user: so only the user itself, and who holds all that the user holds.
 */
export const mayChange = (caller: Caller, user: Rights): boolean =>
  caller.isAdmin ||
  caller.accountId === user.id ||
  (!user.isAdmin && user.permissions.every((permission) => holds(caller, permission)));

/** A customer that a caller works in: its own, or any for a system admin. Two missing customers are never the same. */
export const worksIn = (caller: Caller, customerId: number | null): boolean =>
  caller.isAdmin || (caller.customerId !== null && caller.customerId === customerId);
