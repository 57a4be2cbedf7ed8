import type { Event } from '#openapi';

type Span = { from: number; to: number };
type Seen = Pick<Event, 'type' | 'action' | 'createDate'>;

/**
 * A row in the strip: the periods of a state. If only the beginning or only the end of a period is known, that time is
 * in `moments`.
 */
export type Lane = { name: 'present' | 'inBed' | 'onFloor'; spans: readonly Span[]; moments: readonly number[] };

type Change = 'begins' | 'ends' | null;
/** How an event changes the state in each lane. */
const changes: Readonly<Record<Lane['name'], Readonly<Record<string, Change>>>> = {
  present: { 'presence/occupied_room': 'begins', 'presence/empty_room': 'ends' },
  inBed: { 'bed/entered': 'begins', 'bed/left': 'ends' },
  onFloor: {
    'fall/fall_detected': 'begins',
    'fall/fall_detected_sensitive': 'begins',
    'fall/finished': 'ends',
    'fall/canceled': 'ends',
  },
};
const names = Object.keys(changes) as Lane['name'][];

const clamped = ({ from, to }: Span, period: Span): Span => ({
  from: Math.max(from, period.from),
  to: Math.min(to, period.to),
});

/**
 * Returns the row for a state and a period, from events sorted oldest first. A state that has begun lasts until the end
 * of the period only if `isOpen`; otherwise the end is unknown.
 */
const laneOf = (name: Lane['name'], events: readonly Seen[], period: Span, isOpen: boolean): Lane => {
  const spans: Span[] = [];
  const moments: number[] = [];
  let since: number | null = null;
  for (const { type, action, createDate } of events) {
    const change = changes[name][`${type}/${action}`];
    if (change === 'begins') since ??= createDate;
    if (change !== 'ends') continue;
    if (since !== null) spans.push({ from: since, to: createDate });
    // Some sensors report that someone leaves the bed, but not that someone goes to bed.
    else if (name === 'inBed') moments.push(createDate);
    since = null;
  }
  if (since !== null && isOpen) spans.push({ from: since, to: period.to });
  else if (since !== null) moments.push(since);
  return {
    name,
    spans: spans.map((span) => clamped(span, period)).filter(({ from, to }) => to > from),
    moments: moments.filter((moment) => moment >= period.from && moment <= period.to),
  };
};

/** What happened in a room: the rows, and the time (ms) since which events are known. */
export type Today = { period: Span; knownFrom: number; lanes: readonly Lane[] };

/**
 * Returns what happened in a period, based on the newest events (newest first). `isWhole` means that there are no older
 * events, and `hasOpenFall` that someone is still on the floor. Empty rows are left out.
 */
export const todayOf = (
  newest: readonly Seen[],
  { period, isWhole, hasOpenFall }: { period: Span; isWhole: boolean; hasOpenFall: boolean },
): Today => {
  const events = newest.toReversed();
  const oldest = events[0]?.createDate ?? period.from;
  const lanes = names.map((name) => laneOf(name, events, period, name !== 'onFloor' || hasOpenFall));
  return {
    period,
    knownFrom: isWhole ? period.from : Math.max(oldest, period.from),
    lanes: lanes.filter(({ spans, moments }) => spans.length + moments.length > 0),
  };
};

/** Returns how many times the state occurred, including those of which only the beginning or only the end is known. */
export const countOf = ({ spans, moments }: Lane): number => spans.length + moments.length;

/** Returns how long (ms) the state lasted. */
export const lengthOf = ({ spans }: Lane): number => spans.reduce((sum, { from, to }) => sum + to - from, 0);
