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
 * The caller of an operation, on whom all access decisions depend. The customer comes from the caller, never from the
 * request.
 */
export type Caller = {
  accountId: number;
  customerId: number | null;
  isAdmin: boolean;
  permissions: readonly Permission[];
  /** The username, followed by the token name in brackets if there is one; null if unknown. */
  name: string | null;
  locale: string;
  /** `token` is an access token, `session` a login. */
  kind: 'session' | 'token';
  /** The token allows only GET requests. */
  readOnly: boolean;
  /**
   * The session belongs to a wall display. Anyone standing in front of it can use it, so it allows only a few
   * operations.
   */
  isDisplay?: boolean;
  /** The caller may only set up the second factor required by the customer. */
  mustSetOtp?: boolean;
};

/** Whether a caller has a permission. No permission implies another; a system admin has all of them. */
export const hasPermission = (caller: Pick<Caller, 'isAdmin' | 'permissions'>, permission: Permission): boolean =>
  caller.isAdmin || caller.permissions.includes(permission);

/** The caller of an operation on a user. */
type Changer = Pick<Caller, 'accountId' | 'isAdmin' | 'permissions' | 'kind'>;
type Rights = { id: number; isAdmin: boolean; permissions: readonly Permission[] };

/**
 * Whether a caller with `manage_users` may change a user's credentials. Anyone who sets the password, or the email
 * address for reset codes, can act as that user. So only that user and callers holding all of the user's permissions
 * may change them.
 */
export const mayChangeCredentials = (caller: Changer, user: Rights): boolean =>
  caller.isAdmin ||
  caller.accountId === user.id ||
  (!user.isAdmin && user.permissions.every((permission) => hasPermission(caller, permission)));

/**
 * Whether a caller with `manage_users` may delete a user or change the user's permissions. A token with limited
 * permissions may not do this to its own user, who may have more permissions.
 */
export const mayChangeRights = (caller: Changer, user: Rights): boolean =>
  mayChangeCredentials(caller.kind === 'token' ? { ...caller, accountId: 0 } : caller, user);

/**
 * Whether a caller with `manage_users` may change a user's names and contact data. Only system admins may change a
 * system admin's profile. Changing an email address requires more permissions, because reset codes are sent there.
 */
export const mayChangeProfile = (caller: Changer, user: Rights): boolean =>
  mayChangeCredentials(caller, { ...user, permissions: [] });
