/** Was a session, an access token or a code made before `since` (ms), from which on they count? */
export const isOutdated = ({ createDate }: { createDate: number }, since: number): boolean => createDate < since;

/** The context that secrets of second factors are sealed with. */
export const OTP_CONTEXT = 'otp';
