import { believedTime, type Happening, type Notice, noticeHappening } from './event.ts';
import { hashOf, uuidV5 } from './ids.ts';
import type { Decoded, Signal } from './message.ts';
import { fires, type Rule } from './rule.ts';
import type { HitPlace } from './rule-hit.ts';
import type { SensorState } from './sensor-state.ts';
import { noRoomContext, type RoomContext, type Timings } from './state/room-context.ts';
import { step } from './state/step.ts';
import { type Dated, passTime } from './state/time.ts';

/** One event that came of a message, and the rules that fire for it, each of which makes a hit. */
export type Decided = {
  id: number;
  uuid: string;
  /** ms: when the cause was received. */
  receiveDate: number;
  /** The uuid of the message that caused it; null: the service made the event. */
  source: string | null;
  /** The bytes of that message are too many for a list. */
  isLong?: true;
  /** ms: when it happened. */
  createDate: number;
  happening: Happening;
  /** Ids of the rules. */
  rules: number[];
};

/**
 * What was decided at one time, of one or several messages: enough to carry it out, and to carry it out again after a
 * crash. `after`: a hit of the customer from before; those of this decision come later. Null when it makes none.
 */
export type Decision = { decided: Decided[]; after: HitPlace | null };

/** What happened because of something that was received, or of the time. `source` as in Decided. */
export type Cause = { uuid: string; receiveDate: number; sensorId: string; source: string | null };

/** No rule's rate limit asks for more, ms. */
const LONGEST_RATE_LIMIT = 86_400_000;

/** When each rule fired last, with what an event made fire; what no rate limit asks for any more is forgotten. */
const remember = (fired: SensorState['fired'], { createDate, rules }: Decided): SensorState['fired'] => {
  if (rules.length === 0) return fired;
  const recent = Object.entries(fired).filter(([, time]) => createDate - time <= LONGEST_RATE_LIMIT);
  const fresh = rules.map((ruleId) => [ruleId, Math.max(createDate, fired[ruleId] ?? 0)]);
  return Object.fromEntries([...recent, ...fresh]);
};

/** Each event's UUID follows from its cause: the first has the cause's own, the others are told apart by their kind. */
const identified = (events: readonly Dated[], { uuid: first, sensorId, receiveDate, source }: Cause) =>
  events.map(({ happening, createDate }, at) => {
    const { type, action } = happening;
    const alike = events.slice(0, at).filter(({ happening: one }) => one.type === type && one.action === action);
    const uuid = at === 0 ? first : uuidV5(sensorId, first, type, action, alike.length);
    return { uuid, receiveDate, source, createDate, happening };
  });

/** What a cause did to a sensor's state, before any rule is asked: which events came of it. */
export type Outcome = { next: SensorState; events: ReturnType<typeof identified> };

/** The same bytes this soon (ms) after each other are one message, when nothing in them tells them apart. */
const REPEATED_WITHIN = 10_000;

/** What a message does to a sensor's state. */
export const happenings = (
  state: SensorState,
  decoded: Decoded,
  cause: Cause & { raw: string },
  around: RoomContext,
) => {
  const { receiveDate: received, raw } = cause;
  const last = decoded.byBytes ? { hash: hashOf(raw), at: received } : undefined;
  const isRepeat = last?.hash === state.last?.hash && Math.abs(received - (state.last?.at ?? 0)) <= REPEATED_WITHIN;
  const signal: Signal = last && isRepeat ? { kind: 'state', firmware: null } : decoded.signal;
  const createDate = believedTime(decoded.deviceTime, received);
  // Only the previous message counts: whatever came in between, this one takes its place.
  const { last: _, ...before } = state;
  const { state: next, happened } = step(before, signal, { received, time: createDate }, around);
  const events = happened.map((happening) => ({ happening, createDate }));
  return { next: last ? { ...next, last } : next, events: identified(events, cause) };
};

/** What a notice of the service does to it: nothing but the event, for the device itself said nothing. */
export const noticed = (state: SensorState, notice: Notice, cause: Cause): Outcome => ({
  next: state,
  events: identified([{ happening: noticeHappening(notice), createDate: cause.receiveDate }], cause),
});

/** What it does to it that the device shows itself: without a word a silent sensor is there again. */
export const heard = (state: SensorState, cause: Cause): Outcome => {
  const { receiveDate: received } = cause;
  const when = { received, time: received };
  const { state: next, happened } = step(state, { kind: 'state', firmware: null }, when, noRoomContext);
  return {
    next,
    events: identified(
      happened.map((happening) => ({ happening, createDate: received })),
      cause,
    ),
  };
};

/** What time alone does to it. */
export const timePassing = (
  state: SensorState,
  cause: Cause,
  limits: { silentAt: number; timings: Timings },
): Outcome => {
  const { state: next, events } = passTime(state, { ...limits, now: cause.receiveDate });
  return { next, events: identified(events, cause) };
};

/** The cause of what time does to a state; the same state gives the same one. */
export const timeOf = (sensorId: string, { lastSeen, version }: SensorState, now: number): Cause => ({
  uuid: uuidV5(sensorId, 'time', lastSeen, version),
  receiveDate: now,
  sensorId,
  source: null,
});

/**
 * Which rules fire for events, one after the other: the same state, events and rules give the same. `rulesFor` gives the
 * rules that were loaded for an event's situation.
 */
export const decide = (
  before: SensorState['fired'],
  events: readonly Omit<Decided, 'rules'>[],
  rulesFor: (happening: Happening) => readonly Rule[],
): { fired: SensorState['fired']; decided: Decided[] } => {
  let fired = before;
  const decided = events.map((event): Decided => {
    const rules = rulesFor(event.happening)
      .filter((rule) => fires(rule, event.happening, event.createDate, fired[rule.id]))
      .map(({ id }) => id);
    const one = { ...event, rules };
    fired = remember(fired, one);
    return one;
  });
  return { fired, decided };
};
