import { retry } from '#shared/concurrency/retry.ts';
import { TableUnavailable } from './unavailable.ts';

const transient = new Set([
  'ProvisionedThroughputExceededException',
  'ThrottlingException',
  'RequestLimitExceeded',
  'InternalServerError',
  'ServiceUnavailable',
  'TransactionInProgressException',
  'TransactionConflictException',
  'TimeoutError',
  'UnprocessedKeys',
  // The response is not JSON, for example because it was cut off.
  'SyntaxError',
  // Failures on the way to the endpoint: DNS, network, host, connection.
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
const transientReasons = new Set(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded']);

type Failure = {
  name?: string;
  code?: string;
  CancellationReasons?: { Code?: string }[];
  $metadata?: { httpStatusCode?: number };
};
const reasonsOf = (error: unknown) => (error as Failure).CancellationReasons?.map(({ Code }) => Code ?? 'None') ?? [];

/** Whether a condition failed. In a transaction, at least one condition failed, whatever else went wrong. */
export const isFailedCondition = (error: unknown): boolean =>
  (error as Failure).name === 'ConditionalCheckFailedException' || reasonsOf(error).includes('ConditionalCheckFailed');

/** Returns the positions of the writes whose condition failed in a transaction. */
export const failedConditions = (error: unknown): number[] =>
  reasonsOf(error).flatMap((reason, at) => (reason === 'ConditionalCheckFailed' ? [at] : []));

const isTransient = (error: unknown): boolean => {
  const { name = '', code = '', $metadata } = error as Failure;
  // A 5xx from something in front of the table has no name.
  if (($metadata?.httpStatusCode ?? 0) >= 500 || transient.has(name) || transient.has(code)) return true;
  return reasonsOf(error).some((reason) => transientReasons.has(reason));
};

/**
 * The time (ms) after which a call is not retried. The last attempt may add its own timeout (transport.ts). Together
 * they take at most 8 s of the 15 s available to an API request and to the shortest consumer.
 */
const RETRY_MS = 6_000;

/**
 * Runs a call and retries transient failures with full jitter (up to 25, 50, … 400 ms). Throws TableUnavailable if no
 * attempt succeeds. An attempt without a response may have succeeded, so calls must be safe to repeat (client.ts).
 */
export const withRetry = async <T>(call: () => Promise<T>, forMs = RETRY_MS): Promise<T> => {
  let cause: unknown;
  const attempt = async () => {
    try {
      return { response: await call() };
    } catch (error) {
      if (isFailedCondition(error) || !isTransient(error)) throw error;
      cause = error;
      return null;
    }
  };
  const result = await retry(attempt, { attempts: 6, maxMs: forMs, maxPause: (made) => 25 * 2 ** (made - 1) });
  if (result === null) throw new TableUnavailable('the table does not respond', { cause });
  return result.response;
};

/** All attempts together must fit into the 15 s allowed for an API request (shared/api/operation.ts). */
const CONFLICT_RETRIES = {
  attempts: 25,
  maxMs: 10_000,
  maxPause: (made: number) => Math.min(200, 5 * 2 ** (made - 1)),
};

/**
 * Repeats a read and a write until no other change intervenes: `null` asks for another attempt, which follows after a
 * short pause with full jitter. Throws TableUnavailable if every attempt conflicts.
 */
export const retryOnConflict = async <T>(change: () => Promise<T | null>): Promise<T> => {
  const result = await retry(change, CONFLICT_RETRIES);
  if (result === null) throw new TableUnavailable('other changes kept coming first');
  return result;
};
