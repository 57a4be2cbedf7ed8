import type { Decided } from '../../../shared/domain/event/decision.ts';
import {
  type Cause,
  type StepOutcome,
  stepByCall,
  stepByMessage,
  stepByNotice,
} from '../../../shared/domain/event/event-steps.ts';
import { messageUuid, type Signal } from '../../../shared/domain/event/message.ts';
import { inOrder, timeOrderedId, uuidV5 } from '../../../shared/domain/ids.ts';
import { learningEnds, learntBasic, type StoredBasic } from '../../../shared/domain/makers/maker-a/basic.ts';
import type { SensorState } from '../../../shared/domain/sensor/sensor-state.ts';
import type { Timings } from '../../../shared/domain/state/room-context.ts';
import { endsLearning, needsOf } from '../../../shared/domain/state/step.ts';
import { noteContext } from '../../../shared/observability/log.ts';
import { retryOnConflict } from '../../../shared/store/engine/retry.ts';
import { isLong } from '../../../shared/store/sensors/events.ts';
import type { StateItem } from '../../../shared/store/sensors/states.ts';
import { roomContextOf } from './room-context.ts';
import type { ProcessDeps, SensorContext } from './sensor-context.ts';
import type { SensorInput } from './sensor-input.ts';

/** The most events of one decision, which is stored in one item with the state. A message is never divided. */
const EVENTS_OF_ONE_DECISION = 25;
/** The most rule hits of one decision, if every rule fires for every event: so many are written within one invocation. */
const HITS_OF_ONE_DECISION = 250;

/** The most events that are decided together: fewer for a customer with many rules. */
const mostEvents = ({ customer }: SensorContext): number =>
  Math.max(1, Math.min(EVENTS_OF_ONE_DECISION, Math.floor(HITS_OF_ONE_DECISION / (customer?.rules ?? 1))));

export type NewEvent = Omit<Decided, 'rules'>;
/**
 * What follows from messages or from time: the next state and its events, before any rule is asked. `timings`: those of the
 * falls that time moves on, if there are any.
 */
export type Step = { next: SensorState; events: readonly NewEvent[]; timings: Timings | null };
/** The step by the first `taken` messages. */
type SteppedThrough = Step & { events: NewEvent[]; taken: number };

/** Draws event ids. Events of the same time get consecutive ids, also after those of the last decision. */
export const idsAfter = ({ random }: Pick<ProcessDeps, 'random'>, { decision }: StateItem) =>
  inOrder((time) => timeOrderedId(time, Buffer.from(random(2)).readUInt16BE()), decision?.decided.at(-1));

/** Stores the firmware version that a device reports. */
const noteFirmware = async (
  { store }: ProcessDeps,
  { customerId, sensor }: SensorContext,
  signal: Signal,
): Promise<void> => {
  if (signal.kind !== 'state' || signal.firmware === null || signal.firmware === sensor.firmwareVersion) return;
  await store.sensors.setFirmware(customerId, sensor.id, signal.firmware);
};

/** Ends learning phase and test mode when the device reports that it has learnt, before the message is decided. */
const noteLearnt = async (deps: ProcessDeps, { customerId, sensor }: SensorContext, time: number): Promise<void> => {
  const { store } = deps;
  const context = { customerId, sensorId: sensor.id, manufacturer: sensor.manufacturer };
  const end = async () => {
    const before = await store.configs.get<StoredBasic>(context, 'basic');
    const values = before && learntBasic(before.values, time);
    if (!before || !values) return context;
    const learning = learningEnds(before.values, values, time);
    return (await store.configs.put(context, 'basic', { values, learning }, before)) === 'changed' ? null : context;
  };
  await retryOnConflict(end);
};

type InputStep = StepOutcome & { timings: Timings | null; keep?: { uuid: string; raw: string; at: number } };

/** Steps the state by what only shows that the device is alive. */
const justHeard = ({ sensor }: SensorContext, state: SensorState, receiveDate: number): InputStep => {
  const uuid = uuidV5(sensor.id, 'heard', receiveDate);
  return { ...stepByCall(state, { receiveDate, sensorId: sensor.id, source: null, uuid }), timings: null };
};

/** Steps the state of a sensor by one message. Null when this must be done with the latest context. */
const stepByInput = async (
  deps: ProcessDeps,
  context: SensorContext,
  state: SensorState,
  input: SensorInput,
): Promise<InputStep | null> => {
  const { receiveDate, message, notice } = input;
  const sensorId = context.sensor.id;
  const ofService = { receiveDate, sensorId, source: null };
  if (notice)
    return { ...stepByNotice(state, [notice.notice, notice], { ...ofService, uuid: notice.uuid }), timings: null };
  if (!message) return justHeard(context, state, receiveDate);
  const { raw, at, decoded } = message;
  const uuid = messageUuid(sensorId, decoded, raw, [receiveDate, at]);
  noteContext({ uuid });
  await noteFirmware(deps, context, decoded.signal);
  if (endsLearning(state, decoded.signal)) await noteLearnt(deps, context, receiveDate);
  const needs = needsOf(state, decoded.signal);
  if (!context.isLatest && (needs.regions || needs.critical)) return null;
  const around = await roomContextOf(deps, context, needs);
  const cause: Cause = { receiveDate, sensorId, uuid, source: uuid };
  const timings = needs.critical ? around.timings : null;
  return { ...stepByMessage(state, decoded, { ...cause, raw }, around), timings, keep: { uuid, raw, at } };
};

/** Is a notice an event already? Two tasks may lead to one: the sweep sends another for what waits for long. */
const isTold = async (
  { store }: ProcessDeps,
  { customerId, sensor }: SensorContext,
  { notice }: SensorInput,
  before: readonly NewEvent[],
): Promise<boolean> =>
  notice !== undefined &&
  (before.some(({ uuid }) => uuid === notice.uuid) || (await store.events.isThere(customerId, sensor.id, notice.uuid)));

/**
 * Judges messages one after the other, each from the state that the one before left. A message that makes an event is
 * stored first. Null when a message makes an event but the context may be some seconds old.
 */
export const stepThrough = async (
  deps: ProcessDeps,
  context: SensorContext,
  before: StateItem,
  all: readonly SensorInput[],
): Promise<SteppedThrough | null> => {
  const { customerId, sensor } = context;
  const idOf = idsAfter(deps, before);
  const stepped: SteppedThrough = { next: before, events: [], timings: null, taken: 0 };
  for (const input of all) {
    if (stepped.events.length >= mostEvents(context)) break;
    stepped.taken += 1;
    if (await isTold(deps, context, input, stepped.events)) continue;
    let step = await stepByInput(deps, context, stepped.next, input);
    if (!step || (!context.isLatest && step.events.length > 0)) return null;
    const { requestId } = input;
    const identified = (event: StepOutcome['events'][number]): NewEvent => ({
      ...{ ...event, id: idOf(event.createDate) },
      ...(requestId !== undefined && { requestId }),
    });
    let events = step.events.map(identified);
    const [first] = events;
    if (first && step.keep) {
      if (isLong(step.keep.raw)) events = events.map((event) => ({ ...event, isLong: true as const }));
      const message = { ...step.keep, customerId, sensorId: sensor.id, id: first.id, receiveDate: input.receiveDate };
      if (!(await deps.store.events.keep(message))) {
        // The repetition of an earlier message only shows that the device is alive.
        step = justHeard(context, stepped.next, input.receiveDate);
        events = step.events.map(identified);
      }
    }
    stepped.next = step.next;
    stepped.timings = step.timings ?? stepped.timings;
    stepped.events.push(...events);
  }
  return stepped;
};
