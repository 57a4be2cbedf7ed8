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

/**
 * The caller of an operation, from which all access decisions are made. The customer comes from here and never from a
 * request.
 */
export type Caller = {
  accountId: number;
  customerId: number | null;
  isAdmin: boolean;
  permissions: readonly Permission[];
  /** The username, and the name of a token in brackets; null: not known. */
  name: string | null;
  locale: string;
  /** `token` is an access token, `session` a login. */
  kind: 'session' | 'token';
  /** The caller's token allows only GET. */
  readOnly: boolean;
  /** The caller may only set up the second factor that its customer demands. */
  mustSetOtp?: boolean;
};

/** Does a caller hold a permission? Permissions are independent of each other; a system admin holds all. */
export const holds = (caller: Pick<Caller, 'isAdmin' | 'permissions'>, permission: Permission): boolean =>
  caller.isAdmin || caller.permissions.includes(permission);

type Rights = { id: number; isAdmin: boolean; permissions: readonly Permission[] };

/**
 * May a caller who manages users change the login and the rights of a user? Anybody who sets a user's password, or the
 * address to which a reset code is mailed, can act as that user. So only the user, and callers who hold all of the
 * user's rights, may do it.
 */
export const mayChange = (caller: Caller, user: Rights): boolean =>
  caller.isAdmin ||
  caller.accountId === user.id ||
  (!user.isAdmin && user.permissions.every((permission) => holds(caller, permission)));

/**
 * May a caller who manages users delete a user, or change the user's rights? A token that is limited to some permissions
 * may not do it to its own user, who may hold more.
 */
export const mayChangeRights = (caller: Caller, user: Rights): boolean =>
  mayChange(caller.kind === 'token' ? { ...caller, accountId: 0 } : caller, user);
