import { statfsSync } from 'node:fs';

/** https://www.sqlite.org/rescode.html#full */
const SQLITE_FULL = 13;
/** With less free space (bytes) than this, no transaction begins, because the commit could fail. */
const MIN_FREE_BYTES = 4 * 1_024 * 1_024;

/** Whether an operation failed because the disk, or the user's quota, has no space left. */
export const isNoSpace = (code: string | undefined): boolean => code === 'ENOSPC' || code === 'EDQUOT';

/** Returns the error to throw when there is no space for a change. */
export const noSpace = (): Error => Object.assign(new Error('the disk has no space left'), { code: 'ENOSPC' });

/** Whether an error or its cause is a full disk or an exhausted user quota. */
export const isFullDisk = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  const { errcode, code, cause } = error as Error & { errcode?: number; code?: string };
  return errcode === SQLITE_FULL || isNoSpace(code) || isFullDisk(cause);
};

/**
 * Whether a folder's disk has space for a transaction. A user quota is noticeable only once it is used up, and some
 * network file systems report no sizes at all.
 */
export const hasRoom = (folder: string): boolean => {
  const { blocks, bavail, bsize } = statfsSync(folder);
  return blocks === 0 || bavail * bsize > MIN_FREE_BYTES;
};
