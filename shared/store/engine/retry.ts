import { retry } from '#shared/concurrency/retry.ts';
import { TableUnavailable } from './unavailable.ts';

const passing = new Set([
  'ProvisionedThroughputExceededException',
  'ThrottlingException',
  'RequestLimitExceeded',
  'InternalServerError',
  'ServiceUnavailable',
  'TransactionInProgressException',
  'TransactionConflictException',
  'TimeoutError',
  'UnprocessedKeys',
  // The way to the endpoint: its name, its network, its host, the connection.
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
  'ENETDOWN',
  'ENETUNREACH',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ETIMEDOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
]);
const passingReasons = new Set(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded']);

type Failure = { name?: string; code?: string; CancellationReasons?: { Code?: string }[] };
const reasonsOf = (error: unknown) => (error as Failure).CancellationReasons?.map(({ Code }) => Code ?? 'None') ?? [];

/** Did a condition decide against the write? With a transaction: at least one did, whatever else happened. */
export const isFailedCondition = (error: unknown): boolean =>
  (error as Failure).name === 'ConditionalCheckFailedException' || reasonsOf(error).includes('ConditionalCheckFailed');

/** Positions of a transaction's writes whose condition failed. */
export const failedConditions = (error: unknown): number[] =>
  reasonsOf(error).flatMap((reason, at) => (reason === 'ConditionalCheckFailed' ? [at] : []));

const isPassing = (error: unknown): boolean => {
  const { name = '', code = '' } = error as Failure;
  return passing.has(name) || passing.has(code) || reasonsOf(error).some((reason) => passingReasons.has(reason));
};

/**
 * ms after which nothing is tried again. The last try may take its own time on top (transport.ts): 8 s at most, of the
 * 15 s of a call of the API and the 30 s of the shortest consumer.
 */
const CALL_MS = 6_000;

/**
 * Runs a call; trouble that passes is tried again with full jitter (up to 25, 50, ... 400 ms), then TableUnavailable. A
 * try that had no answer may have been carried out: whatever is called must bear a repetition (client.ts).
 */
export const withRetry = async <T>(call: () => Promise<T>, forMs = CALL_MS): Promise<T> => {
  let cause: unknown;
  const attempt = async () => {
    try {
      return { answer: await call() };
    } catch (error) {
      if (isFailedCondition(error) || !isPassing(error)) throw error;
      cause = error;
      return null;
    }
  };
  const result = await retry(attempt, { attempts: 6, forMs, longestPause: (made) => 25 * 2 ** (made - 1) });
  if (result === null) throw new TableUnavailable('the table does not answer', { cause });
  return result.answer;
};

/** Whoever waits for all attempts has 15 s (shared/api/operation.ts). */
const CONFLICT = { attempts: 25, forMs: 10_000, longestPause: (made: number) => Math.min(200, 5 * 2 ** (made - 1)) };

/**
 * Makes a change from what was read, again and again until nobody else changed that meanwhile: `null` asks for another
 * attempt, after a short pause with full jitter. TableUnavailable when there was no quiet moment.
 */
export const retryOnConflict = async <T>(change: () => Promise<T | null>): Promise<T> => {
  const result = await retry(change, CONFLICT);
  if (result === null) throw new TableUnavailable('the item kept changing');
  return result;
};
