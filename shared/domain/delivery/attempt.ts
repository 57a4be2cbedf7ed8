import type { AttemptLog } from './attempt-log.ts';

/** The result of an attempt, as the delivery log shows it. */
export type Result = Omit<AttemptLog, 'number' | 'startDate'>;

/** The result of an attempt that made no HTTP request. */
export const resultWithoutRequest = (error: string | null, durationMs = 0): Result => ({
  status: null,
  error,
  responseBody: '',
  durationMs,
  timings: { dns: null, connect: null, tls: null, firstByte: null },
});

/**
 * The same result as a delivery stores it. It is a short tuple because a delivery that succeeds at once has to fit into
 * one kilobyte, which decides its price. `body` is null if it is stored in an item of its own.
 */
export type Entry = [
  number: number,
  durationMs: number,
  status: number | null,
  error: string | null,
  phases: (number | null)[],
  body: string | null,
];

/** Answers of at most so many bytes are stored in the delivery itself. */
const SHORT = 64;
export const isShort = (body: string): boolean => Buffer.byteLength(body) <= SHORT;

export const entryOf = (number: number, { durationMs, status, error, responseBody, timings }: Result): Entry => {
  const { dns, connect, tls, firstByte } = timings;
  const body = isShort(responseBody) ? responseBody : null;
  return [number, durationMs, status, error, [dns, connect, tls, firstByte], body];
};

/** Makes the entry of an attempt that was started and never ended because its process died. */
const lost = (number: number): Entry => [number, 0, null, 'interrupted', [], ''];

/**
 * Makes the log of a delivery's attempts from their start times, their results, and the bodies (by attempt number) that
 * are stored in items of their own.
 */
export const logOf = (
  starts: readonly number[],
  entries: readonly Entry[],
  bodies: ReadonlyMap<number, string>,
  isSending: boolean,
): AttemptLog[] => {
  const known = new Map(entries.map((entry) => [entry[0], entry]));
  // An attempt that is under way has no result yet, so it is not in the log.
  const ended = isSending ? starts.slice(0, -1) : starts;
  return ended.map((startDate, at) => {
    const [number, durationMs, status, error, phases, body] = known.get(at + 1) ?? lost(at + 1);
    const [dns = null, connect = null, tls = null, firstByte = null] = phases;
    const responseBody = body ?? bodies.get(number) ?? '';
    return { number, startDate, durationMs, status, error, responseBody, timings: { dns, connect, tls, firstByte } };
  });
};
