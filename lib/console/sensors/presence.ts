import type { Event } from '#openapi';

/** A period of presence from `from` to `to` (ms). */
type Span = { from: number; to: number };
export type Day = { start: number; spans: readonly Span[]; known: Span };

/** Gives the periods of presence in a room until `now`, from its newest events (newest first). */
export const spansOf = (events: readonly Pick<Event, 'type' | 'action' | 'createDate'>[], now: number): Span[] => {
  const changes = events.filter(({ type }) => type === 'presence').toReversed();
  return changes.flatMap(({ action, createDate }, at) =>
    action === 'occupied_room' ? [{ from: createDate, to: changes[at + 1]?.createDate ?? now }] : [],
  );
};

const cut = ({ from, to }: Span, within: Span): Span => ({
  from: Math.min(Math.max(from, within.from), within.to),
  to: Math.max(Math.min(to, within.to), within.from),
});

/**
 * Gives the last days including today, newest first, each from midnight to midnight in the time zone of the browser.
 */
export const daysOf = (spans: readonly Span[], since: number, now: number, count: number): Day[] =>
  Array.from({ length: count }, (_, back): Day => {
    const date = new Date(now);
    date.setHours(0, 0, 0, 0);
    date.setDate(date.getDate() - back);
    const start = date.getTime();
    date.setDate(date.getDate() + 1);
    const day = { from: start, to: date.getTime() };
    const ofDay = spans.map((span) => cut(span, day)).filter(({ from, to }) => to > from);
    return { start, spans: ofDay, known: cut({ from: since, to: now }, day) };
  });

/** The hours of presence in a day, rounded to a tenth. */
export const hoursOf = ({ spans }: Day): number =>
  Math.round(spans.reduce((sum, { from, to }) => sum + to - from, 0) / 360_000) / 10;
