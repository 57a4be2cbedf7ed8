import { isUrgent, type UrgentSituation } from '#shared/domain/rule/alarm.ts';
import { orderDateOf } from '#shared/domain/rule/hit-position.ts';
import type { TableReader } from '../engine/client.ts';
import { type AlarmCursor, isPast } from './alarm-cursor.ts';
import { type HitReader, type ReadHit, readHits } from './hit-reader.ts';
import { readUnruled, type UnruledAlarm, type UnruledReader } from './unruled-reader.ts';

/** Which alarms to read: those in a time span (ms, both ends included), from one sensor or all selected sensors. */
export type AlarmSpan = {
  customerId: number;
  from: number;
  to: number;
  sensorId: string;
  isWanted: (sensorId: string) => boolean;
};

/** An urgent event that may have a row in the list. Whether it does depends on the other events in the fall. */
export type Candidate = {
  /**
   * When (ms) the alarm was created. If the clock was set back after an earlier alarm, lists place it at a later time.
   */
  date: number;
  uuid: string;
  sensorId: string;
  situation: UrgentSituation;
  fall: string | null;
  /** The first hit for the event. Null without a rule. */
  hit: ReadHit | null;
  /** The event id, if known without reading the event. */
  eventId: number | null;
  /** Where the list continues after this candidate. */
  cursor: AlarmCursor;
};

/** A walk through a customer's alarms, newest first. */
export type AlarmWalk = {
  /**
   * Returns the next candidate; null at the end, or when the read limit is reached and another request has to continue.
   */
  next: () => Promise<Candidate | null>;
  /** Where the list continues; null at the end. */
  rest: () => AlarmCursor | null;
  /** The hits read so far, newest first. */
  hits: readonly ReadHit[];
  /** Whether there may be hits newer than these. */
  hasNewer: boolean;
};

/**
 * How far (ms) apart the hits for one event may be. They are written together or, after a crash, when the service is
 * back.
 */
export const MAX_APART_MS = 4 * 3_600_000;

/** The maximum number of hits, and of alarms without a rule, read by one request: about 90 and 25 read units. */
const MAX_READ = 1_000;

/** A hit with an urgent situation. */
type AlarmHit = ReadHit & { situation: UrgentSituation };

/** Walks through hits. `at`: the number of hits passed. */
const walkHits = (reader: HitReader, isAlarm: (hit: ReadHit) => hit is AlarmHit) => {
  const { hits } = reader;
  let at = 0;
  return {
    peek: async (): Promise<AlarmHit | null> => {
      for (;;) {
        const hit = hits[at];
        if (hit && isAlarm(hit)) return hit;
        if (hit) at += 1;
        else if (reader.isEnd || hits.length >= MAX_READ) return null;
        else await reader.more();
      }
    },
    pass: () => {
      at += 1;
    },
    /** Whether no earlier hit is for the same event. A sensor's hits follow the order of its events. */
    isFirst: async (hit: AlarmHit): Promise<boolean> => {
      for (let place = at + 1; ; place++) {
        while (place >= hits.length) {
          const isFar = orderDateOf(hits.at(-1) ?? hit) < orderDateOf(hit) - MAX_APART_MS;
          if (reader.isEnd || isFar || hits.length >= 2 * MAX_READ) return true;
          await reader.more();
        }
        const before = hits[place];
        if (before?.sensorId === hit.sensorId) return before.sensorEventId !== hit.sensorEventId;
      }
    },
    /** Returns the id of the newest hit not passed yet. */
    restId: (): number => hits[at]?.id ?? (reader.isEnd ? 0 : (hits.at(-1)?.id ?? 1) - 1),
    isDone: (): boolean => reader.isEnd && at >= hits.length,
  };
};

/** Walks through alarms without a rule. */
const walkUnruled = (reader: UnruledReader, isWanted: (alarm: UnruledAlarm) => boolean) => {
  const { alarms } = reader;
  let at = 0;
  return {
    peek: async (): Promise<UnruledAlarm | null> => {
      for (;;) {
        const alarm = alarms[at];
        if (alarm && isWanted(alarm)) return alarm;
        if (alarm) at += 1;
        else if (reader.isEnd || alarms.length >= MAX_READ) return null;
        else await reader.more();
      }
    },
    pass: () => {
      at += 1;
    },
    /** Returns the last alarm passed. */
    passed: (): UnruledAlarm | undefined => alarms[at - 1],
    isDone: (): boolean => reader.isEnd && at >= alarms.length,
  };
};

/** Walks through a customer's alarms, starting at the newest alarm or at a cursor. */
export const walkAlarms = async (
  table: TableReader,
  span: AlarmSpan,
  after: AlarmCursor | null,
): Promise<AlarmWalk> => {
  const { customerId, from, to, sensorId, isWanted } = span;
  const isWantedSensor = (id: string) => (sensorId === '' || id === sensorId) && isWanted(id);
  const hitReader = await readHits(table, { customerId, sensorId, from, to, lastId: after?.hitId });
  const hits = walkHits(
    hitReader,
    (hit): hit is AlarmHit => !hit.isErased && isUrgent(hit.situation) && isWantedSensor(hit.sensorId),
  );
  const unruled = walkUnruled(
    readUnruled(table, { customerId, from, to: Math.min(to, after?.date ?? to) }),
    (alarm) => isWantedSensor(alarm.sensorId) && !(after && isPast(after, alarm)),
  );
  const ofUnruled = (alarm: UnruledAlarm): Candidate => {
    unruled.pass();
    const { date, uuid } = alarm;
    return { ...alarm, hit: null, cursor: { hitId: hits.restId(), date, uuid } };
  };
  /** Returns the candidate for a hit; null if an earlier hit is for the same event. */
  const ofHit = async (hit: AlarmHit): Promise<Candidate | null> => {
    const { sensorEventId: uuid, situation, fall = null } = hit;
    const isFirst = await hits.isFirst(hit);
    hits.pass();
    const cursor = { hitId: hits.restId(), date: orderDateOf(hit), uuid: '' };
    return isFirst
      ? { date: hit.createDate, uuid, sensorId: hit.sensorId, situation, fall, hit, eventId: null, cursor }
      : null;
  };

  /** Returns the newer of two alarms as a candidate. */
  const newerOf = async (hit: AlarmHit | null, alarm: UnruledAlarm | null): Promise<Candidate | null> => {
    if (alarm && (!hit || alarm.date > orderDateOf(hit))) return ofUnruled(alarm);
    return hit && ofHit(hit);
  };

  let position = after ?? { date: to, uuid: '' };
  const next = async (): Promise<Candidate | null> => {
    for (;;) {
      const hit = await hits.peek();
      const alarm = await unruled.peek();
      // A list that has reached the read limit may continue with an alarm newer than the next one in the other list.
      const isCut = (!hit && !hits.isDone()) || (!alarm && !unruled.isDone());
      if (isCut || (!hit && !alarm)) return null;
      const found = await newerOf(hit, alarm);
      position = found?.cursor ?? position;
      if (found) return found;
    }
  };
  const rest = (): AlarmCursor | null => {
    if (hits.isDone() && unruled.isDone()) return null;
    const passed = unruled.passed();
    const { date, uuid } = passed && passed.date <= position.date ? passed : position;
    return { date, uuid, hitId: hits.restId() };
  };
  const hasNewer = after !== null || to !== Number.MAX_SAFE_INTEGER;
  return { next, rest, hits: hitReader.hits, hasNewer };
};
