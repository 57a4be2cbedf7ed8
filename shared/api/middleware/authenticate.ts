import { ApiError, refuse } from '../errors.ts';
import { type ApiRequest, headerValues, operationOf } from '../exchange.ts';
import { endGuarded } from './csrf.ts';
import type { Guard } from './guard.ts';
import { bearer, identify } from './identify.ts';
import { checkRate, countAddress, countAnonymous } from './rate-limit.ts';

/**
 * Finds the caller and counts the call. It answers 401 if the credentials are missing or invalid; such a call counts
 * against its address, and above the address's limit the answer is 429. If a login is optional, a call without a token
 * passes, but a token that is sent must be valid.
 */
export const authenticate =
  (guard: Guard) =>
  async (request: ApiRequest): Promise<void> => {
    const { auth } = operationOf(request);
    if (headerValues(request.event, 'authorization').length > 1) {
      await countAddress(guard)(request);
      await checkRate(request);
      await endGuarded(guard, request);
      refuse('Authorization', 'repeated_header');
    }
    const { identity, rate } = await identify(guard, request, auth);
    const counted = rate ?? (await countAnonymous(guard, request));
    Object.assign(request.context.exchange, { rate: counted, caller: null, ...identity });
    if (identity?.caller) request.context.exchange.locale = identity.caller.locale;
    const isAnonymous = auth === 'optional' && bearer(request) === undefined;
    if (identity || isAnonymous) return;
    await checkRate(request);
    throw new ApiError('credentials_invalid');
  };
