import * as z from 'zod';
import { millis } from '../values.ts';

const Noted = z.object({ id: z.string().max(64), at: millis });
/**
 * A device call recorded at `at` (ms), before it was queued. `before` is the previously recorded call. `seq` numbers
 * the device calls.
 */
export const RecordedCall = Noted.extend({ before: Noted.optional(), seq: z.int().min(1).optional() });
export type RecordedCall = z.output<typeof RecordedCall>;

/**
 * Consecutive recorded calls that have all been processed. `last` is the id of the last call and `seq` is its number.
 * `since` (ms) is when the call before the first one was recorded.
 */
export type ProcessedRun = { last: string; since: number; seq?: number };

/** Adds a processed call to a run. A call that does not directly follow the run starts a new one. */
export const runWith = (run: ProcessedRun | undefined, { id, at, before, seq }: RecordedCall): ProcessedRun => ({
  ...(run !== undefined && before?.id === run.last ? { since: run.since } : { since: before?.at ?? at }),
  last: id,
  ...(seq !== undefined && { seq }),
});

/** Returns how many recorded device calls have not been processed yet. */
export const unprocessedCalls = (seq: number, run: ProcessedRun | undefined): number =>
  Math.max(0, seq - (run?.seq ?? 0));

/**
 * A recorded call that is not queued within this time (ms) will never be queued. No function runs that long, even
 * allowing for clock skew between two hosts.
 */
const MAX_CALL_MS = 45_000;

/**
 * Whether all recorded calls from a device have been processed: the run includes the newest call, and calls recorded
 * before the run were queued ahead of it. (Only a dead letter can arrive later.)
 */
export const isAllProcessed = (
  { notedCall, notedAt = 0 }: { notedCall?: string; notedAt?: number },
  run: ProcessedRun | undefined,
): boolean => run !== undefined && run.last === notedCall && notedAt - run.since > MAX_CALL_MS;
