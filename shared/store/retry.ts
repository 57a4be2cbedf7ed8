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
  ...['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'ENETDOWN', 'ENETUNREACH', 'EHOSTDOWN', 'EHOSTUNREACH'],
  ...['ETIMEDOUT', 'ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE'],
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

const ATTEMPTS = 6;
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * ms after which nothing is tried again. The last try may take its own time on top (transport.ts): 8 s at most, of the
 * 15 s of a call of the API and the 30 s of the shortest consumer.
 */
const BUDGET = 6_000;
/** Has it been so many ms? By the machine's own clock, as the timeouts of a call are, whatever time the host shows. */
const alarmAfter = (ms: number) => {
  const end = performance.now() + ms;
  return () => performance.now() >= end;
};

/**
 * Runs a call; trouble that passes is tried again with full jitter (up to 25, 50, ... 400 ms), then TableUnavailable. A
 * try that had no answer may have been carried out: whatever is called must bear a repetition (client.ts).
 */
export const persistently = async <T>(call: () => Promise<T>, budget = BUDGET): Promise<T> => {
  const isOver = alarmAfter(budget);
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (isFailedCondition(error) || !isPassing(error)) throw error;
      if (attempt === ATTEMPTS || isOver()) throw new TableUnavailable('the table does not answer', { cause: error });
      await sleep(Math.random() * 25 * 2 ** (attempt - 1));
    }
  }
};

const TURNS = 15;
/** ms after which no further turn begins: whoever waits for all of them has 15 s (lib/aws/lambdas.ts). */
const TIME_FOR_TURNS = 10_000;

/**
 * Makes a change from what was read, again and again until nobody else changed that meanwhile: `null` asks for another
 * turn, after a short pause with full jitter. TableUnavailable when there was no quiet moment.
 */
export const inTurn = async <T>(change: () => Promise<T | null>): Promise<T> => {
  const isOver = alarmAfter(TIME_FOR_TURNS);
  for (let turn = 0; turn < TURNS && !isOver(); turn++) {
    const result = await change();
    if (result !== null) return result;
    await sleep(Math.random() * Math.min(200, 10 * 2 ** turn));
  }
  throw new TableUnavailable('what was to be changed kept changing');
};
