import type { Event } from '#openapi';

type Span = { from: number; to: number };
type Seen = Pick<Event, 'type' | 'action' | 'createDate'>;

/** A row of the strip: the periods of a state, and moments of which only the beginning is known. */
export type Lane = { name: 'present' | 'inBed' | 'onFloor'; spans: readonly Span[]; moments: readonly number[] };

type Change = 'begins' | 'ends' | null;
/** What an event changes about the state of each lane. */
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
 * Returns the row of a state in a period, from events that start with the oldest. A state that has begun lasts until
 * the end of the period only if `isOpen`; otherwise its end is unknown.
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
    // Some sensors report that somebody leaves the bed, but not that somebody goes to bed.
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

/** What happened in a room: its rows, and the time (ms) since which events are known. */
export type Today = { period: Span; knownFrom: number; lanes: readonly Lane[] };

/**
 * Returns what happened in a period, from the newest events (newest first). `isWhole`: whether there are no older ones.
 * `hasOpenFall`: whether somebody is still on the floor. Rows without anything are left out.
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

/** How often the state of a row began or, if only that is known, ended. */
export const countOf = ({ spans, moments }: Lane): number => spans.length + moments.length;

/** How long (ms) the state of a row lasted. */
export const lengthOf = ({ spans }: Lane): number => spans.reduce((sum, { from, to }) => sum + to - from, 0);
