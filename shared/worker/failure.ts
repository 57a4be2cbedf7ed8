import type { SQSRecord } from 'aws-lambda';
import { KeysUnavailable } from '../auth/unavailable.ts';
import { QueueUnavailable } from '../queue/unavailable.ts';
import { TableUnavailable } from '../store/engine/unavailable.ts';

/**
 * Returns tasks to their queue without logging an error, because nothing failed. Another process got there first, or no
 * time is left.
 */
export class RetryLater extends Error {
  override name = 'RetryLater';
}

/**
 * After this many receives, which take a minute, a task that keeps being postponed counts as failed, because it may
 * never complete.
 */
const MAX_PATIENT_RECEIVES = 8;
export const isRetriedTooOften = ({ attributes }: Pick<SQSRecord, 'attributes'>): boolean =>
  Number(attributes.ApproximateReceiveCount) > MAX_PATIENT_RECEIVES;

/** Quarantines the first unfinished task, because a retry would not help and a person has to look into it. */
export class Quarantine extends Error {
  override name = 'Quarantine';
}

/** What made a task fail: the table, a queue, the encryption keys, or the code itself. */
type FailureKind = 'table' | 'queue' | 'keys' | 'other';

/** Returns what made a task fail. Anything but `other` is an outage, which affects every task, not just this one. */
export const kindOfFailure = (error: unknown): FailureKind => {
  if (error instanceof TableUnavailable) return 'table';
  if (error instanceof QueueUnavailable) return 'queue';
  return error instanceof KeysUnavailable ? 'keys' : 'other';
};

/** The outcome of an attempt. `left` holds the unfinished messages. */
export type TaskOutcome =
  | { kind: 'done' }
  | { kind: 'retry_later'; left: readonly SQSRecord[] }
  | { kind: 'failed'; left: readonly SQSRecord[]; failure: FailureKind; error: unknown };

/** Attempts the tasks in the messages of one group. Never rejects. */
export type Attempt = (records: readonly SQSRecord[], timeLeft: () => number, isLast?: boolean) => Promise<TaskOutcome>;
