import * as z from 'zod';
import { millis } from '../values.ts';

const Noted = z.object({ id: z.string().max(64), at: millis });
/**
 * A call of a device that was noted at `at` (ms) before it was queued, and the call that was noted before it. `seq`: the
 * number of this call among those of the device.
 */
export const NotedCall = Noted.extend({ before: Noted.optional(), seq: z.int().min(1).optional() });
export type NotedCall = z.output<typeof NotedCall>;

/**
 * Noted calls of which each was noted right after the one before, and that all are judged. `last` is the id of the last
 * of them and `seq` its number; `since` (ms) is when the call before the first of them was noted.
 */
export type JudgedRun = { last: string; since: number; seq?: number };

/** Adds a judged call to a run. Any other than the next one begins a run of its own. */
export const runWith = (run: JudgedRun | undefined, { id, at, before, seq }: NotedCall): JudgedRun => ({
  ...(run !== undefined && before?.id === run.last ? { since: run.since } : { since: before?.at ?? at }),
  last: id,
  ...(seq !== undefined && { seq }),
});

/** How many noted calls of a device are not judged yet? */
export const waitingCalls = (seq: number, run: JudgedRun | undefined): number => Math.max(0, seq - (run?.seq ?? 0));

/**
 * A call is queued within so many ms after it was noted, or never: no function runs for as long, even with the difference
 * between the clocks of two hosts.
 */
const LONGEST_CALL_MS = 45_000;

/**
 * Are all noted calls of a device judged? The run reaches the newest of them, and what was noted before the run was queued
 * in front of it. (Only a dead letter may come later.)
 */
export const isAllJudged = (
  { notedCall, notedAt = 0 }: { notedCall?: string; notedAt?: number },
  run: JudgedRun | undefined,
): boolean => run !== undefined && run.last === notedCall && notedAt - run.since > LONGEST_CALL_MS;
