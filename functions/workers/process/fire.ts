import {
  type Addressee,
  addresseesOf,
  deliveryTo,
  isTold,
  type Known,
  onceEach,
  publisherOf,
  textFor,
} from '#shared/api/addressees.ts';
import type { Delivery } from '#shared/domain/delivery/delivery.ts';
import { isNamed, noFilters } from '#shared/domain/delivery/event-filters.ts';
import { type EventContext, newDelivery, senderOf, snapshotOf } from '#shared/domain/delivery/snapshot.ts';
import type { Decision } from '#shared/domain/event/decision.ts';
import { timeOrderedId } from '#shared/domain/ids.ts';
import { beginning, placesOf } from '#shared/domain/rule/escalation.ts';
import { isForDuty } from '#shared/domain/rule/recipients.ts';
import type { Rule } from '#shared/domain/rule/rule.ts';
import type { HitPlace, RuleMessage } from '#shared/domain/rule/rule-hit.ts';
import type { NewHit, NewMessage } from '#shared/store/hits/hit-item.ts';
import { enqueueRound } from './enqueue-round.ts';
import type { ProcessDeps, SensorContext } from './sensor-context.ts';

type UnnumberedHit = Omit<NewHit, 'numbered'>;
type Message = NewMessage & Partial<Pick<RuleMessage, 'step'>>;

/** Appends a hit to the customer's hits. Returns its place and its messages, and whether it is new. */
type Append = (hit: UnnumberedHit) => Promise<HitPlace & { messages: readonly Message[]; isNew: boolean }>;

/**
 * Appends the hits of a decision, all of them in a fixed order, so that each gets the same number after a crash; the search
 * for each begins after the one before.
 */
export const appender = ({ store, now }: ProcessDeps, customerId: number, decision: Decision): Append => {
  let last = decision.after ?? { id: 0, createDate: 0 };
  const before = decision.numbered;
  let { number } = before;
  return async (hit) => {
    number += 1;
    const numbered = { ...hit, numbered: { ...before, number } };
    const { isNew, ...place } = await store.ruleHits.append(customerId, last, numbered, now());
    last = place;
    // The rule may have been given other recipients since the hit was written.
    const found = isNew ? hit : await store.ruleHits.get(customerId, place.id);
    return { ...place, messages: (found ?? hit).messages, isNew };
  };
};

/** The message of a hit for one who is told, not sent yet. */
export const messageFor = ({ random, now }: ProcessDeps, addressee: Addressee): NewMessage => ({
  id: timeOrderedId(now(), Buffer.from(random(2)).readUInt16BE()),
  accountId: addressee.accountId,
  publisher: publisherOf(addressee),
  wasSend: false,
  sendTryTimes: [],
  extra: { display_name: addressee.name, is_bot: 'webhookId' in addressee },
});

const newHit = (
  deps: ProcessDeps,
  eventContext: EventContext,
  rule: Rule,
  { addressees, nobodyOnDuty }: { addressees: readonly Addressee[]; nobodyOnDuty: boolean },
): UnnumberedHit => {
  const { rules: _, requestId: __, ...cause } = eventContext.event;
  return {
    ruleId: rule.id,
    ruleSensorGroupId: rule.sensorGroupId ?? 0,
    ruleCustomerId: rule.customerId,
    sensorId: eventContext.sensor.id,
    sensorEventId: eventContext.event.uuid,
    situation: rule.situation,
    ...(nobodyOnDuty && { nobodyOnDuty }),
    ...(eventContext.event.happening.isSimulated && { isSimulated: true }),
    messages: addressees.map((addressee) => messageFor(deps, addressee)),
    escalates: (createDate) => beginning(rule, createDate, nobodyOnDuty),
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
    ruleId,
    ruleSensorGroupId: 0,
    ruleCustomerId: customerId,
    messages: [],
    sensorId: sensor.id,
    sensorEventId: uuid,
    situation: happening.situation,
  });
};

/**
 * Those whom a hit tells first, and the places of their messages in it; null: it has none for one whom its rule names only
 * since. The rule as it is now and the people whom the hit names both count: after a crash they may have nobody in common.
 */
const firstAddressees = (
  addressees: readonly Addressee[],
  messages: readonly Message[],
): { addressee: Addressee; place: number | null }[] => {
  const first = messages.map(({ accountId, publisher, step = 0 }) => ({ accountId, publisher, step }));
  const named = addressees.map((addressee) => {
    return { accountId: addressee.accountId, publisher: publisherOf(addressee), step: 0 };
  });
  const places = placesOf(first, named);
  const now = addressees.map((addressee, at) => ({ addressee, place: places[at] ?? null }));
  const people = messages.flatMap(({ publisher: by, accountId, extra, step = 0 }, place) =>
    by === 'webhook' || step > 0 ? [] : [{ addressee: { accountId, name: extra.display_name, by }, place }],
  );
  return onceEach([...now, ...people]);
};

/** Writes the hit of a rule, and queues the first round of its escalation. Returns the deliveries to its first recipients. */
export const fire = async (
  deps: ProcessDeps,
  eventContext: EventContext,
  rule: Rule,
  { known, append }: { known: Known; append: Append },
): Promise<Delivery[]> => {
  const all = addresseesOf(rule.recipients, known, eventContext);
  const nobodyOnDuty = isForDuty(rule.recipients) && known.onDuty.length === 0;
  const { id, createDate, messages, isNew } = await append(
    newHit(deps, eventContext, rule, { addressees: all, nobodyOnDuty }),
  );
  const escalation = beginning(rule, createDate, nobodyOnDuty);
  const about = { customerId: rule.customerId, hitId: id, uuid: eventContext.event.uuid };
  if (escalation) await enqueueRound(deps, about, escalation.at);
  const addressees = firstAddressees(all, messages);
  if (nobodyOnDuty && (isNew || addressees.length === 0)) deps.measure('NobodyOnDuty');
  const deliveries = addressees.map(({ addressee, place }) =>
    deliveryTo(deps, eventContext, known, { rule, addressee, hit: place === null ? null : { id, message: place } }),
  );
  return (await Promise.all(deliveries)).flat();
};

/** The deliveries to customer webhooks, which get every event without a rule. */
export const forHooks = async (
  { now }: ProcessDeps,
  eventContext: EventContext,
  { customerId, customer }: SensorContext,
  { webhooks }: Known,
): Promise<Delivery[]> => {
  const { happening } = eventContext.event;
  const { notTo } = happening;
  const fitting = Object.entries(customer?.hooks ?? {}).filter(
    ([webhookId, format]) =>
      webhookId !== notTo &&
      isTold(format, eventContext) &&
      isNamed(webhooks.get(webhookId) ?? noFilters, happening, eventContext.sensor),
  );
  if (fitting.length === 0) return [];
  const text = await textFor('en', eventContext.event);
  return fitting.map(([webhookId, format]) => {
    const to = { customerId, webhookId, format, hit: null, ruleId: 0 };
    const webhook = webhooks.get(webhookId);
    return newDelivery(eventContext, to, snapshotOf(eventContext, webhook && senderOf(webhook), null, text), now());
  });
};
