import type { Caller } from '#shared/domain/identity/permission.ts';
import { ApiError, refuse } from '../errors.ts';
import { type ApiRequest, type Exchange, headerValues, operationOf } from '../http/exchange.ts';
import { apiOf } from '../operation.ts';
import { endGuarded } from './csrf.ts';
import type { Guard } from './guard.ts';
import { type Found, identify } from './identify.ts';
import { checkRate, countAddress, countAnonymous } from './rate-limit.ts';

const identified = async (guard: Guard, request: ApiRequest): Promise<Found> => {
  const { auth, withoutTable } = operationOf(request);
  const found = identify(guard, request, auth);
  return withoutTable ? found.catch(() => ({ identity: null, rate: null })) : found;
};

/** Answers in the caller's language, and takes `me` for the caller. */
const recognise = (exchange: Exchange, { locale, accountId }: Caller): void => {
  exchange.locale = locale;
  if (exchange.path.userId === 'me') exchange.path = { ...exchange.path, userId: String(accountId) };
};

/**
 * Finds the caller and counts the call. It answers 401 if the credentials are missing or invalid; such a call counts
 * against its address, and above the address's limit the answer is 429. If a login is optional, a call whose credentials
 * are missing or invalid is an anonymous one.
 */
export const authenticate =
  (guard: Guard) =>
  async (request: ApiRequest): Promise<void> => {
    const operation = operationOf(request);
    const { auth } = operation;
    if (headerValues(request.event, 'authorization').length > 1) {
      await countAddress(guard, apiOf(operation))(request);
      await checkRate(request);
      await endGuarded(guard, request);
      refuse('Authorization', 'repeated_header');
    }
    const { identity, rate } = await identified(guard, request);
    const counted = rate ?? (await countAnonymous(guard, request));
    Object.assign(request.context.exchange, { rate: counted, caller: null, ...identity });
    if (identity?.caller) recognise(request.context.exchange, identity.caller);
    if (identity || auth === 'optional' || ('orWebhook' in operation && operation.orWebhook)) return;
    await checkRate(request);
    throw new ApiError('credentials_invalid');
  };
