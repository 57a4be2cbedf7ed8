import { situationText } from '../../../shared/api/messages/situation-text.ts';
import type { Bot } from '../../../shared/domain/bot.ts';
import { type Decided, type Decision, numberBefore } from '../../../shared/domain/decision.ts';
import type { Delivery } from '../../../shared/domain/delivery.ts';
import type { Format } from '../../../shared/domain/formats/format.ts';
import { formats, takes } from '../../../shared/domain/formats/formats.ts';
import { timeOrderedId } from '../../../shared/domain/ids.ts';
import { DEFAULT_LOCALE } from '../../../shared/domain/locale.ts';
import type { Rule } from '../../../shared/domain/rule.ts';
import { type EventContext, newDelivery, readerOf, senderOf, snapshotOf } from '../../../shared/domain/snapshot.ts';
import type { WebhookRecord } from '../../../shared/domain/webhook.ts';
import type { NewHit } from '../../../shared/store/hit-item.ts';
import type { ProcessDeps, SensorContext } from './sensor-context.ts';

const textFor = async (locale: string, { happening }: Decided): Promise<string> =>
  happening.situation === null ? happening.action : situationText(locale, happening.situation);

const isTold = (format: Format, { event: { source, happening } }: EventContext): boolean =>
  takes(format, { source, code: happening.code });

type UnnumberedHit = Omit<NewHit, 'numbered'>;

/** Appends a hit to the customer's hits. Returns its id, and the bots that its messages are for. */
export type Append = (hit: UnnumberedHit) => Promise<{ id: number; bots: number[] }>;

/**
 * Appends the hits of a decision, all of them in a fixed order, so that each gets the same number after a crash; the search
 * for each begins after the one before.
 */
export const appender = ({ store, now }: ProcessDeps, customerId: number, decision: Decision): Append => {
  let last = decision.after ?? { id: 0, createDate: 0 };
  const before = numberBefore(decision);
  let { number } = before;
  return async (hit) => {
    number += 1;
    const numbered = { ...hit, numbered: { ...before, number } };
    const { isNew, ...context } = await store.ruleHits.append(customerId, last, numbered, now());
    last = context;
    // The rule may have been given other recipients since the hit was written.
    const found = isNew ? hit : await store.ruleHits.get(customerId, context.id);
    return { id: context.id, bots: (found ?? hit).messages.map(({ accountId }) => accountId) };
  };
};

/** The current webhooks and bots, by their ids. */
export type Recipients = {
  webhooks: ReadonlyMap<string, WebhookRecord>;
  bots: ReadonlyMap<number, Bot>;
};

/** The recipients of a rule, each once: a rule may name a webhook twice. */
const namedBy = ({ recipients }: Rule) => [...new Map(recipients.map((one) => [one.webhookId, one])).values()];

const newHit = (
  { random, now }: ProcessDeps,
  eventContext: EventContext,
  rule: Rule,
  recipients: Rule['recipients'],
  bots: ReadonlyMap<number, Bot>,
): UnnumberedHit => {
  const drawn = () => timeOrderedId(now(), Buffer.from(random(2)).readUInt16BE());
  return {
    ruleId: rule.id,
    ruleSensorGroupId: rule.sensorGroupId ?? 0,
    ruleCustomerId: rule.customerId,
    sensorId: eventContext.sensor.id,
    sensorEventId: eventContext.event.uuid,
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

/** Writes the hit of a rule that was deleted after it fired and before its hit was written, because of a crash: nobody is told. */
export const fireDeleted = async (
  { event, sensor }: EventContext,
  { ruleId, customerId }: { ruleId: number; customerId: number },
  append: Append,
): Promise<void> => {
  const { uuid, happening } = event;
  if (happening.situation === null) return;
  await append({
    ...{ ruleId, ruleSensorGroupId: 0, ruleCustomerId: customerId, messages: [] },
    ...{ sensorId: sensor.id, sensorEventId: uuid, situation: happening.situation },
  });
};

/** Writes the hit of a rule. Returns a delivery for each recipient whose webhook still exists and belongs to its bot. */
export const fire = async (
  deps: ProcessDeps,
  eventContext: EventContext,
  rule: Rule,
  { webhooks, bots }: Recipients,
  append: Append,
): Promise<Delivery[]> => {
  const { customerId } = rule;
  // A recipient whose format cannot tell of the event gets no message in the hit, which would wait for it for ever.
  const recipients = namedBy(rule).filter(({ webhookId }) =>
    isTold(webhooks.get(webhookId)?.format ?? 'full', eventContext),
  );
  const { id, bots: told } = await append(newHit(deps, eventContext, rule, recipients, bots));
  const deliveries = recipients.map(async ({ webhookId, botId }, at) => {
    const webhook = webhooks.get(webhookId);
    if (webhook?.botId !== botId) return [];
    const { locale } = bots.get(botId) ?? { locale: DEFAULT_LOCALE };
    const text = await textFor(locale, eventContext.event);
    const reader = formats[webhook.format].isForPeople && { reader: readerOf(eventContext, rule, locale) };
    const snapshot = { ...snapshotOf(eventContext, senderOf(webhook), rule, text), ...reader };
    const message = told[at] === botId ? at : told.indexOf(botId);
    const hit = message < 0 ? null : { id, message };
    const to = { customerId, webhookId, format: webhook.format, hit, ruleId: rule.id };
    return [newDelivery(eventContext, to, snapshot, deps.now())];
  });
  return (await Promise.all(deliveries)).flat();
};

/** The deliveries to customer webhooks, which get every event without a rule. */
export const forHooks = async (
  { now }: ProcessDeps,
  eventContext: EventContext,
  { customerId, customer }: SensorContext,
  { webhooks }: Recipients,
): Promise<Delivery[]> => {
  const { notTo } = eventContext.event.happening;
  const fitting = Object.entries(customer?.hooks ?? {}).filter(
    ([webhookId, format]) => webhookId !== notTo && isTold(format, eventContext),
  );
  if (fitting.length === 0) return [];
  const text = await textFor('en', eventContext.event);
  return fitting.map(([webhookId, format]) => {
    const to = { customerId, webhookId, format, hit: null, ruleId: 0 };
    const webhook = webhooks.get(webhookId);
    return newDelivery(eventContext, to, snapshotOf(eventContext, webhook && senderOf(webhook), null, text), now());
  });
};
