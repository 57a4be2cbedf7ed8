import type { RuleHit } from '#openapi';
import { kinds } from '#shared/domain/kinds.ts';
import type { OpenFall } from './falls.ts';
import { HOUR } from './hits.ts';

/** One shift (ms). Closed alarms stay on the overview that long. */
export const SHIFT = 12 * HOUR;
/**
 * For this long (ms) after the first hit in an alarm, further hits from the same sensor join the alarm: a fall is
 * suspected, then detected, then confirmed.
 */
export const MERGE_WINDOW_MS = 10 * 60_000;
/** Fall hits may be dated up to this long (ms) before the fall started, because clocks differ between processes. */
const MAX_CLOCK_SKEW_MS = 60_000;

/** An alarm that someone has to check. Further rule hits join the alarm until one is answered. */
export type Alarm = {
  key: string;
  sensorId: string;
  /** The sensor name, or the id if the sensor no longer exists. */
  name: string;
  isFall: boolean;
  since: number;
  /** Oldest first. */
  hits: readonly [RuleHit, ...RuleHit[]];
  /** The fall, if it is still open. */
  fall?: OpenFall;
};

/** Whether a situation raises an alarm. Falls (except their end), vital signs, and offline sensors do. */
const isAlarm = (situation: RuleHit['situation']): boolean => {
  const { type, action } = kinds[situation];
  if (type === 'fall') return action !== 'canceled' && action !== 'finished';
  return type === 'vital' || situation === 'sensor_inactive';
};
const isFall = ({ situation }: RuleHit): boolean => kinds[situation].type === 'fall';
const subjectOf = (hit: RuleHit): string => `${hit.sensorId} ${isFall(hit) ? 'fall' : hit.situation}`;

/**
 * Returns the time (ms) at which a hit was acknowledged or given an outcome, whichever came first; Infinity if it was
 * neither.
 */
const answeredAt = ({ acknowledgement, feedback, closure }: RuleHit): number =>
  Math.min(acknowledgement?.date ?? Infinity, feedback?.createDate ?? Infinity, closure?.date ?? Infinity);

const belongs = ({ hits, since }: Alarm, { createDate }: RuleHit): boolean =>
  createDate < since + MERGE_WINDOW_MS && hits.every((hit) => answeredAt(hit) >= createDate);

/** Groups hits into alarms, oldest first. */
export const alarmsOf = (hits: readonly RuleHit[]): Alarm[] => {
  const alarms: Alarm[] = [];
  for (const hit of hits.filter(({ situation }) => isAlarm(situation)).toSorted((hit, other) => hit.id - other.id)) {
    const at = alarms.findLastIndex(({ hits: [first] }) => subjectOf(first) === subjectOf(hit));
    const last = alarms[at];
    if (last && belongs(last, hit)) alarms[at] = { ...last, hits: [...last.hits, hit] };
    else {
      const { id, sensorId, sensor, createDate: since } = hit;
      alarms.push({
        key: `hit ${id}`,
        sensorId,
        name: sensor?.name ?? sensorId,
        isFall: isFall(hit),
        since,
        hits: [hit],
      });
    }
  }
  return alarms;
};

const isOfFall = ({ isFall, sensorId, hits }: Alarm, fall: OpenFall): boolean =>
  isFall && sensorId === fall.sensorId && hits.some(({ createDate }) => createDate >= fall.since - MAX_CLOCK_SKEW_MS);

/**
 * Adds open falls to their alarms, and returns the falls without an alarm, which no rule reported. An alarm is timed
 * from the start of the fall, not from the hit, because the resident has been on the floor since then.
 */
export const withOpenFalls = (alarms: readonly Alarm[], falls: readonly OpenFall[]) => ({
  alarms: alarms.map((alarm): Alarm => {
    const fall = falls.find((open) => isOfFall(alarm, open));
    return fall ? { ...alarm, fall, since: Math.min(alarm.since, fall.since) } : alarm;
  }),
  unreported: falls.filter((fall) => !alarms.some((alarm) => isOfFall(alarm, fall))),
});

/** Whether at least one hit has been neither acknowledged nor given an outcome. */
export const isOpen = ({ hits }: Alarm): boolean => hits.some((hit) => answeredAt(hit) === Infinity);
/** Returns the first acknowledgement of an alarm; null if there is none. */
export const acknowledgementOf = ({ hits }: Alarm) =>
  hits.find(({ acknowledgement }) => acknowledgement)?.acknowledgement ?? null;
/** Returns how the fall behind an alarm was closed; null if it was not. */
export const closureOf = ({ hits }: Alarm) => hits.findLast(({ closure }) => closure)?.closure ?? null;
/** Returns the alarm outcome, recorded for the newest hit; null if there is none. */
export const feedbackOf = ({ hits }: Alarm) => hits.findLast(({ feedback }) => feedback)?.feedback ?? null;
/** Whether all hits in an alarm have an outcome. */
const hasOutcome = ({ hits }: Alarm): boolean => hits.every(({ feedback, closure }) => feedback || closure);
/** Whether people closed the fall. The list of open falls may still show it for a second. */
const isClosed = ({ hits }: Alarm): boolean => hits.every(({ closure }) => closure);
/**
 * Splits the answered alarms from a shift: `acknowledged` has those without an outcome or with a fall that is still
 * open. `closed` has all others, newest first.
 */
export const answeredAlarms = (alarms: readonly Alarm[], now: number) => {
  const isRecent = ({ hits }: Alarm): boolean => Math.max(...hits.map(answeredAt)) > now - SHIFT;
  const recent = alarms.filter((alarm) => !isOpen(alarm) && (alarm.fall || isRecent(alarm)));
  const isAcknowledged = (alarm: Alarm): boolean =>
    !isClosed(alarm) && (alarm.fall !== undefined || !hasOutcome(alarm));
  return {
    acknowledged: recent.filter(isAcknowledged),
    closed: recent.filter((alarm) => !isAcknowledged(alarm)).toReversed(),
  };
};
