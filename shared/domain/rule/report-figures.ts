import type { Situation } from '../event/event.ts';
import type { Feedback } from '../event/feedback.ts';
import type { Sensor } from '../sensor/sensor.ts';
import { daysOf, type Part } from '../time/calendar.ts';
import type { Figures, ReportMonth } from './report.ts';

/** What a report takes of a rule hit. `acknowledged`: when (ms), null if nobody has. */
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

/** An event that rules fired for, once, however many did: `answered` is how long (ms) the first answer took. */
type ReportedEvent = { at: number; sensorId: string; situation: Situation; answered: number | null };
type Opinion = { at: number; sensorId: string; classification: Feedback['classification'] };
/** `to` is null where no rule told the end. */
type Silence = { sensorId: string; from: number; to: number | null };

const keyOf = (sensorId: string, eventId: string) => `${sensorId} ${eventId}`;

const eventOf = (hits: readonly ReportHit[]): ReportedEvent[] => {
  const [first] = hits;
  if (!first) return [];
  const answers = hits.flatMap(({ acknowledged }) => acknowledged ?? []);
  const answered = answers.length > 0 ? Math.max(0, Math.min(...answers) - first.createDate) : null;
  return [{ at: first.createDate, sensorId: first.sensorId, situation: first.situation, answered }];
};

/** The newest feedback on each event, and each that names none. It counts when its event was told, or when it refers to. */
const opinionsOf = (hits: readonly ReportHit[], loose: readonly Feedback[]): Opinion[] => {
  const toldAt = new Map(hits.map((hit) => [keyOf(hit.sensorId, hit.sensorEventId), hit.createDate] as const));
  const onHits = hits.flatMap(({ feedback, sensorEventId }) =>
    feedback ? [{ feedback, eventId: sensorEventId }] : [],
  );
  const others = loose.map((feedback) => ({ feedback, eventId: feedback.eventId ?? String(feedback.id) }));
  const newest = new Map<string, Feedback>();
  for (const { feedback, eventId } of [...onHits, ...others]) {
    const key = keyOf(feedback.sensorId, eventId);
    if ((newest.get(key)?.id ?? 0) < feedback.id) newest.set(key, feedback);
  }
  return [...newest].map(([key, { sensorId, classification, referenceDate }]) => ({
    sensorId,
    classification,
    at: toldAt.get(key) ?? referenceDate,
  }));
};

/** The silences of one sensor, whose events are in their order. `until`: it is silent still, at this time (ms). */
const silencesOf = (events: readonly ReportedEvent[], until: number | null): Silence[] =>
  events.flatMap(({ situation, at: from, sensorId }, place) => {
    if (situation !== 'sensor_inactive') return [];
    const next = events[place + 1];
    if (!next) return [{ sensorId, from, to: until }];
    return [{ sensorId, from, to: next.situation === 'sensor_active' ? next.at : null }];
  });

/** The value that a part of all are at or below, between two by their distance: PERCENTILE.INC of spreadsheets. */
export const percentile = (sorted: readonly number[], part: number): number | null => {
  const at = (sorted.length - 1) * part;
  const low = sorted[Math.floor(at)];
  const high = sorted[Math.ceil(at)];
  return low === undefined || high === undefined ? null : Math.round(low + (high - low) * (at % 1));
};

type All = { events: readonly ReportedEvent[]; opinions: readonly Opinion[]; silences: readonly Silence[] };

const figuresOf = ({ events, opinions, silences }: All, { from, to }: Part): Figures => {
  const isIn = ({ at }: { at: number }) => at >= from && at < to;
  const falls = events.filter((event) => kindOf[event.situation] && isIn(event));
  const ofKind = (kind: Kind) => falls.filter(({ situation }) => kindOf[situation] === kind).length;
  const saying = opinions.filter(isIn);
  const opined = (which: Feedback['classification']) =>
    saying.filter(({ classification }) => classification === which).length;
  const answers = falls.flatMap(({ answered }) => answered ?? []).toSorted((a, b) => a - b);
  const begun = silences.filter((silence) => isIn({ at: silence.from }));
  const lasted = silences.map((silence) => Math.min(to, silence.to ?? 0) - Math.max(from, silence.from));
  return {
    falls: ofKind('falls'),
    sensitiveFalls: ofKind('sensitiveFalls'),
    suspectedFalls: ofKind('suspectedFalls'),
    falseAlarms: opined('FALSE_POSITIVE'),
    confirmed: opined('TRUE_POSITIVE'),
    missed: opined('FALSE_NEGATIVE'),
    acknowledged: answers.length,
    unanswered: falls.length - answers.length,
    medianMs: percentile(answers, 0.5),
    p90Ms: percentile(answers, 0.9),
    silences: begun.length,
    silentMs: lasted.reduce((sum, ms) => sum + Math.max(0, ms), 0),
    silencesWithoutEnd: begun.filter((silence) => silence.to === null).length,
  };
};

const perDay = ({ events, opinions }: All, part: Part, timeZone: string): ReportMonth['days'] => {
  const falls = events.filter(({ situation }) => ['falls', 'sensitiveFalls'].includes(kindOf[situation] ?? ''));
  const falseAlarms = opinions.filter(({ classification }) => classification === 'FALSE_POSITIVE');
  return daysOf(part, timeZone).map(({ date, from, to }) => {
    const countIn = (all: readonly { at: number }[]) => all.filter(({ at }) => at >= from && at < to).length;
    return { date, falls: countIn(falls), falseAlarms: countIn(falseAlarms) };
  });
};

type Given = {
  parts: readonly (Part & { isWhole: boolean })[];
  timeZone: string;
  /** In the order in which they were made. */
  hits: readonly ReportHit[];
  /** Feedback that names no rule hit. */
  loose: readonly Feedback[];
  sensors: readonly Pick<Sensor, 'id' | 'name' | 'isActive'>[];
  /** ms; null where the span ends before it. */
  now: number | null;
};

/** The figures of each part of a span, of each sensor that the customer has or that something was told of. */
export const monthsOf = ({ parts, timeZone, hits, loose, sensors, now }: Given): ReportMonth[] => {
  const byEvent = Map.groupBy(hits, ({ sensorId, sensorEventId }) => keyOf(sensorId, sensorEventId));
  const events = Map.groupBy([...byEvent.values()].flatMap(eventOf), ({ sensorId }) => sensorId);
  const opinions = Map.groupBy(opinionsOf(hits, loose), ({ sensorId }) => sensorId);
  const silentNow = new Set(sensors.filter(({ isActive }) => !isActive).map(({ id }) => id));
  const names = new Map<string, string | null>(sensors.map(({ id, name }) => [id, name]));
  for (const id of events.keys()) if (!names.has(id)) names.set(id, null);
  const rooms = [...names].map(([sensorId, name]): All & { sensorId: string; name: string | null } => {
    const own = events.get(sensorId) ?? [];
    const calls = own.filter(({ situation }) => situation === 'sensor_inactive' || situation === 'sensor_active');
    const silences = silencesOf(calls, silentNow.has(sensorId) ? now : null);
    return { sensorId, name, events: own, opinions: opinions.get(sensorId) ?? [], silences };
  });
  const home: All = {
    events: rooms.flatMap((room) => room.events),
    opinions: rooms.flatMap((room) => room.opinions),
    silences: rooms.flatMap((room) => room.silences),
  };
  return parts.map(({ isWhole, ...part }) => ({
    ...part,
    isWhole,
    total: figuresOf(home, part),
    days: perDay(home, { ...part, to: Math.min(part.to, now === null ? part.to : now + 1) }, timeZone),
    rooms: rooms.map(({ sensorId, name, ...all }) => ({ sensorId, name, ...figuresOf(all, part) })),
  }));
};
