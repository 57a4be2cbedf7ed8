import { type Caller, hasPermission, type Permission } from '#shared/domain/identity/permission.ts';
import { ApiError } from '../errors.ts';
import { type Exchange, operationOf } from '../http/exchange.ts';
import { allowsDisplay, isWrite, type Operation } from '../operation.ts';

const isSelf = (caller: Caller, userId: string | undefined): boolean => userId === String(caller.accountId);

const mayCall = (operation: Operation, caller: Caller, userId: string | undefined): boolean => {
  if (operation.auth !== 'user' && operation.auth !== 'session') return true;
  if (operation.auth === 'session' && caller.kind !== 'session') return false;
  const mayAsSelf = operation.orSelf === true || (operation.orSelf && caller.kind === 'session');
  if (mayAsSelf && isSelf(caller, userId)) return true;
  if (operation.may === 'logged_in') return true;
  if (operation.may === 'system_admin') return caller.isAdmin;
  return [operation.may].flat().some((permission: Permission) => hasPermission(caller, permission));
};

/** Whether the caller must set up a second factor first. */
const mustSetOtpFirst = ({ beforeOtp }: Operation, caller: Caller, userId: string | undefined): boolean =>
  caller.mustSetOtp === true && !(beforeOtp && (userId === undefined || isSelf(caller, userId)));

/**
 * Responds with 403 if the access rule of the operation does not allow the caller. If login is optional, displays and
 * callers who must set up a second factor first are treated as anonymous.
 */
export const authorise = (exchange: Exchange): void => {
  const { caller, path } = exchange;
  if (!caller) return;
  const operation = operationOf(exchange);
  const { userId } = path;
  const lacksOtp = mustSetOtpFirst(operation, caller, userId);
  const isForeignToDisplay = caller.isDisplay === true && !allowsDisplay(operation);
  if ((lacksOtp || isForeignToDisplay) && operation.auth === 'optional') {
    exchange.caller = null;
    return;
  }
  if (lacksOtp) throw new ApiError('otp_setup_required');
  const isAllowed = !isForeignToDisplay && mayCall(operation, caller, userId);
  if (!isAllowed || (caller.readOnly && isWrite(operation))) throw new ApiError('forbidden');
};
