import type { SQSRecord } from 'aws-lambda';
import { KeysUnavailable } from '../auth/unavailable.ts';
import { QueueUnavailable } from '../queue/unavailable.ts';
import { TableUnavailable } from '../store/engine/unavailable.ts';

/**
 * Gives tasks back without an error in the log: they are not done yet, and nothing failed. Another process was faster,
 * or no time is left.
 */
export class ComeAgain extends Error {
  override name = 'ComeAgain';
}

/** After so many receives, which take a minute, what is only put off counts as failed: it may never be done. */
const PATIENCE = 8;
export const isPutOffTooOften = ({ attributes }: Pick<SQSRecord, 'attributes'>): boolean =>
  Number(attributes.ApproximateReceiveCount) > PATIENCE;

/** Puts the first task that is not done into the quarantine: no repetition helps, and a person has to learn of it. */
export class PutAside extends Error {
  override name = 'PutAside';
}

/** What failed when a task failed: the table, a queue, the keys of secrets, or the code itself. */
export type FailureKind = 'table' | 'queue' | 'keys' | 'other';

/** Tells what failed. All but `other` is an outage: it concerns every task, and says nothing about this one. */
export const kindOfFailure = (error: unknown): FailureKind => {
  if (error instanceof TableUnavailable) return 'table';
  if (error instanceof QueueUnavailable) return 'queue';
  return error instanceof KeysUnavailable ? 'keys' : 'other';
};
