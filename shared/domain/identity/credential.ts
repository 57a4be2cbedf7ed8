/** Whether a session, access token or code is outdated. Only credentials created at or after `since` (ms) are valid. */
export const isOutdated = ({ createDate }: { createDate: number }, since: number): boolean => createDate < since;

/** The encryption context for second-factor secrets. */
export const OTP_CONTEXT = 'otp';
