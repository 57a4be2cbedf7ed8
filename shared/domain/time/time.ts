const ZONED = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/;

/**
 * Parses an ISO 8601 time, such as 2026-11-22T10:00:00Z, as ms since the Unix epoch. It must include a time zone,
 * because the machine's time zone may not be the intended one. Returns null for anything else.
 */
export const readTime = (text: string): number | null => {
  const time = ZONED.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? null : time;
};
