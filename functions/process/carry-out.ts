import type { Decided, Decision } from '../../shared/domain/decision.ts';
import type { Delivery } from '../../shared/domain/delivery.ts';
import type { Situation } from '../../shared/domain/event.ts';
import { defaultRoom, normalize } from '../../shared/domain/room.ts';
import type { Rule } from '../../shared/domain/rule.ts';
import type { SensorRecord } from '../../shared/domain/sensor.ts';
import { type Scene, serviceOf } from '../../shared/domain/snapshot.ts';
import type { Message } from '../../shared/store/events.ts';
import { type Append, appender, fire, forHooks } from './fire.ts';
import type { Place, ProcessDeps } from './place.ts';

type Rules = ReadonlyMap<number, Rule>;

const carryOutOne = async (
  deps: ProcessDeps,
  place: Place,
  scene: Scene,
  rules: Rules,
  append: Append,
): Promise<Delivery[]> => {
  const { store } = deps;
  const { customerId } = place;
  const deliveries = await forHooks(deps, scene, place);
  for (const ruleId of scene.event.rules) {
    // After a crash the rules are read again; one that was deleted meanwhile tells nobody any more.
    const rule = rules.get(ruleId) ?? (await store.rules.get(customerId, ruleId));
    if (rule) deliveries.push(...(await fire(deps, scene, rule, append)));
  }
  return deliveries;
};

/** Deliveries that are one, for a Raw webhook, report to the hits of all of them. */
const merged = (all: readonly Delivery[]): Delivery[] =>
  [...Map.groupBy(all, ({ id }) => id).values()].flatMap(([first, ...others]) => {
    const [hit = null, ...alsoHits] = [first, ...others].flatMap((one) => one?.hit ?? []);
    return first ? [{ ...first, hit, ...(alsoHits.length > 0 && { alsoHits }) }] : [];
  });

/** Writes the deliveries of a decision, and rings for them. */
const sendOut = async ({ store, ringDeliveries, crashpoint }: ProcessDeps, deliveries: readonly Delivery[]) => {
  crashpoint(12);
  await Promise.all(deliveries.map((delivery) => store.deliveries.create(delivery)));
  crashpoint(13);
  await ringDeliveries(deliveries.map(({ customerId: c, webhookId: w, id: d }) => ({ c, w, d })));
};

/** What the list of sensors shows of a sensor's activity. */
const showActivity = async (
  { store }: ProcessDeps,
  { customerId, sensor }: Place,
  situation: Situation | null,
  time: number,
): Promise<void> => {
  if (situation === 'sensor_active' || situation === 'sensor_inactive')
    await store.sensors.setActive(customerId, sensor.id, situation === 'sensor_active', time);
};

const listed = ({ room = defaultRoom }: SensorRecord, event: Decided) => {
  const { id, uuid, createDate, happening } = event;
  const { type, action, code, point } = happening;
  return { id, uuid, createDate, type, action, code, coordinates: point && normalize(point, room) };
};

/**
 * Makes a decision true, step by step; every step may have been done before. The message's waiting ends last, after
 * which the decision is done. `message` null: the service made the decision by the time.
 */
export const carryOut = async (
  deps: ProcessDeps,
  place: Place,
  message: Message | null,
  decision: Decision,
  rules: Rules,
): Promise<void> => {
  const { events } = deps.store;
  deps.crashpoint(11);
  const { decided, receiveDate } = decision;
  const { sensor, customer } = place;
  const service = serviceOf(deps.settings);
  const source = message && !message.notice ? message.uuid : null;
  const append = appender(deps, place.customerId, decision);
  const deliveries: Delivery[] = [];
  for (const event of decided) {
    const scene = { service, event, sensor, customer, source, receiveDate };
    deliveries.push(...(await carryOutOne(deps, place, scene, rules, append)));
  }
  await sendOut(deps, merged(deliveries));
  for (const { happening } of decided) await showActivity(deps, place, happening.situation, receiveDate);
  // The first event of a message is the message's own item; all others get one each.
  const first = message ? decided[0] : undefined;
  const bytes = message ? { source: message.uuid } : { raw: '{}' };
  const common = { customerId: place.customerId, sensorId: place.sensor.id, receiveDate, ...bytes };
  for (const event of decided) if (event !== first) await events.add({ ...common, ...listed(place.sensor, event) });
  deps.crashpoint(14);
  if (message) await events.finish(message, first ? listed(place.sensor, first) : null);
};
