import type { Decided } from '#shared/domain/event/decision.ts';
import {
  type Cause,
  type StepOutcome,
  stepByCall,
  stepByMessage,
  stepByNotice,
} from '#shared/domain/event/event-steps.ts';
import { messageUuid, type Signal, withReusedUuid } from '#shared/domain/event/message.ts';
import { orderedIds, timeOrderedId, uuidV5 } from '#shared/domain/ids.ts';
import { completeLearning, learningEndChange, type StoredBasic } from '#shared/domain/makers/maker-a/basic.ts';
import type { SensorState } from '#shared/domain/sensor/sensor-state.ts';
import type { Timings } from '#shared/domain/state/room-context.ts';
import { endsLearning, needsOf } from '#shared/domain/state/step.ts';
import { addLogContext } from '#shared/observability/log.ts';
import { retryOnConflict } from '#shared/store/engine/retry.ts';
import { isLong } from '#shared/store/sensors/events.ts';
import type { ProcessedPosition, StateItem } from '#shared/store/sensors/state-item.ts';
import {
  currentState,
  type GoneSensor,
  loadRoom,
  loadSensor,
  type ProcessDeps,
  type SensorContext,
  sensorKey,
} from './context.ts';
import { judgedUpTo, type MessageInput, type NoticeInput, type SensorInput } from './inputs.ts';

/** An event before its rules are evaluated. */
export type NewEvent = Omit<Decided, 'rules'>;

/** What follows from messages or from time: the next sensor state, and events. */
export type Judgement = {
  next: SensorState;
  events: readonly NewEvent[];
  /** The timings for open falls, if there are any. */
  timings: Timings | null;
  /** The position up to which messages from the sensor are judged, or undefined to leave it unchanged. */
  judged: ProcessedPosition | undefined;
};

/** `context` is the latest context if it had to be loaded. `inputs` are the inputs that were judged. */
type Judged = Judgement & { kind: 'judged'; context: SensorContext; inputs: readonly SensorInput[] };
/** The context is only `recent`, but there is an event, or a region or timing matters. */
type Outdated = { kind: 'outdated' };
type InputStep = ({ kind: 'judged' } & Omit<Judgement, 'judged'>) | Outdated;

type JudgeDeps = ProcessDeps & { newEventId: (time: number) => number };

/**
 * The maximum number of events per decision, which is stored in a single item with the state. A message is never split.
 */
const MAX_EVENTS = 25;
/**
 * The maximum number of rule hits per decision, assuming that every rule fires for every event. It is limited because a
 * single invocation writes them all.
 */
const MAX_HITS = 250;

/** Returns the maximum number of events decided together, which is lower for a customer with many rules. */
const maxEvents = ({ customer }: SensorContext): number =>
  Math.max(1, Math.min(MAX_EVENTS, Math.floor(MAX_HITS / (customer?.rules ?? 1))));

/**
 * Creates an event id generator. Events at the same time get consecutive ids, which continue after those in the last
 * decision.
 */
export const createEventIds = ({ random }: Pick<ProcessDeps, 'random'>, { decision }: StateItem) =>
  orderedIds((time) => timeOrderedId(time, Buffer.from(random(2)).readUInt16BE()), decision?.decided.at(-1));

/** Stores the firmware version reported by a device. */
const noteFirmware = async (
  { store }: ProcessDeps,
  { customerId, sensor }: SensorContext,
  signal: Signal,
): Promise<void> => {
  if (signal.kind !== 'state' || signal.firmware === null || signal.firmware === sensor.firmwareVersion) return;
  await store.sensors.setFirmware(customerId, sensor.id, signal.firmware);
};

/**
 * Ends the learning phase and test mode if the device reports that it has finished learning, before the message is
 * decided.
 */
const noteLearnt = async ({ store }: ProcessDeps, context: SensorContext, time: number): Promise<void> => {
  const key = { ...sensorKey(context), manufacturer: context.sensor.manufacturer };
  await retryOnConflict(async () => {
    const before = await store.configs.get<StoredBasic>(key, 'basic');
    const values = before && completeLearning(before.values, time);
    if (!before || !values) return 'unchanged';
    const learning = learningEndChange(before.values, values, time);
    return (await store.configs.put(key, 'basic', { values, learning }, before)) === 'changed' ? null : 'ended';
  });
};

/**
 * Returns the step for an input, with ids assigned to its events. Outdated if there are events but the context is only
 * `recent`.
 */
const stepOf = (
  { newEventId }: JudgeDeps,
  { freshness }: SensorContext,
  { requestId }: SensorInput,
  { next, events, timings = null }: StepOutcome & { timings?: Timings | null },
): InputStep => {
  if (events.length > 0 && freshness === 'recent') return { kind: 'outdated' };
  const identified = events.map((event) => ({
    ...event,
    id: newEventId(event.createDate),
    ...(requestId !== undefined && { requestId }),
  }));
  return { kind: 'judged', next, events: identified, timings };
};

/** Judges a call that only shows that the device is online. */
const judgeCall = (deps: JudgeDeps, context: SensorContext, state: SensorState, input: SensorInput): InputStep => {
  const sensorId = context.sensor.id;
  const { receiveDate } = input;
  const uuid = uuidV5(sensorId, 'heard', receiveDate);
  return stepOf(deps, context, input, stepByCall(state, { receiveDate, sensorId, source: null, uuid }));
};

const judgeNotice = async (
  deps: JudgeDeps,
  context: SensorContext,
  state: SensorState,
  input: NoticeInput,
): Promise<InputStep> => {
  const { receiveDate, uuid, notice } = input;
  const { fall } = notice;
  const cause: Cause = { receiveDate, sensorId: context.sensor.id, source: null, uuid };
  // Few falls are answered, so this code is loaded with the first answer.
  const answered =
    fall === undefined
      ? { state, events: [] }
      : await (await import('./settle-fall.ts')).withAnswer(deps, { ...sensorKey(context), fall }, state);
  return stepOf(deps, context, input, stepByNotice(answered, [notice.notice, notice], cause));
};

/**
 * Judges a message. A message that creates an event is stored first. A duplicate only shows that its device is online.
 * If the UUID belongs to another message, this one is judged with a UUID derived from its bytes.
 */
const judgeMessage = async (
  deps: JudgeDeps,
  context: SensorContext,
  state: SensorState,
  input: MessageInput,
): Promise<InputStep> => {
  const { receiveDate, raw, at, decoded } = input;
  const { customerId, sensorId } = sensorKey(context);
  const uuid = messageUuid(sensorId, decoded, raw, [receiveDate, at]);
  addLogContext({ uuid });
  await noteFirmware(deps, context, decoded.signal);
  if (endsLearning(state, decoded.signal)) await noteLearnt(deps, context, receiveDate);
  const needs = needsOf(state, decoded.signal);
  if (context.freshness === 'recent' && (needs.regions || needs.critical)) return { kind: 'outdated' };
  const room = await loadRoom(deps, context, needs);
  const timings = needs.critical ? room.timings : null;
  const outcome = stepByMessage(state, decoded, { receiveDate, sensorId, uuid, source: uuid, raw }, room);
  const step = stepOf(deps, context, input, { ...outcome, timings });
  if (step.kind === 'outdated') return step;
  const [first] = step.events;
  if (!first) return step;
  const stored = await deps.store.events.storeMessage({
    uuid,
    raw,
    at,
    customerId,
    sensorId,
    id: first.id,
    receiveDate,
  });
  const { uuid: own } = decoded;
  if (stored === 'uuid_used' && own !== null)
    return judgeMessage(deps, context, state, { ...input, decoded: withReusedUuid(decoded, own, raw) });
  if (stored !== 'stored') return judgeCall(deps, context, state, input);
  return isLong(raw) ? { ...step, events: step.events.map((event) => ({ ...event, isLong: true })) } : step;
};

const judgeInput = (
  deps: JudgeDeps,
  context: SensorContext,
  state: SensorState,
  input: SensorInput,
): InputStep | Promise<InputStep> => {
  if (input.kind === 'notice') return judgeNotice(deps, context, state, input);
  return input.kind === 'message' ? judgeMessage(deps, context, state, input) : judgeCall(deps, context, state, input);
};

/**
 * Whether a notice has already become an event. The sweep enqueues another task for a notice pending for a long time.
 */
const isDuplicateNotice = async (
  { store }: ProcessDeps,
  context: SensorContext,
  input: SensorInput,
  events: readonly NewEvent[],
): Promise<boolean> => {
  if (input.kind !== 'notice') return false;
  const { customerId, sensorId } = sensorKey(context);
  return (
    events.some(({ uuid }) => uuid === input.uuid) || (await store.events.exists(customerId, sensorId, input.uuid))
  );
};

/** Judges inputs in a context, each starting from the state after the previous input. */
const judgeWith = async (
  deps: ProcessDeps,
  context: SensorContext,
  pending: readonly SensorInput[],
): Promise<Judged | Outdated> => {
  const { state } = context;
  const judgeDeps = { ...deps, newEventId: createEventIds(deps, state) };
  const events: NewEvent[] = [];
  const inputs: SensorInput[] = [];
  let next: SensorState = await currentState(deps, state);
  let timings: Timings | null = null;
  for (const input of pending) {
    if (events.length >= maxEvents(context)) break;
    inputs.push(input);
    if (await isDuplicateNotice(deps, context, input, events)) continue;
    const step = await judgeInput(judgeDeps, context, next, input);
    if (step.kind === 'outdated') return step;
    next = step.next;
    timings = step.timings ?? timings;
    events.push(...step.events);
  }
  return {
    kind: 'judged',
    context,
    next,
    events,
    timings,
    inputs,
    judged: judgedUpTo(inputs, state.judged, deps.now()),
  };
};

/**
 * Judges as many pending inputs as a decision can hold. The latest context is loaded only if it matters, because most
 * messages do not create events.
 */
export const judge = async (
  deps: ProcessDeps,
  context: SensorContext,
  pending: readonly SensorInput[],
): Promise<Judged | GoneSensor> => {
  const result = await judgeWith(deps, context, pending);
  if (result.kind === 'judged') return result;
  const latest = await loadSensor(deps, sensorKey(context), 'latest', context.state);
  return latest.kind === 'gone' ? latest : judge(deps, latest.context, pending);
};
