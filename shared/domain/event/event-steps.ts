import { hashOf, uuidV5 } from '../ids.ts';
import { hasOpenFallOrTrack, type SensorState, type Step } from '../sensor/sensor-state.ts';
import { messageTime, noRoomContext, type RoomContext, type Timings } from '../state/room-context.ts';
import { step } from '../state/step.ts';
import { type DatedEvent, passTime } from '../state/time.ts';
import { DAY, eventOf, noticeEvent, uuidReusedEvent } from './event.ts';
import { DUPLICATE_WINDOW, type Signal, stateReports, type TrustedMessage } from './message.ts';

/** What causes events: something received, or the passage of time. `source` is the same as in `Decided`. */
export type Cause = { uuid: string; receiveDate: number; sensorId: string; source: string | null };

/**
 * Derives event UUIDs. The first event uses the cause UUID. For further events, the UUID also depends on their kind.
 */
const withUuids = (events: readonly DatedEvent[], { uuid: first, sensorId, receiveDate, source }: Cause) =>
  events.map(({ happening, createDate }, at) => {
    const { type, action } = happening;
    const sameKind = events
      .slice(0, at)
      .filter(({ happening: earlier }) => earlier.type === type && earlier.action === action);
    const uuid = at === 0 ? first : uuidV5(sensorId, first, type, action, sameKind.length);
    return { uuid, receiveDate, source, createDate, happening };
  });

/** The new sensor state and the events from a cause, before any rule is evaluated. */
export type StepOutcome = { next: SensorState; events: ReturnType<typeof withUuids> };

/** Whether the last message without an identity is so recent that another with the same bytes is a duplicate. */
export const isRecent = ({ last }: SensorState, received: number): boolean =>
  last !== undefined && Math.abs(received - last.at) <= DUPLICATE_WINDOW;

/** How many messages without an event are remembered. */
const MAX_EVENTLESS = 16;

type Received = Cause & { raw: string };
/** Returns a mark that identifies a message. The message's own UUID is not enough, because the device may reuse it. */
const markOf = ({ uuid: own }: TrustedMessage, { uuid, raw }: Received): string =>
  hashOf(own === null ? uuid : own + raw).slice(0, 8);

/**
 * Whether a message without an event is a duplicate. Messages that caused an event are recognized by their stored
 * bytes.
 */
const isDuplicate = (state: SensorState, message: TrustedMessage, cause: Received): boolean =>
  message.byBytes
    ? isRecent(state, cause.receiveDate) && state.last?.hash === hashOf(cause.raw)
    : (state.eventless?.includes(markOf(message, cause)) ?? false);

/**
 * Remembers a message in the state if a duplicate would change something. Every message except a state report would
 * take effect twice, and a duplicate move or posture would count as a newer report.
 */
const withMessage = (before: SensorState, step: Step, message: TrustedMessage, cause: Received): SensorState => {
  const { signal, byBytes } = message;
  const { raw, receiveDate: at } = cause;
  // A message without an identity is compared only with the previous message, so every message clears or replaces
  // `last`.
  const { last: _, ...next } = step.state;
  if (byBytes) return stateReports.has(signal.kind) ? next : { ...next, last: { hash: hashOf(raw), at } };
  const isAboutTracks = signal.kind === 'moves' || signal.kind === 'postures';
  if (!isAboutTracks || step.events.length > 0 || (next.tracks === before.tracks && !hasOpenFallOrTrack(before)))
    return next;
  const added = markOf(message, cause);
  const others = (next.eventless ?? []).filter((mark) => mark !== added);
  return { ...next, eventless: [...others, added].slice(-MAX_EVENTLESS) };
};

/** Adds an event if the message shows that the device clock is wrong, at most once a day. */
const withClockEvent = ({ state, events }: Step, { isClockWrong }: TrustedMessage, received: number): Step => {
  if (!isClockWrong || received - (state.clockWrongAt ?? Number.NEGATIVE_INFINITY) < DAY) return { state, events };
  return { state: { ...state, clockWrongAt: received }, events: [...events, eventOf('sensor_clock_wrong')] };
};

/** Applies a message to the sensor state. */
export const stepByMessage = (
  before: SensorState,
  message: TrustedMessage,
  cause: Received,
  roomContext: RoomContext,
): StepOutcome => {
  const { receiveDate: received } = cause;
  const isRepeated = isDuplicate(before, message, cause);
  const signal: Signal = isRepeated ? { kind: 'state', firmware: null } : message.signal;
  const createDate = message.deviceTime ?? received;
  const stepped = step(before, signal, messageTime(received, message.deviceTime), roomContext);
  const { state, events } = isRepeated ? stepped : withClockEvent(stepped, message, received);
  const noted = message.isUuidReused ? [...events, uuidReusedEvent] : events;
  const dated = noted.map((happening) => ({ happening, createDate }));
  return { next: withMessage(before, { state, events }, message, cause), events: withUuids(dated, cause) };
};

/**
 * Applies a service notice to the sensor state. The device sent nothing, so the only effects are an event and the fall
 * changes in `answered`.
 */
export const stepByNotice = (
  answered: Step,
  [notice, subject]: [Parameters<typeof noticeEvent>[0] | 'fall_changed', Parameters<typeof noticeEvent>[1]],
  cause: Cause,
): StepOutcome => {
  const noticed = notice === 'fall_changed' ? [] : [noticeEvent(notice, subject)];
  const events = [...noticed, ...answered.events];
  const dated = events.map((happening) => ({ happening, createDate: cause.receiveDate }));
  return { next: answered.state, events: withUuids(dated, cause) };
};

/** Applies a device call without a message to the sensor state. The call makes an inactive sensor active. */
export const stepByCall = (state: SensorState, cause: Cause): StepOutcome => {
  const { receiveDate: received } = cause;
  const when = messageTime(received, null);
  const { state: next, events } = step(state, { kind: 'state', firmware: null }, when, noRoomContext);
  return {
    next,
    events: withUuids(
      events.map((happening) => ({ happening, createDate: received })),
      cause,
    ),
  };
};

/** Advances the sensor state to the given time, without a message. */
export const stepByTime = (
  state: SensorState,
  cause: Cause,
  limits: { silentAt: number; timings: Timings },
): StepOutcome => {
  const { state: next, events } = passTime(state, { ...limits, now: cause.receiveDate });
  return { next, events: withUuids(events, cause) };
};

/**
 * Returns the cause for events due to time alone. The UUID is derived from the state, so the same state yields the same
 * UUID.
 */
export const timeCause = (sensorId: string, { lastSeen, version }: SensorState, now: number): Cause => ({
  uuid: uuidV5(sensorId, 'time', lastSeen, version),
  receiveDate: now,
  sensorId,
  source: null,
});
