import { localTime } from './local-time.ts';
import { AT_DOOR, type Maker, makerOf, type Where } from './makers.ts';
import type { Witnessed } from './plan.ts';
import { type HomeRule, homeRules, isInGroup, type Kind, type Listener, night } from './rules.ts';

/*
 * This expectation is counted from the residents' days and by the specification, without the cloud's code. It is then
 * compared with what the cloud has.
 */

/** A number for each key, which is made of words joined by spaces. */
export type Counts = Map<string, number>;
export const count = (counts: Counts, ...words: readonly (string | number)[]): void => {
  const key = words.join(' ');
  counts.set(key, (counts.get(key) ?? 0) + 1);
};

/**
 * `events` counts per sensor and kind. `hits` counts per sensor and rule. `deliveries` counts per listener (`everything` is
 * the customer's webhook), sensor and kind; its key `bytes` counts raw messages of devices that led to an event.
 */
export type Accounts = Record<'events' | 'hits' | 'deliveries', Counts>;
const noAccounts = (): Accounts => ({ events: new Map(), hits: new Map(), deliveries: new Map() });

const SECOND = 1_000;
/** For so many ms after a bed exit, a maker A sensor reports no further bed exit. */
const SUSPENDED = 900 * SECOND;

/** The state of a room after the last message to the cloud; `bedLeft` is the time (ms) of the last bed exit. */
type Known = { isOccupied: boolean; isInBed: boolean; hasAlarm: boolean; bedLeft: number };
const nothing: Known = { isOccupied: false, isInBed: false, hasAlarm: false, bedLeft: Number.NEGATIVE_INFINITY };
/** An event, `after` ms after its moment. `isByTime` says that a timer causes it, and not a message. */
type Fact = [kind: Kind, after?: number, isByTime?: boolean];

const falls: Record<Maker, Partial<Record<string, Fact[]>>> = {
  maker_a: {
    fall: [
      ['fall/fall_suspected'],
      ['fall/confirmed', 52 * SECOND],
      ['fall/fall_detected', 92 * SECOND],
      ['fall/finished', 122 * SECOND],
    ],
    // Only timers move this fall on, after the durations in the sensor's configuration: 52 s, 40 s, 30 s.
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

/** Does a maker B sensor send the number of people at this moment? It sends no message about the bed then. */
const countsPeople = ({ what, where }: Witnessed): boolean =>
  ['begin', 'leave_room', 'enter_room', 'visitor_enters', 'visitor_leaves', 'back'].includes(what) ||
  (what === 'report' && !where.isInBed);

const isOccupied = ({ isPresent, hasVisitor }: Where): boolean => isPresent || hasVisitor;
const when = (holds: boolean, kind: Kind, after = 0): Fact[] => (holds ? [[kind, after]] : []);
const roomFacts = (known: Known, where: Where, after = 0): Fact[] => [
  ...when(!known.isOccupied && isOccupied(where), 'presence/occupied_room', after),
  ...when(known.isOccupied && !isOccupied(where), 'presence/empty_room', after),
];

/** The events that a message causes, and the state that is known after it. */
type Effect = { facts: Fact[]; after: Known };

const effectOfA = (known: Known, { at, what, where }: Witnessed): Effect => {
  if (['fall', 'cut_fall', 'near_fall', 'bad_night', 'silent'].includes(what)) return { facts: [], after: known };
  const { isInBed } = where;
  const isExit = known.isInBed && !isInBed && at - known.bedLeft >= SUSPENDED;
  const facts = [
    ...roomFacts(known, where),
    ...when(isInBed && !known.isInBed, 'bed/entered'),
    ...when(isExit, 'bed/left'),
    ...(what.startsWith('visitor') ? atDoor(0) : []),
  ];
  return { facts, after: { ...known, isOccupied: isOccupied(where), isInBed, ...(isExit && { bedLeft: at }) } };
};

const effectOfB = (known: Known, moment: Witnessed): Effect => {
  const { what, where } = moment;
  const saysPeople = countsPeople(moment);
  const isWell = what === 'back' || (what === 'report' && where.isInBed);
  const facts = [
    // After a silence, the first message says that the sensor is active; the number of people follows a second later.
    ...(saysPeople ? roomFacts(known, where, what === 'back' ? SECOND : 0) : []),
    ...when(what === 'begin' && where.isInBed, 'bed/entered', SECOND),
    ...when(what === 'enter_bed', 'bed/entered'),
    ...when(what === 'leave_bed', 'bed/left'),
    ...(what === 'visitor_enters' ? atDoor(SECOND) : []),
    ...(what === 'visitor_leaves' ? atDoor(0) : []),
    ...when(what === 'bad_night' && !known.hasAlarm, 'vital/heart_rate_high'),
  ];
  const after = {
    ...known,
    isOccupied: saysPeople ? isOccupied(where) : known.isOccupied,
    hasAlarm: what === 'bad_night' || (known.hasAlarm && !isWell),
  };
  return { facts, after };
};

const onSensor: Partial<Record<string, Fact[]>> = {
  begin: [['sensor/active']],
  back: [['sensor/active']],
  // The cloud may notice it later, as configured; no limit of a rule is so close that this matters.
  silent: [['sensor/inactive', 330 * SECOND, true]],
};

const covers = ({ scope }: HomeRule, sensor: number): boolean =>
  scope === 'home' || (scope === 'group' ? isInGroup(sensor) : sensor === 0);

const isNight = (time: number): boolean => {
  const clock = localTime(time);
  return clock >= night.from || clock < night.to;
};

/** Each fall is a new one, so the rate limit of a rule does not suppress its first report. */
const isUnlimited = (kind: Kind): boolean => kind === 'fall/fall_detected' || kind === 'fall/fall_suspected';

/** Counts expected events, hits and alarms from moments, given in order of time. `begin` is the first midnight, ms. */
export const createExpectation = (begin: number, rules: readonly HomeRule[] = homeRules) => {
  const accounts = noAccounts();
  const known = new Map<number, Known>();
  const fired = new Map<string, number>();

  const tell = (listener: Listener | 'everything', sensor: number, kind: Kind) =>
    count(accounts.deliveries, listener, sensor, kind);
  const fire = (rule: HomeRule, sensor: number, kind: Kind, time: number): void => {
    if (rule.kind !== kind || !covers(rule, sensor) || (rule.isNightly && !isNight(time))) return;
    const key = `${rule.name} ${sensor}`;
    const last = fired.get(key) ?? Number.NEGATIVE_INFINITY;
    if (!isUnlimited(kind) && time - last < rule.rateLimitSeconds * SECOND) return;
    fired.set(key, time);
    count(accounts.hits, sensor, rule.name);
    for (const listener of rule.tells) tell(listener, sensor, kind);
  };

  return {
    accounts,
    witness: (moment: Witnessed): void => {
      const { at, what, sensor } = moment;
      const maker = makerOf(sensor);
      const before = known.get(sensor) ?? nothing;
      const { facts, after } = (maker === 'maker_a' ? effectOfA : effectOfB)(before, moment);
      known.set(sensor, after);
      const all = [...facts, ...(falls[maker][what] ?? []), ...(onSensor[what] ?? [])];
      const delays = new Set(all.filter(([, , isByTime]) => !isByTime).map(([, late = 0]) => late));
      for (const _ of delays) count(accounts.deliveries, 'bytes');
      for (const [kind, late = 0] of all) {
        count(accounts.events, sensor, kind);
        tell('everything', sensor, kind);
        for (const rule of rules) fire(rule, sensor, kind, begin + at + late);
      }
    },
  };
};
