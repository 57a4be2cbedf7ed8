import { type Caller, holds, type Permission } from '#shared/domain/identity/permission.ts';
import { ApiError } from '../errors.ts';
import { type Exchange, operationOf } from '../http/exchange.ts';
import type { Operation } from '../operation.ts';

/** Is the call refused because its token only allows reading? */
const isHeldBack = ({ event }: Exchange, caller: Caller): boolean => caller.readOnly && event.httpMethod !== 'GET';

const isSelf = (caller: Caller, userId: string | undefined): boolean => userId === String(caller.accountId);

const mayCall = (operation: Operation, caller: Caller, userId: string | undefined): boolean => {
  if (operation.auth !== 'user' && operation.auth !== 'session') return true;
  if (operation.auth === 'session' && caller.kind !== 'session') return false;
  const mayAsSelf = operation.orSelf === true || (operation.orSelf && caller.kind === 'session');
  if (mayAsSelf && isSelf(caller, userId)) return true;
  if (operation.may === 'logged_in') return true;
  if (operation.may === 'system_admin') return caller.isAdmin;
  return [operation.may].flat().some((permission: Permission) => holds(caller, permission));
};

/** Does the caller have to set up a second factor before it may do this? */
const isUnset = ({ beforeOtp }: Operation, caller: Caller, userId: string | undefined): boolean =>
  caller.mustSetOtp === true && !(beforeOtp && (userId === undefined || isSelf(caller, userId)));

/**
 * Answers 403 if the access rule of the operation does not allow the caller. If a login is optional, a caller who has to
 * set up a second factor first is an anonymous one.
 */
export const authorise = (exchange: Exchange): void => {
  const { caller, path } = exchange;
  if (!caller) return;
  const operation = operationOf(exchange);
  const { userId } = path;
  const mustWait = isUnset(operation, caller, userId);
  if (mustWait && operation.auth === 'optional') {
    exchange.caller = null;
    return;
  }
  if (mustWait) throw new ApiError('otp_setup_required');
  const isOpen = mayCall(operation, caller, userId);
  if (!isOpen || isHeldBack(exchange, caller)) throw new ApiError('forbidden');
};
