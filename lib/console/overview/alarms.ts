import type { RuleHit } from '#openapi';
import { kinds } from '#shared/domain/kinds.ts';
import type { OpenFall } from './falls.ts';
import { HOUR } from './hits.ts';

/** How long (ms) a shift is: so long an answered alarm stays on the overview. */
export const SHIFT = 12 * HOUR;
/** Hits of one sensor so soon (ms) after the first are one alarm: a fall is suspected, then detected, then confirmed. */
const SAME = 10 * 60_000;
/** A fall has the hits of its sensor from so long (ms) before it was reported: clocks of processes differ. */
const BEFORE = 60_000;

/** What somebody has to go and see: hits of rules about the same, which nobody had answered when the last one came. */
export type Alarm = {
  key: string;
  sensorId: string;
  /** The name of the sensor; its id when it is gone. */
  name: string;
  isFall: boolean;
  since: number;
  /** The oldest first. */
  hits: readonly [RuleHit, ...RuleHit[]];
  /** The fall of its sensor that goes on. */
  fall?: OpenFall;
};

/** Is a situation an alarm, and not only news? Falls but for their end, vital signs, and a silent sensor are. */
const isAlarm = (situation: RuleHit['situation']): boolean => {
  const { type, action } = kinds[situation];
  if (type === 'fall') return action !== 'canceled' && action !== 'finished';
  return type === 'vital' || situation === 'sensor_inactive';
};
const isFall = ({ situation }: RuleHit): boolean => kinds[situation].type === 'fall';
const subjectOf = (hit: RuleHit): string => `${hit.sensorId} ${isFall(hit) ? 'fall' : hit.situation}`;

/** When a hit was answered (ms): somebody took care of it, or said what it was. */
const answeredAt = ({ acknowledgement, feedback }: RuleHit): number =>
  Math.min(acknowledgement?.date ?? Infinity, feedback?.createDate ?? Infinity);

const belongs = ({ hits, since }: Alarm, { createDate }: RuleHit): boolean =>
  createDate < since + SAME && hits.every((hit) => answeredAt(hit) >= createDate);

/** Makes the alarms of hits, the oldest first. */
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
  isFall && sensorId === fall.sensorId && hits.some(({ createDate }) => createDate >= fall.since - BEFORE);

/**
 * Tells alarms which falls go on, and gives the falls that are in no alarm: no rule told of them. What an alarm says of the
 * time since then counts from the fall, not from its hit: somebody has lain there for as long.
 */
export const withFalls = (alarms: readonly Alarm[], falls: readonly OpenFall[]) => ({
  alarms: alarms.map((alarm): Alarm => {
    const fall = falls.find((known) => isOfFall(alarm, known));
    return fall ? { ...alarm, fall, since: Math.min(alarm.since, fall.since) } : alarm;
  }),
  untold: falls.filter((fall) => !alarms.some((alarm) => isOfFall(alarm, fall))),
});

/** Has somebody still to answer an alarm? */
export const isOpen = ({ hits }: Alarm): boolean => hits.some((hit) => answeredAt(hit) === Infinity);
/** Who takes care of an alarm: the first one. */
export const carerOf = ({ hits }: Alarm) =>
  hits.find(({ acknowledgement }) => acknowledgement)?.acknowledgement ?? null;
/** What an alarm was, as somebody said of its newest hit. */
export const feedbackOf = ({ hits }: Alarm) => hits.findLast(({ feedback }) => feedback)?.feedback ?? null;
/** Did somebody say of all of an alarm what it was? */
export const isJudged = ({ hits }: Alarm): boolean => hits.every(({ feedback }) => feedback);
/**
 * The answered alarms of a shift. Taken care of are those of which nobody said yet what it was, and all whose fall goes on;
 * the others are done, the newest first.
 */
export const answered = (alarms: readonly Alarm[], now: number) => {
  const isOfShift = ({ hits }: Alarm): boolean => Math.max(...hits.map(answeredAt)) > now - SHIFT;
  const ofShift = alarms.filter((alarm) => !isOpen(alarm) && (alarm.fall || isOfShift(alarm)));
  const isTaken = (alarm: Alarm): boolean => alarm.fall !== undefined || !isJudged(alarm);
  return { taken: ofShift.filter(isTaken), done: ofShift.filter((alarm) => !isTaken(alarm)).toReversed() };
};
