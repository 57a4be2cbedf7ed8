/** An error with the name that the SDK would give it: shared/store/engine/retry.ts decides by this name. */
export const tableError = (name: string, message: string, more: object = {}): Error =>
  Object.assign(new Error(message), { name, ...more });

/** The error for a call that DynamoDB would refuse, or that this table does not know. */
export const invalid = (message: string): Error => tableError('ValidationException', message);

/** The same for what depends on the item that is there: in a transaction it is the reason of one write. */
export const unfit = (message: string): Error => tableError('ValidationException', message, { isOfItem: true });

export const conditionFailed = (): Error =>
  tableError('ConditionalCheckFailedException', 'The conditional request failed');

/** The error for calls that were not kept: they may be made again. */
export const notKept = (cause: unknown): Error =>
  tableError('InternalServerError', 'the table could not be written', { cause });
