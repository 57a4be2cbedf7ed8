import { type Caller, holds, type Permission } from '../../domain/permission.ts';
import { ApiError } from '../errors.ts';
import { type ApiRequest, operationOf } from '../exchange.ts';
import type { Operation } from '../operation.ts';

/** Is the call refused because its token only allows reading? */
const isHeldBack = ({ event }: ApiRequest, caller: Caller): boolean => caller.readOnly && event.httpMethod !== 'GET';

const mayCall = (operation: Operation, caller: Caller, userId: string | undefined): boolean => {
  if (operation.auth !== 'user' && operation.auth !== 'session') return true;
  if (operation.auth === 'session' && caller.kind !== 'session') return false;
  const isSelf = userId === 'me' || userId === String(caller.accountId);
  if (isSelf && (operation.orSelf === true || (operation.orSelf && caller.kind === 'session'))) return true;
  if (operation.may === 'logged_in') return true;
  if (operation.may === 'system_admin') return caller.isAdmin;
  return [operation.may].flat().some((permission: Permission) => holds(caller, permission));
};

/** Answers 403 if the access rule of the operation does not allow the caller. */
export const authorise = async (request: ApiRequest): Promise<void> => {
  const { caller } = request.context.exchange;
  if (!caller) return;
  const isOpen = mayCall(operationOf(request), caller, request.event.pathParameters?.userId);
  if (!isOpen || isHeldBack(request, caller)) throw new ApiError('forbidden');
};
