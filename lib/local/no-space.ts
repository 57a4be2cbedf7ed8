/** Whether a call failed because the disk, or the quota of its user, has no space left. */
export const isNoSpace = (code: string | undefined): boolean => code === 'ENOSPC' || code === 'EDQUOT';
