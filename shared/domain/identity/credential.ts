/** Whether a session, access token or code is too old: only credentials created at or after `since` (ms) are valid. */
export const isOutdated = ({ createDate }: { createDate: number }, since: number): boolean => createDate < since;

/** The encryption context of the secrets of second factors. */
export const OTP_CONTEXT = 'otp';
