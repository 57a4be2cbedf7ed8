import { hashOf, uuidV5 } from '../ids.ts';
import { type SensorState, type Step, seesFall } from '../sensor/sensor-state.ts';
import { noRoomContext, type RoomContext, type Timings, whenOf } from '../state/room-context.ts';
import { step } from '../state/step.ts';
import { type Dated, passTime } from '../state/time.ts';
import { DAY, eventOf, noticeEvent } from './event.ts';
import { type Credible, REPEATED_WITHIN, reports, type Signal } from './message.ts';

/** The reason for events: something that was received, or the passing of time. `source` is as in `Decided`. */
export type Cause = { uuid: string; receiveDate: number; sensorId: string; source: string | null };

/** The UUIDs of events are derived from their cause: the first event has the UUID of the cause, the others also depend on their kind. */
const identified = (events: readonly Dated[], { uuid: first, sensorId, receiveDate, source }: Cause) =>
  events.map(({ happening, createDate }, at) => {
    const { type, action } = happening;
    const alike = events
      .slice(0, at)
      .filter(({ happening: earlier }) => earlier.type === type && earlier.action === action);
    const uuid = at === 0 ? first : uuidV5(sensorId, first, type, action, alike.length);
    return { uuid, receiveDate, source, createDate, happening };
  });

/** The new state of a sensor and the events that a cause made, before any rule is evaluated. */
export type StepOutcome = { next: SensorState; events: ReturnType<typeof identified> };

/** Whether a message without an identity was received so shortly before that the same bytes would be its duplicate. */
export const isRecent = ({ last }: SensorState, received: number): boolean =>
  last !== undefined && Math.abs(received - last.at) <= REPEATED_WITHIN;

/** How many messages without an event are remembered. */
const EVENTLESS_KEPT = 16;
const markOf = (uuid: string): string => hashOf(uuid).slice(0, 8);

type Received = Cause & { raw: string };

/** Whether a message without an event is a duplicate. One that made an event is recognised by its stored bytes. */
const isDuplicate = (state: SensorState, { byBytes }: Credible, { uuid, raw, receiveDate }: Received): boolean =>
  byBytes
    ? isRecent(state, receiveDate) && state.last?.hash === hashOf(raw)
    : (state.eventless?.includes(markOf(uuid)) ?? false);

/**
 * Remembers a message by which the state became `next`, if its duplicate would change something: what is no report would
 * happen again, and a move or a posture would count as a newer one.
 */
const remembering = (before: SensorState, step: Step, { signal, byBytes }: Credible, cause: Received): SensorState => {
  const { uuid, raw, receiveDate: at } = cause;
  // Of messages without an identity only the previous one is compared, and each replaces it.
  const { last: _, ...next } = step.state;
  if (byBytes) return reports.has(signal.kind) ? next : { ...next, last: { hash: hashOf(raw), at } };
  const isOfTracks = signal.kind === 'moves' || signal.kind === 'postures';
  if (!isOfTracks || step.events.length > 0 || (next.tracks === before.tracks && !seesFall(before))) return next;
  const others = (next.eventless ?? []).filter((mark) => mark !== markOf(uuid));
  return { ...next, eventless: [...others, markOf(uuid)].slice(-EVENTLESS_KEPT) };
};

/** Adds the event of a wrong clock to the step of a message that shows one: to the first, and then to one a day. */
const withClockEvent = ({ state, events }: Step, { isClockWrong }: Credible, received: number): Step => {
  if (!isClockWrong || received - (state.clockWrongAt ?? Number.NEGATIVE_INFINITY) < DAY) return { state, events };
  return { state: { ...state, clockWrongAt: received }, events: [...events, eventOf('sensor_clock_wrong')] };
};

/** Steps the state of a sensor by a message. */
export const stepByMessage = (
  before: SensorState,
  message: Credible,
  cause: Received,
  around: RoomContext,
): StepOutcome => {
  const { receiveDate: received } = cause;
  const isAgain = isDuplicate(before, message, cause);
  const signal: Signal = isAgain ? { kind: 'state', firmware: null } : message.signal;
  const createDate = message.deviceTime ?? received;
  const stepped = step(before, signal, whenOf(received, message.deviceTime), around);
  const { state, events } = isAgain ? stepped : withClockEvent(stepped, message, received);
  const dated = events.map((happening) => ({ happening, createDate }));
  return { next: remembering(before, { state, events }, message, cause), events: identified(dated, cause) };
};

/** Steps the state of a sensor by a notice of the service. It only makes an event, because the device sent nothing. */
export const stepByNotice = (
  state: SensorState,
  [notice, about]: Parameters<typeof noticeEvent>,
  cause: Cause,
): StepOutcome => ({
  next: state,
  events: identified([{ happening: noticeEvent(notice, about), createDate: cause.receiveDate }], cause),
});

/** Steps the state of a sensor by a call of its device without a message: it makes an inactive sensor active. */
export const stepByCall = (state: SensorState, cause: Cause): StepOutcome => {
  const { receiveDate: received } = cause;
  const when = whenOf(received, null);
  const { state: next, events } = step(state, { kind: 'state', firmware: null }, when, noRoomContext);
  return {
    next,
    events: identified(
      events.map((happening) => ({ happening, createDate: received })),
      cause,
    ),
  };
};

/** Steps the state of a sensor by time alone. */
export const stepByTime = (
  state: SensorState,
  cause: Cause,
  limits: { silentAt: number; timings: Timings },
): StepOutcome => {
  const { state: next, events } = passTime(state, { ...limits, now: cause.receiveDate });
  return { next, events: identified(events, cause) };
};

/**
 * Returns the cause of the events that time causes. Its UUID is derived from the state, so the same state leads to the same
 * UUID.
 */
export const timeOf = (sensorId: string, { lastSeen, version }: SensorState, now: number): Cause => ({
  uuid: uuidV5(sensorId, 'time', lastSeen, version),
  receiveDate: now,
  sensorId,
  source: null,
});
