const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Formats a duration (ms): `45 s`, `12 min`, `5 h 20 min`. The unit symbols are the same in every language. */
export const duration = (ms: number): string => {
  if (ms < MINUTE) return `${Math.round(ms / 1_000)} s`;
  const minutes = Math.round(ms / MINUTE);
  if (ms < HOUR) return `${minutes} min`;
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
};
