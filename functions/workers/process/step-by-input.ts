import type { Decided } from '#shared/domain/event/decision.ts';
import {
  type Cause,
  type StepOutcome,
  stepByCall,
  stepByMessage,
  stepByNotice,
} from '#shared/domain/event/event-steps.ts';
import { messageUuid, type Signal } from '#shared/domain/event/message.ts';
import { uuidV5 } from '#shared/domain/ids.ts';
import { learningEnds, learntBasic, type StoredBasic } from '#shared/domain/makers/maker-a/basic.ts';
import type { SensorState } from '#shared/domain/sensor/sensor-state.ts';
import type { Timings } from '#shared/domain/state/room-context.ts';
import { endsLearning, needsOf } from '#shared/domain/state/step.ts';
import { noteContext } from '#shared/observability/log.ts';
import { retryOnConflict } from '#shared/store/engine/retry.ts';
import { isLong } from '#shared/store/sensors/events.ts';
import { roomContextOf } from './room-context.ts';
import type { ProcessDeps, SensorContext } from './sensor-context.ts';
import type { SensorInput } from './sensor-input.ts';

export type NewEvent = Omit<Decided, 'rules'>;
/**
 * What follows from messages or from time: the next state and its events, before any rule is asked. `timings`: those of the
 * falls that time moves on, if there are any.
 */
export type Step = { next: SensorState; events: readonly NewEvent[]; timings: Timings | null };

/** `idOf` draws the id of an event by its time (ms). */
type Deps = ProcessDeps & { idOf: (time: number) => number };

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

/** Gives the events of an input their ids. Null when there are any, but the context may be some seconds old. */
const stepOf = (
  { idOf }: Deps,
  { isLatest }: SensorContext,
  { requestId }: SensorInput,
  { next, events, timings = null }: StepOutcome & { timings?: Timings | null },
): Step | null => {
  if (events.length > 0 && !isLatest) return null;
  const identified = events.map((event) => ({
    ...event,
    id: idOf(event.createDate),
    ...(requestId !== undefined && { requestId }),
  }));
  return { next, events: identified, timings };
};

/** Steps the state by what only shows that the device is alive. */
const stepByLife = (deps: Deps, context: SensorContext, state: SensorState, input: SensorInput): Step | null => {
  const sensorId = context.sensor.id;
  const { receiveDate } = input;
  const uuid = uuidV5(sensorId, 'heard', receiveDate);
  return stepOf(deps, context, input, stepByCall(state, { receiveDate, sensorId, source: null, uuid }));
};

/**
 * Steps the state of a sensor by one input. A message that makes an event is stored first; one that was stored before is a
 * repetition, and only shows that the device is alive. Null when this must be done with the latest context.
 */
export const stepByInput = async (
  deps: Deps,
  context: SensorContext,
  state: SensorState,
  input: SensorInput,
): Promise<Step | null> => {
  const { receiveDate, message, notice } = input;
  const { customerId, sensor } = context;
  const sensorId = sensor.id;
  if (notice) {
    const cause = { receiveDate, sensorId, source: null, uuid: notice.uuid };
    return stepOf(deps, context, input, stepByNotice(state, [notice.notice, notice], cause));
  }
  if (!message) return stepByLife(deps, context, state, input);
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
  const step = stepOf(deps, context, input, { ...stepByMessage(state, decoded, { ...cause, raw }, around), timings });
  const [first] = step?.events ?? [];
  if (!step || !first) return step;
  if (!(await deps.store.events.keep({ uuid, raw, at, customerId, sensorId, id: first.id, receiveDate })))
    return stepByLife(deps, context, state, input);
  return isLong(raw) ? { ...step, events: step.events.map((event) => ({ ...event, isLong: true as const })) } : step;
};
