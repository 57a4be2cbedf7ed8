/** Creates an error with the name that the SDK would use. shared/store/engine/retry.ts decides based on this name. */
export const tableError = (name: string, message: string, more: object = {}): Error =>
  Object.assign(new Error(message), { name, ...more });

/** Creates the error for a call that DynamoDB would reject, or that the local table does not support. */
export const invalid = (message: string): Error => tableError('ValidationException', message);

/**
 * Creates the error for a write that does not fit the stored item. In a transaction, it becomes a cancellation reason.
 */
export const invalidItem = (message: string): Error => tableError('ValidationException', message, { isOfItem: true });

export const conditionFailed = (): Error =>
  tableError('ConditionalCheckFailedException', 'The conditional request failed');

/** Creates the error for calls whose changes could not be stored. They can be retried. */
export const notStored = (cause: unknown): Error =>
  tableError('InternalServerError', 'could not write to the table', { cause });

/** Creates the error for a change that SQLite may have executed only partially. */
export const partlyApplied = (cause: unknown): Error =>
  tableError('InternalServerError', 'a change was executed only in part', { cause, isPartlyApplied: true });
export const isPartlyApplied = (error: unknown): boolean =>
  (error as { isPartlyApplied?: boolean }).isPartlyApplied === true;
