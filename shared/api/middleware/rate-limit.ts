import { addressOf } from '../address.ts';
import { deviceLimits, isOver } from '../device-rates.ts';
import { ApiError } from '../errors.ts';
import { type ApiRequest, operationOf, type Rate } from '../exchange.ts';
import type { Guard } from './guard.ts';
import { messagesOf } from './input.ts';

/**
 * How many calls per second an address may make to published operations, besides its other calls: enough to load a page
 * with its files, and to load it again.
 */
const PUBLISHED_CALLS = 10;

const count = async (
  { store, settings, now }: Guard,
  subject: string,
  most = settings.RATE_LIMIT_PER_SECOND,
  time = now(),
): Promise<Rate & { over: boolean }> => {
  if (settings.RATE_LIMIT_PER_SECOND === 0) return { limit: 0, remaining: 0, reset: 0, over: false };
  const calls = await store.limits.countCall(subject, time);
  return { limit: most, remaining: Math.max(0, most - calls), reset: 1, over: calls > most };
};

/** Counts a call of an account. `giveBack` undoes that if the call turns out not to be the account's. */
export const countAccount = async (guard: Guard, accountKey: string) => {
  const [subject, time] = [`account:${accountKey}`, guard.now()];
  const rate = await count(guard, subject, undefined, time);
  const giveBack = async () => rate.limit > 0 && guard.store.limits.countCall(subject, time, -1);
  return { rate, giveBack };
};

/** Counts a call of a device and its messages. A limit of 0 is not enforced. */
export const countDevice = (
  { settings, rates, now }: Guard,
  subject: string,
  request: ApiRequest,
): Rate & { over: boolean } => {
  const isMessages = operationOf(request).bodyKind === 'messages';
  const { calls: limit, messages } = deviceLimits(settings);
  const counted = rates.count(subject, isMessages ? messagesOf(request) : 0, now());
  const over = isOver(counted, { calls: limit, messages: isMessages ? messages : 0 });
  return { limit, remaining: Math.max(0, limit - counted.calls), reset: limit && 1, over };
};

/** Counts a call that no operation matches by the caller's address. */
export const countAddress =
  (guard: Guard) =>
  async (request: ApiRequest): Promise<void> => {
    request.context.exchange.rate = await count(guard, `address:${addressOf(request.event, guard.settings)}`);
  };

/** Counts a call without an account or a device by the caller's address. */
export const countAnonymous = (guard: Guard, request: ApiRequest): Promise<Rate> => {
  const address = addressOf(request.event, guard.settings);
  if (!operationOf(request).published) return count(guard, `address:${address}`);
  return count(guard, `published:${address}`, Math.min(PUBLISHED_CALLS, guard.settings.RATE_LIMIT_PER_SECOND));
};

/** Answers 429 if the call exceeds its rate limit. */
export const checkRate = async (request: ApiRequest): Promise<void> => {
  const { rate } = request.context.exchange;
  if (rate.over) throw new ApiError('rate_limited', { waitSeconds: Math.max(1, rate.reset) });
};
