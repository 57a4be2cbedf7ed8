import { judgedAnew } from '../../shared/api/changing.ts';
import { learntBasic, type StoredBasic } from '../../shared/domain/config/basic-a.ts';
import { type Cause, happenings, noticed } from '../../shared/domain/decision.ts';
import { decode } from '../../shared/domain/decode.ts';
import type { Signal } from '../../shared/domain/message.ts';
import { newSensorState } from '../../shared/domain/sensor-state.ts';
import { endsLearning, needsOf } from '../../shared/domain/state/step.ts';
import type { EventBell } from '../../shared/queue/bell.ts';
import { consume } from '../../shared/queue/consume.ts';
import type { StateItem } from '../../shared/store/events.ts';
import { carryOut } from './carry-out.ts';
import { checkTime } from './check-time.ts';
import { processing } from './contract.ts';
import type { Place, ProcessDeps } from './place.ts';
import { surroundingsOf } from './surroundings.ts';
import { tryToDecide } from './try-to-decide.ts';

/** Decisions of one sensor meet when its messages come at the same time: one goes first, the others wait a little. */
const LONGEST_PAUSE_MS = 100;
/** So much time is left for carrying out what was decided. */
const MARGIN_MS = 5_000;

const fresh: StateItem = { ...newSensorState, decision: null };

/** Everything that a message is judged by, or null when its sensor has gone. */
const placeOf = async ({ store }: ProcessDeps, customerId: number, sensorId: string): Promise<Place | null> => {
  const [sensor, customer] = await Promise.all([
    store.sensors.get(customerId, sensorId),
    customerId === 0 ? null : store.customers.get(customerId),
  ]);
  return sensor && { customerId, sensor, customer };
};

/** The sensor has gone, or moved on to another customer: its message is kept, and nothing fires. */
const setAside = async ({ store }: ProcessDeps, customerId: number, sensorId: string, uuid: string): Promise<void> => {
  const message = await store.events.get(customerId, sensorId, uuid, true);
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

/** What a message of the device does to the sensor's state. */
const judge = async (deps: ProcessDeps, place: Place, state: StateItem, cause: Cause & { raw: string }) => {
  const decoded = decode(place.sensor.manufacturer, JSON.parse(cause.raw));
  await noteFirmware(deps, place, decoded.signal);
  if (endsLearning(state, decoded.signal)) await noteLearnt(deps, place, cause.receiveDate);
  const needs = needsOf(state, decoded.signal);
  const around = await surroundingsOf(deps, place, needs);
  return { outcome: happenings(state, decoded, cause, around), timings: needs.critical ? around.timings : null };
};

/**
 * Processes one message. First the decision is made durable with the sensor's new state, then it is carried out; each
 * step may be repeated. So a crash anywhere, a repeated bell, or two at the same time give the same hits and deliveries.
 */
const processOne = async (deps: ProcessDeps, place: Place, uuid: string, timeLeft: () => number): Promise<void> => {
  const { events } = deps.store;
  const { customerId, sensor } = place;
  for (let pause = 2; timeLeft() > MARGIN_MS; pause = Math.min(LONGEST_PAUSE_MS, 2 * pause)) {
    // The state first: a message that still waits after it was read cannot have been decided before, or the state's
    // version would be another one by now.
    const state = (await events.state(customerId, sensor.id)) ?? fresh;
    const message = await events.get(customerId, sensor.id, uuid, true);
    if (!message?.duePk) return;
    if (state.decision?.uuid === message.uuid) return carryOut(deps, place, message, state.decision, new Map());
    const cause = { ...message, byTime: false };
    const { outcome, timings } = message.notice
      ? { outcome: noticed(state, message.notice, cause), timings: null }
      : await judge(deps, place, state, cause);
    const made = await tryToDecide(deps, place, state, cause, outcome, timings);
    if (made) return carryOut(deps, place, message, made.decision, made.rules);
    if (!(await placeOf(deps, customerId, sensor.id))) return setAside(deps, customerId, sensor.id, uuid);
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
  const place = await placeOf(deps, customerId, sensorId);
  for (const uuid of uuids) {
    if (place) await processOne(deps, place, uuid, timeLeft);
    else await setAside(deps, customerId, sensorId, uuid);
  }
  if (uuids.length > 0) return;
  if (place) await checkTime(deps, place);
  else await lookAway(deps, customerId, sensorId);
};

// Messages of one sensor change one state: in turn they don't meet.
export const handler = consume(processing, work, ({ c, s }) => `${c} ${s}`);
