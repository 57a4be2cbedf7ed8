import { parseToken } from '#shared/auth/tokens.ts';
import { deviceLimits, exceedsLimits } from '../device/device-rates.ts';
import { ApiError } from '../errors.ts';
import { addressOf } from '../http/address.ts';
import { bearerToken, type Exchange, operationOf, type Rate } from '../http/exchange.ts';
import type { ApiName } from '../operation.ts';
import type { Guard } from './guard.ts';
import { messagesOf } from './input.ts';

/**
 * The requests per second an address may make to published operations, in addition to all other requests. A whole care
 * home is behind one address, and everyone there may load the console at the same moment.
 */
const PUBLISHED_CALLS = 200;

const count = async (
  { store, settings, now }: Guard,
  subject: string,
  limit = settings.RATE_LIMIT_PER_SECOND,
  time = now(),
): Promise<Rate & { isExceeded: boolean }> => {
  if (settings.RATE_LIMIT_PER_SECOND === 0) return { limit: 0, remaining: 0, reset: 0, isExceeded: false };
  const calls = await store.limits.countCall(subject, time);
  return { limit, remaining: Math.max(0, limit - calls), reset: 1, isExceeded: calls > limit };
};

const accountSubject = (accountKey: string): string => `account:${accountKey}`;

/** Counts a session read in process memory. Consoles read constantly, and each write costs money. */
export const countSessionRead = (guard: Guard, accountKey: string): Promise<Rate> =>
  countInMemory(guard, accountSubject(accountKey));

/**
 * Counts an account request exactly, across all processes. `giveBack` undoes that if the request turns out not to come
 * from the account.
 */
export const countAccount = async (guard: Guard, accountKey: string) => {
  const subject = accountSubject(accountKey);
  const time = guard.now();
  const rate = await count(guard, subject, undefined, time);
  const giveBack = async () => rate.limit > 0 && guard.store.limits.countCall(subject, time, -1);
  return { rate, giveBack };
};

/** Counts a device request and its messages. A limit of 0 is not enforced. */
export const countDevice = (
  { settings, rates, now }: Guard,
  subject: string,
  exchange: Exchange,
): Rate & { isExceeded: boolean } => {
  const isMessages = operationOf(exchange).bodyKind === 'messages';
  const { calls: limit, messages } = deviceLimits(settings);
  const counted = rates.count(subject, isMessages ? messagesOf(exchange) : 0, now());
  const over = exceedsLimits(counted, { calls: limit, messages: isMessages ? messages : 0 });
  return { limit, remaining: Math.max(0, limit - counted.calls), reset: limit && 1, isExceeded: over };
};

/** Counts a request by address. On the device API, counts only in memory. */
export const countAddress = async (guard: Guard, exchange: Exchange, api: ApiName): Promise<void> => {
  const subject = `address:${addressOf(exchange.event, guard.settings)}`;
  exchange.rate = await (api === 'devices' ? countInMemory(guard, subject) : count(guard, subject));
};

/** Counts a request in process memory, which costs nothing and needs no table. */
const countInMemory = async ({ settings, rates, now }: Guard, subject: string): Promise<Rate> => {
  const { RATE_LIMIT_PER_SECOND: limit } = settings;
  const { calls } = rates.count(subject, 0, now());
  return { limit, remaining: Math.max(0, limit - calls), reset: limit && 1, isExceeded: limit > 0 && calls > limit };
};

/** Counts a request that matches no operation. Anyone can make such requests, so they must not cost a write. */
export const countUnrouted = async (guard: Guard, exchange: Exchange): Promise<void> => {
  exchange.rate = await countInMemory(guard, `address:${addressOf(exchange.event, guard.settings)}`);
};

/**
 * The number of requests with an invalid token that an address may make per second before they are counted in the
 * table.
 */
const INVALID_TOKENS_IN_MEMORY = 5;

/**
 * Counts a device API request with an invalid token. Anyone can make such requests, and they compete with falls for the
 * table. Malformed tokens, and the first well-formed tokens in each second, are therefore counted in memory.
 */
const countInvalidToken = async (guard: Guard, subject: string, isWellFormed: boolean): Promise<Rate> => {
  const counted = await countInMemory(guard, subject);
  const calls = counted.limit - counted.remaining;
  return !isWellFormed || counted.isExceeded || calls <= INVALID_TOKENS_IN_MEMORY ? counted : count(guard, subject);
};

/** Counts a request without a known caller by address. */
export const countAnonymous = (guard: Guard, exchange: Exchange): Promise<Rate> => {
  const address = addressOf(exchange.event, guard.settings);
  const { auth, published, withoutTable } = operationOf(exchange);
  const token = bearerToken(exchange) ?? '';
  if (auth === 'device') return countInvalidToken(guard, `address:${address}`, parseToken(token)?.kind === 'device');
  if (auth === 'provisioner') return countInvalidToken(guard, `address:${address}`, token !== '');
  if (withoutTable) return countInMemory(guard, `address:${address}`);
  if (!published) return count(guard, `address:${address}`);
  return count(guard, `published:${address}`, PUBLISHED_CALLS);
};

/** Responds with 429 if the request exceeds the rate limit. */
export const checkRate = ({ rate }: Exchange): void => {
  if (rate.isExceeded) throw new ApiError('rate_limited', { waitSeconds: Math.max(1, rate.reset) });
};
