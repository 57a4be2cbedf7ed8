import type { AttemptLog, LastAttempt } from './attempt-log.ts';

/** The result of an attempt. `outbox`: the message was written to a file instead of being sent. */
export type AttemptResult = Omit<AttemptLog, 'number' | 'startDate' | 'outbox'> & { outbox?: true };

/** The maximum number of characters kept of a messaging service's answer. */
export const MAX_ANSWER = 200;

/** The result of an attempt that made no HTTP request. `answer`: the answer of a messaging service. */
export const resultWithoutRequest = (error: string | null, durationMs = 0, answer = ''): AttemptResult => ({
  status: null,
  error,
  responseBody: answer.slice(0, MAX_ANSWER),
  durationMs,
  timings: { dns: null, connect: null, tls: null, firstByte: null },
});

/**
 * The result of an attempt as a delivery stores it: a short tuple, because a delivery that succeeds at once has to fit
 * into one kilobyte, the unit that is billed. `body` is null if it is stored in a separate item.
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

/** The largest response body (bytes) that is stored in the delivery itself. */
const MAX_SHORT_BODY = 64;
export const isShortBody = (body: string): boolean => Buffer.byteLength(body) <= MAX_SHORT_BODY;

/** Returns the entry of an attempt. `isWhole`: the entry also contains a long body, which is not stored elsewhere. */
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
 * Returns the entry of an attempt that the messaging service accepted, but later reported as failed for this reason.
 */
export const withReason = (
  [number, durationMs, status, , phases]: PackedAttempt,
  error: string,
  reason: string,
): PackedAttempt => [number, durationMs, status, error, phases, reason];

/** Returns the entry of an attempt that never ended, because its process died. */
const interrupted = (number: number): PackedAttempt => [number, 0, null, 'interrupted', [], ''];

/**
 * Returns the attempt log of a delivery, from the start times of its attempts, their results, and the bodies (by
 * attempt number) that are stored in separate items.
 */
export const attemptLogOf = (
  starts: readonly number[],
  entries: readonly PackedAttempt[],
  bodies: ReadonlyMap<number, string>,
  isSending: boolean,
): AttemptLog[] => {
  const byNumber = new Map(entries.map((entry) => [entry[0], entry]));
  // The attempt in progress has no result yet, so it is not in the log.
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
 * Returns the last attempt that has ended; null before the first one has. `attempts`: the number of attempts that were
 * started.
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
