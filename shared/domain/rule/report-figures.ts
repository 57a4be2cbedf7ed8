import type { Situation } from '../event/event.ts';
import type { Feedback } from '../event/feedback.ts';
import type { Sensor } from '../sensor/sensor.ts';
import { daysOf, type MonthPart } from '../time/calendar.ts';
import type { Figures, ReportMonth } from './report.ts';

/** The rule hit fields needed by a report. `acknowledged` is when (ms) the hit was acknowledged; null if it was not. */
export type ReportHit = {
  createDate: number;
  sensorId: string;
  sensorEventId: string;
  situation: Situation;
  acknowledged: number | null;
  feedback: Feedback | null;
};

type Kind = 'falls' | 'sensitiveFalls' | 'suspectedFalls';
const kindOf: Partial<Record<Situation, Kind>> = {
  fall_detected: 'falls',
  fall_detected_sensitive: 'sensitiveFalls',
  fall_suspected: 'suspectedFalls',
  fall_suspected_sensitive: 'suspectedFalls',
};

/** An event that fired rules, counted once. `responseTime` is the time (ms) until the first acknowledgement. */
type ReportedEvent = { at: number; sensorId: string; situation: Situation; responseTime: number | null };
type Assessment = { at: number; sensorId: string; classification: Feedback['classification'] };
/** A period when a sensor was offline. `to` is null if no rule reported the end. */
type OfflinePeriod = { sensorId: string; from: number; to: number | null };

const eventKey = (sensorId: string, eventId: string) => `${sensorId} ${eventId}`;

const eventOf = (hits: readonly ReportHit[]): ReportedEvent[] => {
  const [first] = hits;
  if (!first) return [];
  const acknowledgedAt = hits.flatMap(({ acknowledged }) => acknowledged ?? []);
  const responseTime = acknowledgedAt.length > 0 ? Math.max(0, Math.min(...acknowledgedAt) - first.createDate) : null;
  return [{ at: first.createDate, sensorId: first.sensorId, situation: first.situation, responseTime }];
};

/**
 * Returns the newest feedback on each event, and all feedback without an event. Feedback on a hit gets the hit date;
 * all other feedback gets the time it refers to.
 */
const assessmentsOf = (hits: readonly ReportHit[], loose: readonly Feedback[]): Assessment[] => {
  const hitDates = new Map(hits.map((hit) => [eventKey(hit.sensorId, hit.sensorEventId), hit.createDate] as const));
  const onHits = hits.flatMap(({ feedback, sensorEventId }) =>
    feedback ? [{ feedback, eventId: sensorEventId }] : [],
  );
  const others = loose.map((feedback) => ({ feedback, eventId: feedback.eventId ?? String(feedback.id) }));
  const newest = new Map<string, Feedback>();
  for (const { feedback, eventId } of [...onHits, ...others]) {
    const key = eventKey(feedback.sensorId, eventId);
    if ((newest.get(key)?.id ?? 0) < feedback.id) newest.set(key, feedback);
  }
  return [...newest].map(([key, { sensorId, classification, referenceDate }]) => ({
    sensorId,
    classification,
    at: hitDates.get(key) ?? referenceDate,
  }));
};

/**
 * Returns the offline periods for one sensor, given the events in order. `until` is when (ms) the last period ends if
 * no end was reported; null if unknown.
 */
const offlinePeriodsOf = (events: readonly ReportedEvent[], until: number | null): OfflinePeriod[] =>
  events.flatMap(({ situation, at: from, sensorId }, index) => {
    if (situation !== 'sensor_inactive') return [];
    const next = events[index + 1];
    if (!next) return [{ sensorId, from, to: until }];
    return [{ sensorId, from, to: next.situation === 'sensor_active' ? next.at : null }];
  });

/** Returns a percentile with linear interpolation, like PERCENTILE.INC in spreadsheets. */
export const percentile = (sorted: readonly number[], part: number): number | null => {
  const at = (sorted.length - 1) * part;
  const low = sorted[Math.floor(at)];
  const high = sorted[Math.ceil(at)];
  return low === undefined || high === undefined ? null : Math.round(low + (high - low) * (at % 1));
};

type History = {
  events: readonly ReportedEvent[];
  assessments: readonly Assessment[];
  offlinePeriods: readonly OfflinePeriod[];
};

const figuresOf = ({ events, assessments, offlinePeriods }: History, { from, to }: MonthPart): Figures => {
  const isIn = ({ at }: { at: number }) => at >= from && at < to;
  const falls = events.filter((event) => kindOf[event.situation] && isIn(event));
  const ofKind = (kind: Kind) => falls.filter(({ situation }) => kindOf[situation] === kind).length;
  const countAssessed = (as: Feedback['classification']) =>
    assessments.filter((assessment) => assessment.classification === as && isIn(assessment)).length;
  const responseTimes = falls.flatMap(({ responseTime }) => responseTime ?? []).toSorted((a, b) => a - b);
  const begun = offlinePeriods.filter((period) => isIn({ at: period.from }));
  const durations = offlinePeriods.map((period) => Math.min(to, period.to ?? 0) - Math.max(from, period.from));
  return {
    falls: ofKind('falls'),
    sensitiveFalls: ofKind('sensitiveFalls'),
    suspectedFalls: ofKind('suspectedFalls'),
    falseAlarms: countAssessed('FALSE_POSITIVE'),
    confirmed: countAssessed('TRUE_POSITIVE'),
    missed: countAssessed('FALSE_NEGATIVE'),
    acknowledged: responseTimes.length,
    unanswered: falls.length - responseTimes.length,
    medianMs: percentile(responseTimes, 0.5),
    p90Ms: percentile(responseTimes, 0.9),
    silences: begun.length,
    silentMs: durations.reduce((sum, ms) => sum + Math.max(0, ms), 0),
    silencesWithoutEnd: begun.filter((period) => period.to === null).length,
  };
};

const perDay = ({ events, assessments }: History, part: MonthPart, timeZone: string): ReportMonth['days'] => {
  const falls = events.filter(({ situation }) => ['falls', 'sensitiveFalls'].includes(kindOf[situation] ?? ''));
  const falseAlarms = assessments.filter(({ classification }) => classification === 'FALSE_POSITIVE');
  return daysOf(part, timeZone).map(({ date, from, to }) => {
    const countIn = (dated: readonly { at: number }[]) => dated.filter(({ at }) => at >= from && at < to).length;
    return { date, falls: countIn(falls), falseAlarms: countIn(falseAlarms) };
  });
};

type ReportInput = {
  parts: readonly (MonthPart & { isWhole: boolean })[];
  timeZone: string;
  /** Ordered by creation. */
  hits: readonly ReportHit[];
  /** Feedback that does not refer to a rule hit. */
  unlinkedFeedback: readonly Feedback[];
  sensors: readonly Pick<Sensor, 'id' | 'name' | 'isActive'>[];
  /** The current time (ms); null if the time span ends earlier. */
  now: number | null;
};

/**
 * Returns the figures for each part of a time span, for all of the customer's sensors and any other sensors with hits.
 */
export const reportMonths = ({ parts, timeZone, hits, unlinkedFeedback, sensors, now }: ReportInput): ReportMonth[] => {
  const byEvent = Map.groupBy(hits, ({ sensorId, sensorEventId }) => eventKey(sensorId, sensorEventId));
  const events = Map.groupBy([...byEvent.values()].flatMap(eventOf), ({ sensorId }) => sensorId);
  const assessments = Map.groupBy(assessmentsOf(hits, unlinkedFeedback), ({ sensorId }) => sensorId);
  const offlineNow = new Set(sensors.filter(({ isActive }) => !isActive).map(({ id }) => id));
  const names = new Map<string, string | null>(sensors.map(({ id, name }) => [id, name]));
  for (const id of events.keys()) if (!names.has(id)) names.set(id, null);
  const rooms = [...names].map(([sensorId, name]): History & { sensorId: string; name: string | null } => {
    const ofSensor = events.get(sensorId) ?? [];
    const changes = ofSensor.filter(
      ({ situation }) => situation === 'sensor_inactive' || situation === 'sensor_active',
    );
    const offlinePeriods = offlinePeriodsOf(changes, offlineNow.has(sensorId) ? now : null);
    return { sensorId, name, events: ofSensor, assessments: assessments.get(sensorId) ?? [], offlinePeriods };
  });
  const home: History = {
    events: rooms.flatMap((room) => room.events),
    assessments: rooms.flatMap((room) => room.assessments),
    offlinePeriods: rooms.flatMap((room) => room.offlinePeriods),
  };
  return parts.map(({ isWhole, ...part }) => ({
    ...part,
    isWhole,
    total: figuresOf(home, part),
    days: perDay(home, { ...part, to: Math.min(part.to, now === null ? part.to : now + 1) }, timeZone),
    rooms: rooms.map(({ sensorId, name, ...history }) => ({ sensorId, name, ...figuresOf(history, part) })),
  }));
};
