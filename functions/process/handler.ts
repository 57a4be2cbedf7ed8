import { judgedAnew } from '../../shared/api/changing.ts';
import { learntBasic, type StoredBasic } from '../../shared/domain/config/basic-a.ts';
import { happenings, noticed } from '../../shared/domain/decision.ts';
import { decode } from '../../shared/domain/decode.ts';
import type { Signal } from '../../shared/domain/message.ts';
import { newSensorState } from '../../shared/domain/sensor-state.ts';
import { endsLearning, needsOf } from '../../shared/domain/state/step.ts';
import type { EventBell } from '../../shared/queue/bell.ts';
import { consume } from '../../shared/queue/consume.ts';
import type { Message, StateItem } from '../../shared/store/events.ts';
import { carryOut } from './carry-out.ts';
import { checkTime } from './check-time.ts';
import { processing } from './contract.ts';
import { type Place, type ProcessDeps, placeOf } from './place.ts';
import { surroundingsOf } from './surroundings.ts';
import { tryToDecide } from './try-to-decide.ts';

/** Decisions of one sensor meet when its messages come at the same time: one goes first, the others wait a little. */
const LONGEST_PAUSE_MS = 100;
/** So much time is left for carrying out what was decided. */
const MARGIN_MS = 5_000;

const fresh: StateItem = { ...newSensorState, decision: null };

/** Nobody's sensor has gone, or has become somebody's: its message is kept, and nothing fires. */
const setAside = async ({ store }: ProcessDeps, customerId: number, sensorId: string, uuid: string): Promise<void> => {
  const message = await store.events.get(customerId, sensorId, uuid);
  if (message?.duePk) await store.events.finish(message, null);
};

/** A device that was updated says so. */
const noteFirmware = async ({ store }: ProcessDeps, { customerId, sensor }: Place, signal: Signal): Promise<void> => {
  if (signal.kind !== 'state' || signal.firmware === null || signal.firmware === sensor.firmwareVersion) return;
  await store.sensors.setFirmware(customerId, sensor.id, signal.firmware);
};

/** A device that has learnt says so: the phase and the test mode end with it, before the message is decided. */
const noteLearnt = async (deps: ProcessDeps, { customerId, sensor }: Place, time: number): Promise<void> => {
  const { store, pause, random } = deps;
  const place = { customerId, sensorId: sensor.id };
  const end = async () => {
    const before = await store.configs.get<StoredBasic>(place, 'basic');
    const values = before && learntBasic(before.values, time);
    if (!before || !values) return place;
    return (await store.configs.put(place, 'basic', { values }, before)) === 'changed' ? null : place;
  };
  await judgedAnew(end, { pause, random }, () => {
    throw new Error('the configuration kept changing');
  });
};

/** What a message of the device, or a notice of the service, does to the sensor's state. Null: read the latest first. */
const judge = async (deps: ProcessDeps, place: Place, state: StateItem, message: Message) => {
  const cause = { ...message, byTime: false };
  if (message.notice) return { cause, outcome: noticed(state, message.notice, cause), timings: null };
  const decoded = decode(place.sensor.manufacturer, JSON.parse(message.raw));
  await noteFirmware(deps, place, decoded.signal);
  if (endsLearning(state, decoded.signal)) await noteLearnt(deps, place, message.receiveDate);
  const needs = needsOf(state, decoded.signal);
  if (!place.isLatest && (needs.regions || needs.critical)) return null;
  const around = await surroundingsOf(deps, place, needs);
  const timings = needs.critical ? around.timings : null;
  return { cause, outcome: happenings(state, decoded, cause, around), timings };
};

/** Judges a message by a state and carries out what that leads to; gives why it could not. */
const decideOn = async (
  deps: ProcessDeps,
  place: Place,
  state: StateItem,
  message: Message,
): Promise<'done' | 'other_first' | 'needs_latest'> => {
  // The sensor left after it was read as present.
  if (state.ttl !== undefined && !place.former) return 'other_first';
  if (state.decision?.uuid === message.uuid) {
    if (!place.isLatest) return 'needs_latest';
    await carryOut(deps, place, message, state.decision, new Map());
    return 'done';
  }
  const judged = await judge(deps, place, state, message);
  // Only what tells nobody anything may be judged by what is some seconds old.
  if (!judged || (!place.isLatest && judged.outcome.events.length > 0)) return 'needs_latest';
  const made = await tryToDecide(deps, place, state, judged.cause, judged.outcome, judged.timings);
  if (!made) return 'other_first';
  await carryOut(deps, place, message, made.decision, made.rules);
  return 'done';
};

/**
 * Processes one message. First the decision is made durable with the sensor's new state, then it is carried out; each
 * step may be repeated. So a crash anywhere, a repeated bell, or two at the same time give the same hits and deliveries.
 */
const processOne = async (deps: ProcessDeps, first: Place, uuid: string, timeLeft: () => number): Promise<void> => {
  const { events } = deps.store;
  const { customerId, sensor } = first;
  let place: Place | null = first;
  for (let pause = 2; timeLeft() > MARGIN_MS; pause = Math.min(LONGEST_PAUSE_MS, 2 * pause)) {
    // The state first: a message that still waits after it was read cannot have been decided before, or the state's
    // version would be another one by now.
    const state = (await events.state(customerId, sensor.id)) ?? fresh;
    const message = await events.get(customerId, sensor.id, uuid);
    if (!message?.duePk) return;
    let result = await decideOn(deps, place, state, message);
    if (result === 'done') return;
    place = await placeOf(deps, customerId, sensor.id, true);
    if (!place) return setAside(deps, customerId, sensor.id, uuid);
    if (result === 'needs_latest') result = await decideOn(deps, place, state, message);
    if (result === 'done') return;
    await deps.pause(((deps.random(1)[0] ?? 0) / 255) * pause);
  }
  throw new Error('the state of the sensor kept changing');
};

/** The sensor has gone: nobody looks at it any more. */
const lookAway = async ({ store }: ProcessDeps, customerId: number, sensorId: string): Promise<void> => {
  const state = await store.events.state(customerId, sensorId);
  if (state?.duePk) await store.events.watch(customerId, sensorId, state, null);
};

const work = async (
  { c: customerId, s: sensorId, e: uuids }: EventBell,
  deps: ProcessDeps,
  timeLeft: () => number,
): Promise<void> => {
  // Whether time alone alarms somebody is known only after everything was read.
  const place = await placeOf(deps, customerId, sensorId, uuids.length === 0);
  for (const uuid of uuids) {
    if (place) await processOne(deps, place, uuid, timeLeft);
    else await setAside(deps, customerId, sensorId, uuid);
  }
  if (uuids.length > 0) return;
  if (place && !place.former) await checkTime(deps, place);
  else await lookAway(deps, customerId, sensorId);
};

// Messages of one sensor change one state: in turn they don't meet.
export const handler = consume(processing, work, ({ c, s }) => `${c} ${s}`);
