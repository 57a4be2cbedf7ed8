import { type Decision, decide, happenings } from '../../shared/domain/decision.ts';
import { decode } from '../../shared/domain/decode.ts';
import type { Happening } from '../../shared/domain/event.ts';
import { timeOrderedId } from '../../shared/domain/ids.ts';
import type { Rule } from '../../shared/domain/rule.ts';
import { newSensorState } from '../../shared/domain/sensor-state.ts';
import { consume } from '../../shared/queue/consume.ts';
import type { Message, StateItem } from '../../shared/store/events.ts';
import { carryOut, type Place, type ProcessDeps } from './carry-out.ts';
import { processing } from './contract.ts';

/** Decisions of one sensor meet only when its messages come at the same time; then one of them goes first. */
const TRIES = 20;

const fresh: StateItem = { ...newSensorState, decision: null };

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
const finishEarlier = async (deps: ProcessDeps, place: Place, { decision }: StateItem, uuid: string): Promise<void> => {
  if (!decision || decision.uuid === uuid) return;
  const earlier = await deps.store.events.get(place.customerId, place.sensor.id, decision.uuid);
  if (earlier?.duePk) await carryOut(deps, place, earlier, decision, new Map());
};

type Made = { decision: Decision; rules: Map<number, Rule> };

/** One try to decide; null: another message's decision came first. */
const tryToDecide = async (deps: ProcessDeps, place: Place, message: Message): Promise<Made | null> => {
  const { store, random } = deps;
  const { customerId, sensor } = place;
  const state = (await store.events.state(customerId, sensor.id)) ?? fresh;
  if (state.decision?.uuid === message.uuid) return { decision: state.decision, rules: new Map() };
  await finishEarlier(deps, place, state, message.uuid);
  const { next, events } = happenings(state, decode(sensor.manufacturer, JSON.parse(message.raw)), message);
  const rules = await loadRules(
    deps,
    place,
    events.map(({ happening }) => happening),
  );
  const rulesFor = ({ situation }: Happening) => (situation === null ? [] : (rules.get(situation) ?? []));
  const draw = (time: number) => timeOrderedId(time, Buffer.from(random(2)).readUInt16BE());
  const { fired, decision } = decide(state, events, message, rulesFor, draw);
  if (!(await store.events.decide(customerId, sensor.id, state.version, { ...next, fired, decision }))) return null;
  if (next.isActive !== state.isActive) await store.sensors.setActive(customerId, sensor.id, next.isActive, deps.now());
  return { decision, rules: new Map([...rules.values()].flat().map((rule) => [rule.id, rule])) };
};

/**
 * Processes one message. First the decision is made durable with the sensor's new state, then it is carried out; each
 * step may be repeated. So a crash anywhere, a repeated bell, or two at the same time give the same hits and deliveries.
 */
const processOne = async (deps: ProcessDeps, place: Place, uuid: string): Promise<void> => {
  const message = await deps.store.events.get(place.customerId, place.sensor.id, uuid, true);
  if (!message?.duePk) return;
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const made = await tryToDecide(deps, place, message);
    if (made) return carryOut(deps, place, message, made.decision, made.rules);
  }
  throw new Error('the state of the sensor kept changing');
};

export const handler = consume(processing, async ({ c: customerId, s: sensorId, e: uuids }, deps) => {
  const place = await placeOf(deps, customerId, sensorId);
  if (!place) return deps.log('warn', 'messages of a sensor that has gone', { sensorId, count: uuids.length });
  for (const uuid of uuids) await processOne(deps, place, uuid);
});
