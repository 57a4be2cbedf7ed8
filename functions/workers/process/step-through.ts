import { judgedAnew } from '../../../shared/api/changing.ts';
import { type Cause, type Decided, happenings, heard, noticed, type Outcome } from '../../../shared/domain/decision.ts';
import { inOrder, timeOrderedId, uuidV5 } from '../../../shared/domain/ids.ts';
import { learntBasic, type StoredBasic } from '../../../shared/domain/makers/maker-a/basic.ts';
import { makers } from '../../../shared/domain/makers/makers.ts';
import { messageUuid, type Signal } from '../../../shared/domain/message.ts';
import type { SensorState } from '../../../shared/domain/sensor-state.ts';
import type { Timings } from '../../../shared/domain/state/room-context.ts';
import { endsLearning, needsOf } from '../../../shared/domain/state/step.ts';
import { isLong } from '../../../shared/store/events.ts';
import type { StateItem } from '../../../shared/store/states.ts';
import { roomContextOf } from './room-context.ts';
import type { Said } from './said.ts';
import type { ProcessDeps, SensorContext } from './sensor-context.ts';

/** So many events make a decision of its own: it is kept in one item with the state. A message is never divided. */
const EVENTS_OF_ONE_DECISION = 25;

export type NewEvent = Omit<Decided, 'rules'>;
/** What was made of the first `taken` of what was said. `timings`: those of the falls that time moves, if any is concerned. */
export type Stepped = { next: SensorState; events: NewEvent[]; timings: Timings | null; taken: number };

/** Draws ids of events: those of one time follow each other, those of the last decision included. */
export const idsAfter = ({ random }: Pick<ProcessDeps, 'random'>, { decision }: StateItem) =>
  inOrder((time) => timeOrderedId(time, Buffer.from(random(2)).readUInt16BE()), decision?.decided.at(-1));

/** A device that was updated says so. */
const noteFirmware = async (
  { store }: ProcessDeps,
  { customerId, sensor }: SensorContext,
  signal: Signal,
): Promise<void> => {
  if (signal.kind !== 'state' || signal.firmware === null || signal.firmware === sensor.firmwareVersion) return;
  await store.sensors.setFirmware(customerId, sensor.id, signal.firmware);
};

/** A device that has learnt says so: the phase and the test mode end with it, before the message is decided. */
const noteLearnt = async (deps: ProcessDeps, { customerId, sensor }: SensorContext, time: number): Promise<void> => {
  const { store, pause, random } = deps;
  const context = { customerId, sensorId: sensor.id };
  const end = async () => {
    const before = await store.configs.get<StoredBasic>(context, 'basic');
    const values = before && learntBasic(before.values, time);
    if (!before || !values) return context;
    return (await store.configs.put(context, 'basic', { values }, before)) === 'changed' ? null : context;
  };
  await judgedAnew(end, { pause, random }, () => {
    throw new Error('the configuration kept changing');
  });
};

type Judged = Outcome & { timings: Timings | null; keep?: { uuid: string; raw: string } };

/** What one thing that was said does to the state of its sensor. Null: the context must be the latest for that. */
const judge = async (
  deps: ProcessDeps,
  context: SensorContext,
  state: SensorState,
  said: Said,
): Promise<Judged | null> => {
  const { receiveDate, message, notice } = said;
  const sensorId = context.sensor.id;
  const ofService = { receiveDate, sensorId, source: null };
  if (notice) return { ...noticed(state, notice.notice, { ...ofService, uuid: notice.uuid }), timings: null };
  if (!message) {
    const uuid = uuidV5(sensorId, 'heard', receiveDate);
    return { ...heard(state, { ...ofService, uuid }), timings: null };
  }
  const { raw, at } = message;
  const decoded = makers[context.sensor.manufacturer].decode(JSON.parse(raw));
  await noteFirmware(deps, context, decoded.signal);
  if (endsLearning(state, decoded.signal)) await noteLearnt(deps, context, receiveDate);
  const needs = needsOf(state, decoded.signal);
  if (!context.isLatest && (needs.regions || needs.critical)) return null;
  const around = await roomContextOf(deps, context, needs);
  const uuid = messageUuid(sensorId, decoded, raw, [receiveDate, at]);
  const cause: Cause = { receiveDate, sensorId, uuid, source: uuid };
  const timings = needs.critical ? around.timings : null;
  return { ...happenings(state, decoded, { ...cause, raw }, around), timings, keep: { uuid, raw } };
};

/**
 * Judges what was said, one after the other, each from what the one before left; what makes an event is kept first. Null:
 * only what tells nobody anything may be judged by a context that is some seconds old.
 */
export const stepThrough = async (
  deps: ProcessDeps,
  context: SensorContext,
  before: StateItem,
  all: readonly Said[],
): Promise<Stepped | null> => {
  const { customerId, sensor } = context;
  const idOf = idsAfter(deps, before);
  const stepped: Stepped = { next: before, events: [], timings: null, taken: 0 };
  for (const said of all) {
    if (stepped.events.length >= EVENTS_OF_ONE_DECISION) break;
    let judged = await judge(deps, context, stepped.next, said);
    if (!judged || (!context.isLatest && judged.events.length > 0)) return null;
    let events: NewEvent[] = judged.events.map((event) => ({ ...event, id: idOf(event.createDate) }));
    const [first] = events;
    if (first && judged.keep) {
      if (isLong(judged.keep.raw)) events = events.map((event) => ({ ...event, isLong: true as const }));
      const message = { ...judged.keep, customerId, sensorId: sensor.id, id: first.id, receiveDate: said.receiveDate };
      if (!(await deps.store.events.keep(message))) {
        // A repetition of what was told before only shows that the device is there.
        judged = await judge(deps, context, stepped.next, { position: said.position, receiveDate: said.receiveDate });
        events = judged?.events.map((event) => ({ ...event, id: idOf(event.createDate) })) ?? [];
      }
    }
    stepped.next = judged?.next ?? stepped.next;
    stepped.timings = judged?.timings ?? stepped.timings;
    stepped.events.push(...events);
    stepped.taken += 1;
  }
  return stepped;
};
