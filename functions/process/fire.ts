import { situationText } from '../../shared/api/messages/texts.ts';
import type { Bot } from '../../shared/domain/bot.ts';
import type { Decided, Decision } from '../../shared/domain/decision.ts';
import type { Delivery } from '../../shared/domain/delivery.ts';
import { timeOrderedId } from '../../shared/domain/ids.ts';
import type { Rule } from '../../shared/domain/rule.ts';
import { newDelivery, type Scene, senderOf, snapshotOf } from '../../shared/domain/snapshot.ts';
import type { Format } from '../../shared/domain/webhook.ts';
import type { NewHit } from '../../shared/store/rule-hits.ts';
import type { Place, ProcessDeps } from './place.ts';

const textFor = async (locale: string, { happening }: Decided): Promise<string> =>
  happening.situation === null ? happening.action : situationText(locale, happening.situation);

/** What the service made itself has no bytes to send; what has no code cannot be said in Custom 1. */
const takes = (format: Format, { source, event }: Scene): boolean =>
  format === 'full' || (format === 'raw' ? source !== null : event.happening.code !== null);

/** Appends a hit to those of the customer; gives its id. */
export type Append = (hit: NewHit) => Promise<number>;

/** All hits of a decision in one order, each looked for after the one before. */
export const appender = ({ store, now }: ProcessDeps, customerId: number, { after }: Decision): Append => {
  let last = after ?? { id: 0, createDate: 0 };
  return async (hit) => {
    last = await store.ruleHits.append(customerId, last, hit, now());
    return last.id;
  };
};

/** A rule may name a webhook twice; it is told once. */
const recipientsOf = ({ recipients }: Rule) => [...new Map(recipients.map((one) => [one.webhookId, one])).values()];

const newHit = (
  { random, now }: ProcessDeps,
  scene: Scene,
  rule: Rule,
  recipients: Rule['recipients'],
  bots: ReadonlyMap<number, Bot>,
): NewHit => {
  const drawn = () => timeOrderedId(now(), Buffer.from(random(2)).readUInt16BE());
  return {
    ruleId: rule.id,
    ruleSensorGroupId: rule.sensorGroupId ?? 0,
    ruleCustomerId: rule.customerId,
    sensorId: scene.sensor.id,
    sensorEventId: scene.event.uuid,
    situation: rule.situation,
    messages: recipients.map(({ botId }) => ({
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
export const fire = async (deps: ProcessDeps, scene: Scene, rule: Rule, append: Append): Promise<Delivery[]> => {
  const { store, now } = deps;
  const { customerId } = rule;
  const named = recipientsOf(rule);
  const [webhooks, botList] = await Promise.all([
    store.webhooks.getAll(
      customerId,
      named.map(({ webhookId }) => webhookId),
    ),
    store.bots.getAll(customerId, [...new Set(named.map(({ botId }) => botId))]),
  ]);
  const found = new Map(webhooks.map((webhook) => [webhook.id, webhook]));
  const bots = new Map(botList.map((bot) => [bot.id, bot]));
  // Who cannot be told of this at all has no message in the hit, or it would wait for it for ever.
  const recipients = named.filter(({ webhookId }) => takes(found.get(webhookId)?.format ?? 'full', scene));
  const id = await append(newHit(deps, scene, rule, recipients, bots));
  const deliveries = recipients.map(async ({ webhookId, botId }, message) => {
    const webhook = found.get(webhookId);
    if (webhook?.botId !== botId) return [];
    const text = await textFor(bots.get(botId)?.locale ?? 'en', scene.event);
    const snapshot = snapshotOf(scene, senderOf(webhook), rule, text);
    const to = { customerId, webhookId, format: webhook.format, hit: { id, message }, ruleId: rule.id };
    return [newDelivery(scene, to, snapshot, now())];
  });
  return (await Promise.all(deliveries)).flat();
};

/** Customer webhooks get every event, without a rule. */
export const forHooks = async (
  { store, now }: ProcessDeps,
  scene: Scene,
  { customerId, customer }: Place,
): Promise<Delivery[]> => {
  const fitting = Object.entries(customer?.hooks ?? {}).filter(([, format]) => takes(format, scene));
  if (fitting.length === 0) return [];
  const ids = fitting.map(([webhookId]) => webhookId);
  const [text, webhooks] = await Promise.all([textFor('en', scene.event), store.webhooks.getAll(customerId, ids)]);
  const senders = new Map(webhooks.map((webhook) => [webhook.id, senderOf(webhook)]));
  return fitting.map(([webhookId, format]) => {
    const to = { customerId, webhookId, format, hit: null, ruleId: 0 };
    return newDelivery(scene, to, snapshotOf(scene, senders.get(webhookId), null, text), now());
  });
};
