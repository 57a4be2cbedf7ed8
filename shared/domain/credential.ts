/**
 * Was a session, an access token or a code made before `since` (ms), from which on they count? One that does not know
 * when it was made counts as made before.
 */
export const isOutdated = ({ createDate = 0 }: { createDate?: number }, since: number): boolean => createDate < since;

/** The context that secrets of second factors are sealed with. */
export const OTP_CONTEXT = 'otp';
