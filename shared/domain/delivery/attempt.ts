import type { AttemptLog, LastAttempt } from './attempt-log.ts';

/** The result of an attempt. `outbox`: the message was written to a file instead of being sent. */
export type AttemptResult = Omit<AttemptLog, 'number' | 'startDate' | 'outbox'> & { outbox?: true };

/** How many characters of a messaging service response are kept. */
export const MAX_ANSWER = 200;

/** Returns the result of an attempt without an HTTP request. `answer` is the response from the messaging service. */
export const resultWithoutRequest = (error: string | null, durationMs = 0, answer = ''): AttemptResult => ({
  status: null,
  error,
  responseBody: answer.slice(0, MAX_ANSWER),
  durationMs,
  timings: { dns: null, connect: null, tls: null, firstByte: null },
});

/**
 * An attempt result as stored in the delivery. It is a short tuple, because a delivery that succeeds at once must fit
 * in one kilobyte, the billing unit. `body` is null if it is stored as a separate item.
 */
export type PackedAttempt = [
  number: number,
  durationMs: number,
  status: number | null,
  error: string | null,
  phases: (number | null)[],
  body: string | null,
  outbox?: true,
];

/** The largest response body (bytes) kept in the delivery itself. */
const MAX_SHORT_BODY = 64;
export const isShortBody = (body: string): boolean => Buffer.byteLength(body) <= MAX_SHORT_BODY;

/** Returns the log entry for an attempt. `isWhole`: a long body is included too, because it is not stored elsewhere. */
export const packAttempt = (
  number: number,
  { durationMs, status, error, responseBody, timings, outbox }: AttemptResult,
  isWhole = false,
): PackedAttempt => {
  const { dns, connect, tls, firstByte } = timings;
  const body = isWhole || isShortBody(responseBody) ? responseBody : null;
  const phases = [dns, connect, tls, firstByte];
  return outbox
    ? [number, durationMs, status, error, phases, body, outbox]
    : [number, durationMs, status, error, phases, body];
};

/**
 * Returns the log entry for an attempt that the messaging service accepted, but later reported as failed. `reason` is
 * what the service reported.
 */
export const withReason = (
  [number, durationMs, status, , phases]: PackedAttempt,
  error: string,
  reason: string,
): PackedAttempt => [number, durationMs, status, error, phases, reason];

/** Returns the log entry for an attempt that never ended, because the process died. */
const interrupted = (number: number): PackedAttempt => [number, 0, null, 'interrupted', [], ''];

/**
 * Returns an attempt log, built from the start times, the results, and the bodies (by attempt number) stored as
 * separate items.
 */
export const attemptLogOf = (
  starts: readonly number[],
  entries: readonly PackedAttempt[],
  bodies: ReadonlyMap<number, string>,
  isSending: boolean,
): AttemptLog[] => {
  const byNumber = new Map(entries.map((entry) => [entry[0], entry]));
  // The current attempt has no result yet, so it is not logged.
  const ended = isSending ? starts.slice(0, -1) : starts;
  return ended.map((startDate, index) => {
    const attempt = index + 1;
    const [number, durationMs, status, error, phases, body, outbox = false] =
      byNumber.get(attempt) ?? interrupted(attempt);
    const [dns = null, connect = null, tls = null, firstByte = null] = phases;
    const responseBody = body ?? bodies.get(number) ?? '';
    const timings = { dns, connect, tls, firstByte };
    return { number, startDate, durationMs, status, error, responseBody, timings, outbox };
  });
};

/**
 * Returns the last attempt that has ended; null before the first attempt has ended. `attempts`: the number of attempts
 * that were started.
 */
export const lastAttemptOf = (
  attempts: number,
  entries: readonly PackedAttempt[],
  isSending: boolean,
): LastAttempt | null => {
  const ended = isSending ? attempts - 1 : attempts;
  if (ended < 1) return null;
  const [, durationMs, status, error, , , outbox = false] =
    entries.find(([number]) => number === ended) ?? interrupted(ended);
  return { durationMs, status, error, outbox };
};
