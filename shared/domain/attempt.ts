import * as z from 'zod';
import { int64, millis } from './values.ts';

const phase = int64.nullable();

/** One attempt as its log shows it. Exactly one of `status` and `error` is null. */
export const AttemptLog = z
  .object({
    number: int64,
    startDate: millis,
    durationMs: int64,
    status: int64.nullable(),
    error: z.string().nullable().meta({ description: 'a stable word for why there was no status, such as timeout' }),
    responseBody: z.string().meta({ description: 'the first 4 KiB of the answer' }),
    timings: z
      .object({ dns: phase, connect: phase, tls: phase, firstByte: phase })
      .meta({ description: 'ms of each phase; null where it did not take place' }),
  })
  .meta({ id: 'AttemptLog' });
export type AttemptLog = z.output<typeof AttemptLog>;

/** What came of an attempt. */
export type Result = Omit<AttemptLog, 'number' | 'startDate'>;

/**
 * The same, as small as a delivery that worked at once needs it: one kilobyte in all is what its price stands on.
 * The body is null when it is an item of its own.
 */
export type Entry = [
  number: number,
  durationMs: number,
  status: number | null,
  error: string | null,
  phases: (number | null)[],
  body: string | null,
];

/** Answers up to so many bytes are kept in the delivery itself. */
const SHORT = 64;
export const isShort = (body: string): boolean => Buffer.byteLength(body) <= SHORT;

export const entryOf = (number: number, { durationMs, status, error, responseBody, timings }: Result): Entry => {
  const { dns, connect, tls, firstByte } = timings;
  const body = isShort(responseBody) ? responseBody : null;
  return [number, durationMs, status, error, [dns, connect, tls, firstByte], body];
};

/** An attempt that was begun and never ended: its process died. */
const lost = (number: number): Entry => [number, 0, null, 'interrupted', [], ''];

/** The log of attempts: their starts, what came of them, and the bodies that are items of their own, by number. */
export const logOf = (
  starts: readonly number[],
  entries: readonly Entry[],
  bodies: ReadonlyMap<number, string>,
  isSending: boolean,
): AttemptLog[] => {
  const known = new Map(entries.map((entry) => [entry[0], entry]));
  // What is under way now has no result yet, and is not in the log.
  const ended = isSending ? starts.slice(0, -1) : starts;
  return ended.map((startDate, at) => {
    const [number, durationMs, status, error, phases, body] = known.get(at + 1) ?? lost(at + 1);
    const [dns = null, connect = null, tls = null, firstByte = null] = phases;
    const responseBody = body ?? bodies.get(number) ?? '';
    return { number, startDate, durationMs, status, error, responseBody, timings: { dns, connect, tls, firstByte } };
  });
};
