import { isRecent, stepByMessage } from '../domain/event/event-steps.ts';
import { type Signal, stateReports } from '../domain/event/message.ts';
import { isAllProcessed, type RecordedCall, unprocessedCalls } from '../domain/event/recorded-call.ts';
import { isUnchanged, isWorthWriting, type SensorState } from '../domain/sensor/sensor-state.ts';
import { isFuture } from '../domain/state/clock.ts';
import { noRoomContext } from '../domain/state/room-context.ts';
import { needsOf } from '../domain/state/step.ts';
import { addLogContext, oneOrMany } from '../observability/log.ts';
import type { Deps } from '../runtime/deps.ts';
import {
  deduplicationIdOf,
  parseMessages,
  type ReceivedMessage,
  type Rejection,
  type Sender,
  tasksOf,
  uuidsOf,
  type Warning,
  warningsOf,
} from './messages.ts';
import type { IngestDeps } from './uses.ts';

/**
 * Accepts device messages, over any protocol. `text` is one JSON message or an array of them, received at `receiveDate`
 * (ms). Once all messages are durable or known to change nothing, returns warnings about what was not understood. If
 * the call was rejected, returns the reason. Throws QueueUnavailable, after which the call can be retried.
 */
export const ingest = async (
  deps: IngestDeps,
  device: Sender,
  text: string,
  receiveDate = deps.now(),
): Promise<{ refusal: Rejection } | { warnings: readonly Warning[] }> => {
  const until = deps.now() + QUEUE_WITHIN_MS;
  const read = parseMessages(text, device, receiveDate);
  if ('refusal' in read) return read;
  addLogContext({ sensorId: device.sensorId });
  deps.failpoint('ingest.read');
  const { messages } = read;
  if (!(await changesNothing(deps, device, messages, receiveDate))) {
    if (await isRejected(deps, device, reportsOnlyFalls(messages))) return { refusal: 'rate_limited' };
    const noted = mustRecordCall(messages, device) ? await note(deps, device) : undefined;
    if (noted) await holdBackIfBehind(deps, device, noted);
    await queueCall(deps, device, { messages, receiveDate, noted, until });
  }
  // Canary messages must not hide the fact that no real device is sending messages.
  if (!device.isCanary) deps.measure('MessagesAccepted', messages.length);
  deps.failpoint('ingest.enqueued');
  return { warnings: warningsOf(messages) };
};

/** Whether a call reports nothing but falls. */
const reportsOnlyFalls = (messages: readonly ReceivedMessage[]): boolean =>
  messages.every(({ decoded }) => decoded.signal.kind === 'fall');

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
 * Whether reports change nothing, and all earlier calls have been processed. Such reports do not have to be queued,
 * because the stored sensor state is the latest one.
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
  // A report that skips the queue is not remembered, so the next message could be mistaken for a duplicate of the last
  // remembered message.
  if (isRecent(state, receiveDate)) return false;
  const next = applyReports(state, sensorId, messages, receiveDate);
  if (!next || !isUnchanged(state, next)) return false;
  if (!isWorthWriting(state, next, settings.SENSOR_INACTIVE_AFTER_SECONDS)) return true;
  return store.states.recordTimes(customerId, sensorId, state.version, next);
};

/**
 * The maximum number of pending calls per device, higher for calls with falls than for calls with reports. A FIFO queue
 * looks for message groups only among the first 120,000 messages, so one device must not fill it.
 */
export const MAX_PENDING = { reports: 1_000, falls: 3_000 } as const;
/** A device is no longer held back when this many calls or fewer are pending. */
const RESUME_AT = MAX_PENDING.reports / 2;
/** The number of recorded calls between two checks, chosen so that checks cost next to nothing. */
export const CHECK_EVERY = 100;

const countPending = async ({ store }: Pick<IngestDeps, 'store'>, { customerId, sensorId }: Sender, seq: number) =>
  unprocessedCalls(seq, (await store.states.get(customerId, sensorId))?.judged?.run);

/**
 * Whether a call is rejected because the device is held back. Stops holding the device back once only a few calls are
 * pending.
 */
const isRejected = async (deps: IngestDeps, device: Sender, isOfFalls: boolean): Promise<boolean> => {
  if (!device.isHeldBack) return false;
  const pending = await countPending(deps, device, device.calls ?? 0);
  if (pending <= RESUME_AT) await deps.store.devices.holdBack(device.hash, false);
  return pending > (isOfFalls ? MAX_PENDING.falls : RESUME_AT);
};

/**
 * Whether a call is recorded before it is queued. Calls with only falls are not recorded: reports do not depend on
 * them, and skipping the record saves a write. For a busy device, they are recorded so that they are counted.
 */
export const mustRecordCall = (
  messages: readonly ReceivedMessage[],
  { isBusy, isHeldBack }: Pick<Sender, 'isBusy' | 'isHeldBack'>,
): boolean => !reportsOnlyFalls(messages) || isBusy === true || isHeldBack === true;

/** Records a call before it is queued. Until it has been processed, reports go through the queue. */
const note = async ({ store, random, now, failpoint }: IngestDeps, { hash }: Sender) => {
  const noted = await store.devices.noteCall(hash, Buffer.from(random(6)).toString('base64url'), now());
  failpoint('ingest.noted');
  return noted;
};

/** Occasionally checks whether a device has too many pending calls, and holds it back if so. */
const holdBackIfBehind = async (deps: IngestDeps, device: Sender, { seq = 0 }: RecordedCall): Promise<void> => {
  if (device.isHeldBack || seq % CHECK_EVERY !== 0) return;
  const pending = await countPending(deps, device, seq);
  if (pending <= MAX_PENDING.reports) return;
  const { customerId, sensorId } = device;
  deps.log('warn', 'a device is held back', { customerId, sensorId, pending });
  deps.measure('DevicesHeldBack');
  await deps.store.devices.holdBack(device.hash, true);
};

type Call = {
  messages?: readonly ReceivedMessage[];
  receiveDate?: number;
  noted?: RecordedCall | undefined;
  until?: number;
};

/**
 * How long (ms) after the start of a call the messages may be queued. After that, the caller already has a response,
 * and a process that was frozen must not queue the messages behind newer ones.
 */
const QUEUE_WITHIN_MS = 20_000;

/** Queues the messages in a call. A call without messages still marks the device as online. */
export const queueCall = async (
  { enqueue, now }: Deps<'enqueue:events'>,
  device: Sender,
  { messages = [], receiveDate = now(), noted, until = now() + QUEUE_WITHIN_MS }: Call = {},
): Promise<void> => {
  const tasks = tasksOf(device, messages, receiveDate);
  for (const task of tasks) {
    const uuids = uuidsOf(messages, task);
    addLogContext({ sensorId: device.sensorId, uuid: oneOrMany(uuids) });
    const isLast = task === tasks.at(-1) && noted !== undefined;
    await enqueue([isLast ? { ...task, noted } : task], {
      deduplicationId: deduplicationIdOf(task, uuids),
      until,
    });
  }
};
