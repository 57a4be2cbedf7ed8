import { isRecent, stepByMessage } from '../domain/event/event-steps.ts';
import { type Signal, stateReports } from '../domain/event/message.ts';
import { isAllProcessed } from '../domain/event/recorded-call.ts';
import { isUnchanged, isWorthWriting, type SensorState } from '../domain/sensor/sensor-state.ts';
import { isFuture } from '../domain/state/clock.ts';
import { noRoomContext } from '../domain/state/room-context.ts';
import { needsOf } from '../domain/state/step.ts';
import type { ReceivedMessage, Sender } from './messages.ts';
import type { IngestDeps } from './uses.ts';

/** Whether a call reports nothing but falls. */
export const reportsOnlyFalls = (messages: readonly ReceivedMessage[]): boolean =>
  messages.every(({ decoded }) => decoded.signal.kind === 'fall');

/**
 * Whether a call is recorded before it is queued. Falls are not, which saves a write: they change nothing that reports
 * depend on. Those of a busy device are recorded, so that they are counted (holding-back.ts).
 */
export const mustRecordCall = (
  messages: readonly ReceivedMessage[],
  { isBusy, isHeldBack }: Pick<Sender, 'isBusy' | 'isHeldBack'>,
): boolean => !reportsOnlyFalls(messages) || isBusy === true || isHeldBack === true;

const isReport = (signal: Signal): boolean =>
  stateReports.has(signal.kind) && !(signal.kind === 'state' && signal.firmware !== null);

/**
 * Applies reports to the state of an active sensor. Returns null if one of them needs more than the state or creates an
 * event.
 */
export const applyReports = (
  before: SensorState,
  sensorId: string,
  messages: readonly ReceivedMessage[],
  receiveDate: number,
): SensorState | null => {
  // A call without messages is not recorded, but makes the sensor active.
  if (!before.isActive) return null;
  let state = before;
  for (const { raw, decoded } of messages) {
    const needs = needsOf(state, decoded.signal);
    if (!isReport(decoded.signal) || needs.regions || needs.critical) return null;
    const cause = { receiveDate, sensorId, uuid: '', source: null, raw };
    const { next, events } = stepByMessage(state, decoded, cause, noRoomContext);
    if (events.length > 0) return null;
    state = next;
  }
  return state;
};

/**
 * Whether reports change nothing, and all earlier calls have been processed. Such reports need no queue, because the
 * stored state of the sensor is the latest one.
 */
export const changesNothing = async (
  { store, settings }: IngestDeps,
  device: Sender,
  messages: readonly ReceivedMessage[],
  receiveDate: number,
): Promise<boolean> => {
  if (messages.length === 0 || device.notedCall === undefined) return false;
  if (!messages.every(({ decoded }) => isReport(decoded.signal))) return false;
  const { customerId, sensorId } = device;
  const state = await store.states.get(customerId, sensorId);
  if (!state || state.ttl !== undefined || !isAllProcessed(device, state.judged?.run)) return false;
  if (isFuture(state.lastSeen, receiveDate)) return false;
  // A report that skips the queue is not remembered, so the next message could wrongly count as a duplicate of the last
  // one.
  if (isRecent(state, receiveDate)) return false;
  const next = applyReports(state, sensorId, messages, receiveDate);
  if (!next || !isUnchanged(state, next)) return false;
  if (!isWorthWriting(state, next, settings.SENSOR_INACTIVE_AFTER_SECONDS)) return true;
  return store.states.recordTimes(customerId, sensorId, state.version, next);
};
