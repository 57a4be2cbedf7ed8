import { localTime } from './local-time.ts';
import { AT_DOOR, type Maker, makerOf, type RoomState } from './makers.ts';
import type { ObservedMoment } from './plan.ts';
import { type HomeRule, homeRules, isInGroup, type Kind, type Listener, night } from './rules.ts';

/*
 * The expectation is derived from the residents' days and the specification, without any cloud code, and then compared
 * with what the cloud recorded.
 */

/** Counts by key. A key is a list of words joined by spaces. */
export type Counts = Map<string, number>;
export const count = (counts: Counts, ...words: readonly (string | number)[]): void => {
  const key = words.join(' ');
  counts.set(key, (counts.get(key) ?? 0) + 1);
};

/**
 * `events` counts by sensor and kind, `hits` by sensor and rule, and `deliveries` by listener (`everything` is the
 * customer's webhook), sensor and kind. The `bytes` key counts raw device messages that led to an event.
 */
export type Accounts = Record<'events' | 'hits' | 'deliveries', Counts>;
const noAccounts = (): Accounts => ({ events: new Map(), hits: new Map(), deliveries: new Map() });

const SECOND = 1_000;
/** How long (ms) a maker A sensor waits after a bed exit before it reports another. */
const BED_EXIT_PAUSE = 900 * SECOND;

/** The room state last reported to the cloud. `bedLeft` is the time (ms) of the last bed exit. */
type ReportedState = { isOccupied: boolean; isInBed: boolean; hasAlarm: boolean; bedLeft: number };
const unreported: ReportedState = {
  isOccupied: false,
  isInBed: false,
  hasAlarm: false,
  bedLeft: Number.NEGATIVE_INFINITY,
};
/** An event, `after` ms after the moment that causes it. If `isByTime` is true, the cause is a timer, not a message. */
type Fact = [kind: Kind, after?: number, isByTime?: boolean];

const falls: Record<Maker, Partial<Record<string, Fact[]>>> = {
  maker_a: {
    fall: [
      ['fall/fall_suspected'],
      ['fall/confirmed', 52 * SECOND],
      ['fall/fall_detected', 92 * SECOND],
      ['fall/finished', 122 * SECOND],
    ],
    // Only timers advance this fall, after the durations in the sensor configuration (52 s, 40 s and 30 s).
    cut_fall: [
      ['fall/fall_suspected'],
      ['fall/confirmed', 52 * SECOND, true],
      ['fall/fall_detected', 92 * SECOND, true],
      ['fall/finished', 122 * SECOND, true],
    ],
    near_fall: [['fall/fall_suspected'], ['fall/canceled', 20 * SECOND]],
  },
  maker_b: {
    fall: [['fall/fall_suspected'], ['fall/fall_detected', 60 * SECOND], ['fall/finished', 180 * SECOND]],
    cut_fall: [['fall/fall_suspected'], ['fall/fall_detected', 60 * SECOND]],
    near_fall: [['fall/fall_suspected'], ['fall/canceled', 20 * SECOND]],
  },
};

const atDoor = (enters: number): Fact[] => [
  ['door/entered', enters],
  ['door/left', enters + AT_DOOR],
];

/** Whether a maker B sensor reports the number of people at this moment, and therefore nothing about the bed. */
const countsPeople = ({ what, where }: ObservedMoment): boolean =>
  ['begin', 'leave_room', 'enter_room', 'visitor_enters', 'visitor_leaves', 'back'].includes(what) ||
  (what === 'report' && !where.isInBed);

const isOccupied = ({ isPresent, hasVisitor }: RoomState): boolean => isPresent || hasVisitor;
const when = (holds: boolean, kind: Kind, after = 0): Fact[] => (holds ? [[kind, after]] : []);
const roomFacts = (known: ReportedState, where: RoomState, after = 0): Fact[] => [
  ...when(!known.isOccupied && isOccupied(where), 'presence/occupied_room', after),
  ...when(known.isOccupied && !isOccupied(where), 'presence/empty_room', after),
];

/** The events a message causes, and the reported state after it. */
type Effect = { facts: Fact[]; after: ReportedState };

const effectOfA = (known: ReportedState, { at, what, where }: ObservedMoment): Effect => {
  if (['fall', 'cut_fall', 'near_fall', 'bad_night', 'silent'].includes(what)) return { facts: [], after: known };
  const { isInBed } = where;
  const isExit = known.isInBed && !isInBed && at - known.bedLeft >= BED_EXIT_PAUSE;
  const facts = [
    ...roomFacts(known, where),
    ...when(isInBed && !known.isInBed, 'bed/entered'),
    ...when(isExit, 'bed/left'),
    ...(what.startsWith('visitor') ? atDoor(0) : []),
  ];
  return { facts, after: { ...known, isOccupied: isOccupied(where), isInBed, ...(isExit && { bedLeft: at }) } };
};

const effectOfB = (known: ReportedState, moment: ObservedMoment): Effect => {
  const { what, where } = moment;
  const reportsPeople = countsPeople(moment);
  const isNormal = what === 'back' || (what === 'report' && where.isInBed);
  const facts = [
    // After an outage, the first message only shows that the sensor is active. The number of people follows a second
    // later.
    ...(reportsPeople ? roomFacts(known, where, what === 'back' ? SECOND : 0) : []),
    ...when(what === 'begin' && where.isInBed, 'bed/entered', SECOND),
    ...when(what === 'enter_bed', 'bed/entered'),
    ...when(what === 'leave_bed', 'bed/left'),
    ...(what === 'visitor_enters' ? atDoor(SECOND) : []),
    ...(what === 'visitor_leaves' ? atDoor(0) : []),
    ...when(what === 'bad_night' && !known.hasAlarm, 'vital/heart_rate_high'),
  ];
  const after = {
    ...known,
    isOccupied: reportsPeople ? isOccupied(where) : known.isOccupied,
    hasAlarm: what === 'bad_night' || (known.hasAlarm && !isNormal),
  };
  return { facts, after };
};

const onSensor: Partial<Record<string, Fact[]>> = {
  begin: [['sensor/active']],
  back: [['sensor/active']],
  // Depending on its settings, the cloud may notice later. This makes no difference, because no rule has a rate limit
  // that short.
  silent: [['sensor/inactive', 330 * SECOND, true]],
};

const covers = ({ scope }: HomeRule, sensor: number): boolean =>
  scope === 'home' || (scope === 'group' ? isInGroup(sensor) : sensor === 0);

const isNight = (time: number): boolean => {
  const clock = localTime(time);
  return clock >= night.from || clock < night.to;
};

/** Whether an event kind is exempt from rate limits, as the first report of a fall is. */
const isUnlimited = (kind: Kind): boolean => kind === 'fall/fall_detected' || kind === 'fall/fall_suspected';

/** Counts the expected events, hits and alarms from moments ordered by time. `begin` is the first midnight (ms). */
export const createExpectation = (begin: number, rules: readonly HomeRule[] = homeRules) => {
  const accounts = noAccounts();
  const known = new Map<number, ReportedState>();
  const fired = new Map<string, number>();

  const deliver = (listener: Listener | 'everything', sensor: number, kind: Kind) =>
    count(accounts.deliveries, listener, sensor, kind);
  const fire = (rule: HomeRule, sensor: number, kind: Kind, time: number): void => {
    if (rule.kind !== kind || !covers(rule, sensor) || (rule.isNightly && !isNight(time))) return;
    const key = `${rule.name} ${sensor}`;
    const last = fired.get(key) ?? Number.NEGATIVE_INFINITY;
    if (!isUnlimited(kind) && time - last < rule.rateLimitSeconds * SECOND) return;
    fired.set(key, time);
    count(accounts.hits, sensor, rule.name);
    for (const listener of rule.recipients) deliver(listener, sensor, kind);
  };

  return {
    accounts,
    observe: (moment: ObservedMoment): void => {
      const { at, what, sensor } = moment;
      const maker = makerOf(sensor);
      const before = known.get(sensor) ?? unreported;
      const { facts, after } = (maker === 'maker_a' ? effectOfA : effectOfB)(before, moment);
      known.set(sensor, after);
      const all = [...facts, ...(falls[maker][what] ?? []), ...(onSensor[what] ?? [])];
      const delays = new Set(all.filter(([, , isByTime]) => !isByTime).map(([, late = 0]) => late));
      for (const _ of delays) count(accounts.deliveries, 'bytes');
      for (const [kind, late = 0] of all) {
        count(accounts.events, sensor, kind);
        deliver('everything', sensor, kind);
        for (const rule of rules) fire(rule, sensor, kind, begin + at + late);
      }
    },
  };
};
