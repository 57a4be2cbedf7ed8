import type { SQSRecord } from 'aws-lambda';
import { KeysUnavailable } from '../auth/unavailable.ts';
import { QueueUnavailable } from '../queue/unavailable.ts';
import { TableUnavailable } from '../store/engine/unavailable.ts';

/**
 * Gives tasks back without an error in the log: they are not done yet, and nothing failed. Another process was faster,
 * or no time is left.
 */
export class RetryLater extends Error {
  override name = 'RetryLater';
}

/** The most receives, which take a minute, before a task that is only retried later counts as failed: it may never be done. */
const MAX_PATIENT_RECEIVES = 8;
export const isRetriedTooOften = ({ attributes }: Pick<SQSRecord, 'attributes'>): boolean =>
  Number(attributes.ApproximateReceiveCount) > MAX_PATIENT_RECEIVES;

/** Quarantines the first task that is not done: no retry helps, and a person has to learn of it. */
export class Quarantine extends Error {
  override name = 'Quarantine';
}

/** What failed when a task failed: the table, a queue, the keys of secrets, or the code itself. */
export type FailureKind = 'table' | 'queue' | 'keys' | 'other';

/** Returns what failed. All but `other` is an outage: it concerns every task, and says nothing about this one. */
export const kindOfFailure = (error: unknown): FailureKind => {
  if (error instanceof TableUnavailable) return 'table';
  if (error instanceof QueueUnavailable) return 'queue';
  return error instanceof KeysUnavailable ? 'keys' : 'other';
};
