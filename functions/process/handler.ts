import { type Decision, decide, happenings, silence, silenceOf } from '../../shared/domain/decision.ts';
import { decode } from '../../shared/domain/decode.ts';
import type { Happening } from '../../shared/domain/event.ts';
import { timeOrderedId } from '../../shared/domain/ids.ts';
import type { Rule } from '../../shared/domain/rule.ts';
import { newSensorState, silentAt } from '../../shared/domain/sensor-state.ts';
import type { EventBell } from '../../shared/queue/bell.ts';
import { consume } from '../../shared/queue/consume.ts';
import type { StateItem } from '../../shared/store/events.ts';
import { carryOut, type Place, type ProcessDeps } from './carry-out.ts';
import { processing } from './contract.ts';

/** Decisions of one sensor meet when its messages come at the same time: one goes first, the others wait a little. */
const LONGEST_PAUSE_MS = 100;
/** So much time is left for carrying out what was decided. */
const MARGIN_MS = 5_000;

const fresh: StateItem = { ...newSensorState, decision: null };
type Cause = Parameters<typeof silence>[1];
type Made = { decision: Decision; rules: Map<number, Rule> };

/** Everything that a message is judged by, or null when its sensor has gone. */
const placeOf = async ({ store }: ProcessDeps, customerId: number, sensorId: string): Promise<Place | null> => {
  const [sensor, customer] = await Promise.all([
    store.sensors.get(customerId, sensorId),
    customerId === 0 ? null : store.customers.get(customerId),
  ]);
  return sensor && { customerId, sensor, customer };
};

const loadRules = async ({ store }: ProcessDeps, { customerId, sensor }: Place, all: readonly Happening[]) => {
  const situations = [...new Set(all.map(({ situation }) => situation).filter((one) => one !== null))];
  // Nothing fires for a sensor that nobody linked.
  const wanted = customerId === 0 ? [] : situations;
  const lists = await Promise.all(wanted.map((one) => store.rules.forSituation(customerId, sensor, one)));
  return new Map(wanted.map((situation, at) => [situation, lists[at] ?? []]));
};

/** A decision that a crash may have left half done is carried out before anything new is decided. */
const finishEarlier = async (deps: ProcessDeps, place: Place, state: StateItem, uuid: string): Promise<void> => {
  const { decision } = state;
  if (!decision || decision.uuid === uuid) return;
  if (decision.byTime) return state.duePk ? carryOut(deps, place, null, decision, new Map()) : undefined;
  const earlier = await deps.store.events.get(place.customerId, place.sensor.id, decision.uuid);
  if (earlier?.duePk) await carryOut(deps, place, earlier, decision, new Map());
};

/** Decides about a cause from the state as it is; null: another decision came first. */
const tryToDecide = async (
  deps: ProcessDeps,
  place: Place,
  state: StateItem,
  cause: Cause,
  { next, events }: ReturnType<typeof silence>,
): Promise<Made | null> => {
  const { store, random } = deps;
  const { customerId, sensor } = place;
  await finishEarlier(deps, place, state, cause.uuid);
  const rules = await loadRules(
    deps,
    place,
    events.map(({ happening }) => happening),
  );
  const rulesFor = ({ situation }: Happening) => (situation === null ? [] : (rules.get(situation) ?? []));
  const draw = (time: number) => timeOrderedId(time, Buffer.from(random(2)).readUInt16BE());
  const { fired, decision } = decide(state, events, cause, rulesFor, draw);
  const woke = next.isActive && !state.isActive;
  const after: StateItem = { ...state, ...next, fired, decision };
  const watchAt = woke ? silentAt(next, 0, deps.settings.SENSOR_INACTIVE_AFTER_SECONDS) : null;
  if (!(await store.events.decide(customerId, sensor.id, state.version, after, watchAt))) return null;
  return { decision, rules: new Map([...rules.values()].flat().map((rule) => [rule.id, rule])) };
};

/** The sensor has gone, or moved on to another customer: its message is kept, and nothing fires. */
const setAside = async ({ store }: ProcessDeps, customerId: number, sensorId: string, uuid: string): Promise<void> => {
  const message = await store.events.get(customerId, sensorId, uuid, true);
  if (message?.duePk) await store.events.finish(message, null);
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
    const decoded = decode(sensor.manufacturer, JSON.parse(message.raw));
    const made = await tryToDecide(deps, place, state, cause, happenings(state, decoded, cause));
    if (made) return carryOut(deps, place, message, made.decision, made.rules);
    if (!(await placeOf(deps, customerId, sensor.id))) return setAside(deps, customerId, sensor.id, uuid);
    await deps.pause(((deps.random(1)[0] ?? 0) / 255) * pause);
  }
  throw new Error('the state of the sensor kept changing');
};

/** Looks whether a sensor has been silent for too long. A message that comes at the same time wins. */
const checkSilence = async (deps: ProcessDeps, place: Place): Promise<void> => {
  const { store, now, settings } = deps;
  const { customerId, sensor } = place;
  const state = await store.events.state(customerId, sensor.id);
  if (!state?.duePk) return;
  const upSince = await store.due.upSince(now());
  const time = silentAt(state, upSince, settings.SENSOR_INACTIVE_AFTER_SECONDS);
  if (state.isActive && time > now()) return store.events.watch(customerId, sensor.id, state, time);
  const cause = silenceOf(sensor.id, state, now());
  const made = state.isActive ? await tryToDecide(deps, place, state, cause, silence(state, cause)) : null;
  const decision = made?.decision ?? (state.isActive ? null : state.decision);
  if (!decision) return;
  if (decision.byTime) await carryOut(deps, place, null, decision, made?.rules ?? new Map());
  const after = { ...state, version: state.version + (made ? 1 : 0) };
  await store.events.watch(customerId, sensor.id, after, null);
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
  if (place && uuids.length === 0) await checkSilence(deps, place);
};

// Messages of one sensor change one state: in turn they don't meet.
export const handler = consume(processing, work, ({ c, s }) => `${c} ${s}`);
