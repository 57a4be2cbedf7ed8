const MINUTE = 60_000;

/** Returns the last ms of an entered minute, because an end time includes its whole minute. */
export const endOfMinute = (time: number): number => time + MINUTE - 1;
