const twoDigits = (value: number): string => String(value).padStart(2, '0');

/** Formats a duration (ms) as minutes and seconds, with hours once the first hour has passed. */
export const clockOf = (duration: number): string => {
  const seconds = Math.max(0, Math.floor(duration / 1_000));
  const hours = Math.floor(seconds / 3_600);
  const minutes = Math.floor(seconds / 60) % 60;
  const start = hours > 0 ? `${hours}:${twoDigits(minutes)}` : String(minutes);
  return `${start}:${twoDigits(seconds % 60)}`;
};
