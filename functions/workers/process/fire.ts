import { situationText } from '../../../shared/api/messages/situation-text.ts';
import type { Bot } from '../../../shared/domain/bot.ts';
import { type Decided, type Decision, numberBefore } from '../../../shared/domain/decision.ts';
import type { Delivery, HitMessage } from '../../../shared/domain/delivery.ts';
import { beginning } from '../../../shared/domain/escalation.ts';
import type { Format } from '../../../shared/domain/formats/format.ts';
import { formats, takes } from '../../../shared/domain/formats/formats.ts';
import { timeOrderedId } from '../../../shared/domain/ids.ts';
import { DEFAULT_LOCALE } from '../../../shared/domain/locale.ts';
import { accountOf, distinct } from '../../../shared/domain/recipient.ts';
import type { Recipient, Rule } from '../../../shared/domain/rule.ts';
import type { HitPlace } from '../../../shared/domain/rule-hit.ts';
import {
  type EscalationRound,
  type EventContext,
  newDelivery,
  readerOf,
  senderOf,
  snapshotOf,
} from '../../../shared/domain/snapshot.ts';
import type { WebhookRecord } from '../../../shared/domain/webhook.ts';
import type { NewHit, NewMessage } from '../../../shared/store/hit-item.ts';
import { enqueueRound } from './enqueue-round.ts';
import type { ProcessDeps, SensorContext } from './sensor-context.ts';

const textFor = async (locale: string, { happening }: Decided): Promise<string> =>
  happening.situation === null ? happening.action : situationText(locale, happening.situation);

const isTold = (format: Format, { event: { source, happening } }: EventContext): boolean =>
  takes(format, { source, code: happening.code });

type UnnumberedHit = Omit<NewHit, 'numbered'>;

/** Appends a hit to the customer's hits. Returns its place, and the accounts that its messages are for. */
export type Append = (hit: UnnumberedHit) => Promise<HitPlace & { told: number[] }>;

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
    return { ...last, told: (found ?? hit).messages.map(({ accountId }) => accountId) };
  };
};

/** The current webhooks and bots, by their ids. */
export type Recipients = {
  webhooks: ReadonlyMap<string, WebhookRecord>;
  bots: ReadonlyMap<number, Bot>;
};

/** Can the format of a recipient tell of the event? Else it gets no message in the hit, which would wait for it for ever. */
export const canBeTold = (eventContext: EventContext, { webhooks }: Recipients, { webhookId }: Recipient): boolean =>
  isTold(webhooks.get(webhookId)?.format ?? 'full', eventContext);

/** The message of a hit for a recipient, not sent yet. */
export const messageFor = (
  { random, now }: ProcessDeps,
  recipient: Recipient,
  bots: ReadonlyMap<number, Bot>,
): NewMessage => {
  const accountId = accountOf(recipient);
  return {
    id: timeOrderedId(now(), Buffer.from(random(2)).readUInt16BE()),
    accountId,
    publisher: 'webhook',
    wasSend: false,
    sendTryTimes: [],
    extra: { display_name: bots.get(accountId)?.name ?? '', is_bot: true },
  };
};

const newHit = (
  deps: ProcessDeps,
  eventContext: EventContext,
  rule: Rule,
  recipients: readonly Recipient[],
  bots: ReadonlyMap<number, Bot>,
): UnnumberedHit => {
  const { rules: _, requestId: __, ...cause } = eventContext.event;
  return {
    ruleId: rule.id,
    ruleSensorGroupId: rule.sensorGroupId ?? 0,
    ruleCustomerId: rule.customerId,
    sensorId: eventContext.sensor.id,
    sensorEventId: eventContext.event.uuid,
    situation: rule.situation,
    messages: recipients.map((recipient) => messageFor(deps, recipient, bots)),
    escalates: (createDate) => beginning(rule, createDate),
    cause,
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

/** The delivery of an event to a recipient, if its webhook still exists and belongs to its bot. `message`: its message of the hit. */
export const deliveryTo = async (
  { now }: Pick<ProcessDeps, 'now'>,
  eventContext: EventContext,
  rule: Rule,
  { webhooks, bots }: Recipients,
  { recipient, hit, round }: { recipient: Recipient; hit: HitMessage | null; round?: EscalationRound },
): Promise<Delivery[]> => {
  const { webhookId, botId } = recipient;
  const webhook = webhooks.get(webhookId);
  if (webhook?.botId !== botId) return [];
  const { locale } = bots.get(botId) ?? { locale: DEFAULT_LOCALE };
  const text = await textFor(locale, eventContext.event);
  const reader = formats[webhook.format].isForPeople && { reader: readerOf(eventContext, rule, locale) };
  const snapshot = { ...snapshotOf(eventContext, senderOf(webhook), rule, text), ...reader };
  const { customerId, id: ruleId } = rule;
  const to = { customerId, webhookId, format: webhook.format, hit, ruleId, ...(round && { round }) };
  return [newDelivery(eventContext, to, snapshot, now())];
};

/** Writes the hit of a rule, and queues the first round of its escalation. Returns the deliveries to its first recipients. */
export const fire = async (
  deps: ProcessDeps,
  eventContext: EventContext,
  rule: Rule,
  known: Recipients,
  append: Append,
): Promise<Delivery[]> => {
  const { customerId } = rule;
  const recipients = distinct(rule.recipients).filter((one) => canBeTold(eventContext, known, one));
  const { id, createDate, told } = await append(newHit(deps, eventContext, rule, recipients, known.bots));
  const escalation = beginning(rule, createDate);
  if (escalation) await enqueueRound(deps, { customerId, hitId: id, uuid: eventContext.event.uuid }, escalation.at);
  const deliveries = recipients.map((recipient, at) => {
    const message = told[at] === accountOf(recipient) ? at : told.indexOf(accountOf(recipient));
    return deliveryTo(deps, eventContext, rule, known, { recipient, hit: message < 0 ? null : { id, message } });
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
