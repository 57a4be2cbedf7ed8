import type { RuleHit } from '#openapi';
import { kinds } from '#shared/domain/kinds.ts';
import type { OpenFall } from './falls.ts';
import { HOUR } from './hits.ts';

/** The length of a shift (ms), for which closed alarms stay on the overview. */
export const SHIFT = 12 * HOUR;
/**
 * Further hits of a sensor join an alarm for this long (ms) after its first hit: a fall is suspected, then detected,
 * then confirmed.
 */
export const MERGE_WINDOW_MS = 10 * 60_000;
/** Hits of a fall may be dated up to this long (ms) before its start, because the clocks of processes differ. */
const MAX_CLOCK_SKEW_MS = 60_000;

/** An alarm that somebody has to check: the rule hits about it up to the first answer. */
export type Alarm = {
  key: string;
  sensorId: string;
  /** The name of the sensor, or its id when it no longer exists. */
  name: string;
  isFall: boolean;
  since: number;
  /** Oldest first. */
  hits: readonly [RuleHit, ...RuleHit[]];
  /** The fall of its sensor that is still open. */
  fall?: OpenFall;
};

/** Whether a situation raises an alarm: falls except for their end, vital signs, and offline sensors do. */
const isAlarm = (situation: RuleHit['situation']): boolean => {
  const { type, action } = kinds[situation];
  if (type === 'fall') return action !== 'canceled' && action !== 'finished';
  return type === 'vital' || situation === 'sensor_inactive';
};
const isFall = ({ situation }: RuleHit): boolean => kinds[situation].type === 'fall';
const subjectOf = (hit: RuleHit): string => `${hit.sensorId} ${isFall(hit) ? 'fall' : hit.situation}`;

/** When a hit was answered (ms): acknowledged, or given an outcome. */
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
 * Adds open falls to their alarms, and returns the falls without one, which no rule reported. An alarm counts from the
 * start of its fall, not from its hit, because that is how long somebody has been on the floor.
 */
export const withOpenFalls = (alarms: readonly Alarm[], falls: readonly OpenFall[]) => ({
  alarms: alarms.map((alarm): Alarm => {
    const fall = falls.find((open) => isOfFall(alarm, open));
    return fall ? { ...alarm, fall, since: Math.min(alarm.since, fall.since) } : alarm;
  }),
  unreported: falls.filter((fall) => !alarms.some((alarm) => isOfFall(alarm, fall))),
});

/** Whether an alarm still needs an answer. */
export const isOpen = ({ hits }: Alarm): boolean => hits.some((hit) => answeredAt(hit) === Infinity);
/** The first acknowledgement of an alarm. */
export const acknowledgementOf = ({ hits }: Alarm) =>
  hits.find(({ acknowledgement }) => acknowledgement)?.acknowledgement ?? null;
/** How the fall of an alarm was closed. */
export const closureOf = ({ hits }: Alarm) => hits.findLast(({ closure }) => closure)?.closure ?? null;
/** The outcome of an alarm, recorded for its newest hit. */
export const feedbackOf = ({ hits }: Alarm) => hits.findLast(({ feedback }) => feedback)?.feedback ?? null;
/** Whether all hits of an alarm have an outcome. */
const hasOutcome = ({ hits }: Alarm): boolean => hits.every(({ feedback, closure }) => feedback || closure);
/** Whether people closed the fall of an alarm. The list of open falls may still show it for a second. */
const isClosed = ({ hits }: Alarm): boolean => hits.every(({ closure }) => closure);
/**
 * Splits the answered alarms of a shift: `acknowledged` are those without an outcome and those whose fall is still
 * open; the others are `closed`, newest first.
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
