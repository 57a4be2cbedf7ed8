import { situationText } from '../../shared/api/messages/texts.ts';
import type { Deps } from '../../shared/deps.ts';
import type { Bot } from '../../shared/domain/bot.ts';
import type { Decided, Decision } from '../../shared/domain/decision.ts';
import type { Delivery } from '../../shared/domain/delivery.ts';
import { timeOrderedId } from '../../shared/domain/ids.ts';
import { defaultRoom, normalize } from '../../shared/domain/room.ts';
import type { Rule } from '../../shared/domain/rule.ts';
import type { SensorRecord } from '../../shared/domain/sensor.ts';
import { newDelivery, type Scene, snapshotOf } from '../../shared/domain/snapshot.ts';
import type { Format } from '../../shared/domain/webhook.ts';
import type { CustomerItem } from '../../shared/store/customers.ts';
import type { Message } from '../../shared/store/events.ts';
import type { NewHit } from '../../shared/store/rule-hits.ts';
import type { processing } from './contract.ts';

export type ProcessDeps = Deps<(typeof processing)['uses'][number]>;
/** Where a message comes from. */
export type Place = { customerId: number; sensor: SensorRecord; customer: CustomerItem | null };
type Rules = ReadonlyMap<number, Rule>;

const textFor = async (locale: string, { happening }: Decided): Promise<string> =>
  happening.situation === null ? happening.action : situationText(locale, happening.situation);

/** What the service made itself has no bytes to send; what has no code cannot be said in Custom 1. */
const takes = (format: Format, { source, event }: Scene): boolean =>
  format === 'full' || (format === 'raw' ? source !== null : event.happening.code !== null);

/** Appends a hit to those of the customer; gives its id. */
type Append = (hit: NewHit) => Promise<number>;

/** All hits of a decision in one order, each looked for after the one before. */
const appender = ({ store, now }: ProcessDeps, customerId: number, { after }: Decision): Append => {
  let last = after ?? { id: 0, createDate: 0 };
  return async (hit) => {
    last = await store.ruleHits.append(customerId, last, hit, now());
    return last.id;
  };
};

/** A rule may name a webhook twice; it is told once. */
const recipientsOf = ({ recipients }: Rule) => [...new Map(recipients.map((one) => [one.webhookId, one])).values()];

const newHit = ({ random, now }: ProcessDeps, scene: Scene, rule: Rule, bots: ReadonlyMap<number, Bot>): NewHit => {
  const drawn = () => timeOrderedId(now(), Buffer.from(random(2)).readUInt16BE());
  return {
    ruleId: rule.id,
    ruleSensorGroupId: rule.sensorGroupId ?? 0,
    ruleCustomerId: rule.customerId,
    sensorId: scene.sensor.id,
    sensorEventId: scene.event.uuid,
    situation: rule.situation,
    messages: recipientsOf(rule).map(({ botId }) => ({
      id: drawn(),
      accountId: botId,
      publisher: 'webhook',
      wasSend: false,
      sendTryTimes: [],
      extra: { display_name: bots.get(botId)?.name ?? '', is_bot: true },
    })),
  };
};

/** Writes the hit of a rule; gives a delivery for each recipient whose webhook is still there, and its bot's. */
const fire = async (deps: ProcessDeps, scene: Scene, rule: Rule, append: Append): Promise<Delivery[]> => {
  const { store, now } = deps;
  const { customerId } = rule;
  const recipients = recipientsOf(rule);
  const [webhooks, botList] = await Promise.all([
    store.webhooks.getAll(customerId, [...new Set(recipients.map(({ webhookId }) => webhookId))]),
    store.bots.getAll(customerId, [...new Set(recipients.map(({ botId }) => botId))]),
  ]);
  const found = new Map(webhooks.map((webhook) => [webhook.id, webhook]));
  const bots = new Map(botList.map((bot) => [bot.id, bot]));
  const id = await append(newHit(deps, scene, rule, bots));
  const deliveries = recipients.map(async ({ webhookId, botId }, message) => {
    const webhook = found.get(webhookId);
    if (webhook?.botId !== botId || !takes(webhook.format, scene)) return [];
    const snapshot = snapshotOf(scene, rule, await textFor(bots.get(botId)?.locale ?? 'en', scene.event));
    const to = { customerId, webhookId, format: webhook.format, hit: { id, message }, ruleId: rule.id };
    return [newDelivery(scene, to, snapshot, now())];
  });
  return (await Promise.all(deliveries)).flat();
};

/** Customer webhooks get every event, without a rule. */
const forHooks = async ({ now }: ProcessDeps, scene: Scene, { customerId, customer }: Place): Promise<Delivery[]> => {
  const text = await textFor('en', scene.event);
  const fitting = Object.entries(customer?.hooks ?? {}).filter(([, format]) => takes(format, scene));
  return fitting.map(([webhookId, format]) => {
    const to = { customerId, webhookId, format, hit: null, ruleId: 0 };
    return newDelivery(scene, to, snapshotOf(scene, null, text), now());
  });
};

const carryOutOne = async (
  deps: ProcessDeps,
  place: Place,
  decision: Decision,
  event: Decided,
  rules: Rules,
  append: Append,
) => {
  const { store, ringDeliveries } = deps;
  const { customerId, sensor, customer } = place;
  const { uuid, receiveDate, byTime } = decision;
  const scene: Scene = { event, sensor, customer, source: byTime ? null : uuid, receiveDate };
  const deliveries = await forHooks(deps, scene, place);
  for (const ruleId of event.rules) {
    // After a crash the rules are read again; one that was deleted meanwhile tells nobody any more.
    const rule = rules.get(ruleId) ?? (await store.rules.get(customerId, ruleId));
    if (rule) deliveries.push(...(await fire(deps, scene, rule, append)));
  }
  deps.crashpoint(12);
  await Promise.all(deliveries.map((delivery) => store.deliveries.create(delivery)));
  deps.crashpoint(13);
  await ringDeliveries(deliveries.map(({ webhookId, id }) => ({ c: customerId, w: webhookId, d: id })));
  const { situation } = event.happening;
  if (situation === 'sensor_active' || situation === 'sensor_inactive')
    await store.sensors.setActive(customerId, sensor.id, situation === 'sensor_active', receiveDate);
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
  const append = appender(deps, place.customerId, decision);
  for (const event of decided) await carryOutOne(deps, place, decision, event, rules, append);
  // The first event of a message is the message's own item; all others get one each.
  const first = message ? decided[0] : undefined;
  const common = { customerId: place.customerId, sensorId: place.sensor.id, receiveDate, raw: message?.raw ?? '{}' };
  for (const event of decided) if (event !== first) await events.add({ ...common, ...listed(place.sensor, event) });
  deps.crashpoint(14);
  if (message) await events.finish(message, first ? listed(place.sensor, first) : null);
};
