const MINUTE = 60_000;

/** Returns the last millisecond of an entered minute, because an end time includes the whole minute. */
export const endOfMinute = (time: number): number => time + MINUTE - 1;
