import {
  type Addressee,
  addresseesOf,
  deliveriesTo,
  eventText,
  expressesEvent,
  type KnownRecipients,
  publisherFor,
  readRecipients,
  uniqueAddressees,
} from '#shared/api/addressees.ts';
import { isOfCanary } from '#shared/domain/canary.ts';
import type { Delivery } from '#shared/domain/delivery/delivery.ts';
import { matchesFilters, noFilters } from '#shared/domain/delivery/event-filters.ts';
import { isGathered } from '#shared/domain/delivery/gathering.ts';
import {
  type EventContext,
  newDelivery,
  serviceFrom,
  snapshotOf,
  webhookSnapshot,
} from '#shared/domain/delivery/snapshot.ts';
import type { Decided, Decision } from '#shared/domain/event/decision.ts';
import { eventKeyOf, fallOfEvent } from '#shared/domain/event/fall-key.ts';
import { formats } from '#shared/domain/formats/formats.ts';
import { timeOrderedId } from '#shared/domain/ids.ts';
import { isUrgent } from '#shared/domain/rule/alarm.ts';
import { isWithinQueueDelay, messageIndexes, newEscalation } from '#shared/domain/rule/escalation.ts';
import type { HitPosition } from '#shared/domain/rule/hit-position.ts';
import { isNobodyOnDuty } from '#shared/domain/rule/recipients.ts';
import type { Rule } from '#shared/domain/rule/rule.ts';
import type { RuleMessage } from '#shared/domain/rule/rule-hit.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import type { CheckAlarm, Escalate } from '#shared/queue/task.ts';
import type { NewHit, NewMessage } from '#shared/store/hits/hit-item.ts';
import type { ProcessDeps, SensorContext } from './context.ts';

type UnnumberedHit = Omit<NewHit, 'hitNumber'>;
type Message = NewMessage & Partial<Pick<RuleMessage, 'step'>>;

/** Appends a hit to the customer hit list. Returns the position and messages, and whether it is new. */
type AppendHit = (hit: UnnumberedHit) => Promise<HitPosition & { messages: readonly Message[]; isNew: boolean }>;

/**
 * Creates the function that appends decided hits. They are appended in a fixed order, so that each hit gets the same
 * number again after a crash. The search for each hit starts after the previous one.
 */
const createHitAppender = ({ store, now }: ProcessDeps, customerId: number, decision: Decision): AppendHit => {
  let last = decision.after ?? { id: 0, createDate: 0 };
  const before = decision.numbered;
  let { number } = before;
  return async (hit) => {
    number += 1;
    const numbered = { ...hit, hitNumber: { ...before, number } };
    const { isNew, ...place } = await store.ruleHits.append(customerId, last, numbered, now());
    last = place;
    // The recipients in the rule may have changed since the hit was written.
    const found = isNew ? hit : await store.ruleHits.get(customerId, place.id);
    return { ...place, messages: (found ?? hit).messages, isNew };
  };
};

/** Returns a new, unsent message to an addressee. */
export const messageFor = ({ random, now }: ProcessDeps, addressee: Addressee): NewMessage => ({
  id: timeOrderedId(now(), Buffer.from(random(2)).readUInt16BE()),
  accountId: addressee.accountId,
  publisher: publisherFor(addressee),
  wasSend: false,
  sendTryTimes: [],
  extra: { display_name: addressee.name, is_bot: 'webhookId' in addressee },
});

/** Returns the key of the fall an event is about, if any. */
const ofFall = (event: EventContext['event']): { fall?: string } => {
  const fall = fallOfEvent(event);
  return fall === null ? {} : { fall };
};

const newHit = (
  deps: ProcessDeps,
  eventContext: EventContext,
  rule: Rule,
  { addressees, nobodyOnDuty }: { addressees: readonly Addressee[]; nobodyOnDuty: boolean },
): UnnumberedHit => {
  const { rules: _, requestId: __, fall: ___, ...cause } = eventContext.event;
  return {
    ruleId: rule.id,
    ruleSensorGroupId: rule.sensorGroupId ?? 0,
    ruleCustomerId: rule.customerId,
    sensorId: eventContext.sensor.id,
    sensorEventId: eventContext.event.uuid,
    ...ofFall(eventContext.event),
    situation: rule.situation,
    ...(nobodyOnDuty && { nobodyOnDuty }),
    ...(eventContext.event.happening.isSimulated && { isSimulated: true }),
    messages: addressees.map((addressee) => messageFor(deps, addressee)),
    escalationAt: (createDate) => newEscalation(rule, createDate, nobodyOnDuty),
    cause,
  };
};

/** Writes the hit for a rule that fired before a crash and was deleted before the recovery. The hit notifies no one. */
const fireDeletedRule = async (
  { event, sensor }: EventContext,
  { ruleId, customerId }: { ruleId: number; customerId: number },
  append: AppendHit,
): Promise<HitPosition[]> => {
  const { uuid, happening } = event;
  if (happening.situation === null) return [];
  const place = await append({
    ruleId,
    ruleSensorGroupId: 0,
    ruleCustomerId: customerId,
    messages: [],
    sensorId: sensor.id,
    sensorEventId: uuid,
    ...ofFall(event),
    situation: happening.situation,
  });
  return [place];
};

/**
 * Returns the first recipients of a hit, and the indexes of their messages, or null for recipients who were added to
 * the rule later. Both the current rule and the people named in the hit count, because after a crash they may have no
 * one in common.
 */
const firstAddressees = (
  addressees: readonly Addressee[],
  messages: readonly Message[],
): { addressee: Addressee; place: number | null }[] => {
  const first = messages.map(({ accountId, publisher, step = 0 }) => ({ accountId, publisher, step }));
  const named = addressees.map((addressee) => {
    return { accountId: addressee.accountId, publisher: publisherFor(addressee), step: 0 };
  });
  const places = messageIndexes(first, named);
  const byRule = addressees.map((addressee, at) => ({ addressee, place: places[at] ?? null }));
  const byHit = messages.flatMap(({ publisher: by, accountId, extra, step = 0 }, place) =>
    by === 'webhook' || step > 0 ? [] : [{ addressee: { accountId, name: extra.display_name, by }, place }],
  );
  return uniqueAddressees([...byRule, ...byHit]);
};

/**
 * Enqueues the task for a round due at `at` (ms), if a queue can delay it until then. Otherwise, the sweep enqueues it
 * in time.
 */
export const enqueueRound = async (
  { enqueue, now }: Pick<ProcessDeps, 'enqueue' | 'now'>,
  hit: Omit<Escalate, 'type'>,
  at: number,
): Promise<void> => {
  if (isWithinQueueDelay(at, now()))
    await enqueue([{ type: 'escalate', ...hit }], { delaySeconds: (at - now()) / 1_000 });
};

/**
 * Writes a rule hit, and enqueues the first escalation round. Returns the hit, and the deliveries to the first
 * recipients.
 */
const fireRule = async (
  deps: ProcessDeps,
  eventContext: EventContext,
  rule: Rule,
  { recipients, append }: { recipients: KnownRecipients; append: AppendHit },
): Promise<{ hit: HitPosition; deliveries: Delivery[] }> => {
  const named = addresseesOf(rule.recipients, recipients, eventContext);
  const nobodyOnDuty = isNobodyOnDuty(rule.recipients, recipients.onDuty);
  const hit = newHit(deps, eventContext, rule, { addressees: named, nobodyOnDuty });
  const { id, createDate, messages, isNew } = await append(hit);
  const escalation = newEscalation(rule, createDate, nobodyOnDuty);
  const task = { customerId: rule.customerId, hitId: id, uuid: eventContext.event.uuid };
  if (escalation) await enqueueRound(deps, task, escalation.at);
  const addressees = firstAddressees(named, messages);
  if (nobodyOnDuty && (isNew || addressees.length === 0)) deps.measure('NobodyOnDuty');
  const deliveries = addressees.map(({ addressee, place }) => {
    const to = { rule, addressee, hit: place === null ? null : { id, message: place } };
    return deliveriesTo(deps, eventContext, recipients, to);
  });
  return { hit: { id, createDate }, deliveries: (await Promise.all(deliveries)).flat() };
};

/** Returns the deliveries to customer webhooks, which receive every event, whether or not a rule fires. */
const customerDeliveries = async (
  { now }: ProcessDeps,
  known: EventContext,
  { customerId, customer }: SensorContext,
  { webhooks }: KnownRecipients,
): Promise<Delivery[]> => {
  // These webhooks have already received every message about a fall that advances with time.
  const { fallMessage: _, ...event } = known.event;
  const eventContext = { ...known, event };
  const { happening } = event;
  const fitting = Object.entries(customer?.hooks ?? {}).filter(
    ([webhookId, format]) =>
      webhookId !== happening.notTo &&
      expressesEvent(format, eventContext) &&
      matchesFilters(webhooks.get(webhookId) ?? noFilters, happening, eventContext.sensor),
  );
  if (fitting.length === 0) return [];
  const text = await eventText('en', event);
  return fitting.map(([webhookId, format]) => {
    const to = { customerId, webhookId, format, hit: null, ruleId: 0 };
    const webhook = webhooks.get(webhookId);
    return newDelivery(
      eventContext,
      to,
      snapshotOf(eventContext, webhook && webhookSnapshot(webhook), null, { text }),
      now(),
    );
  });
};

/**
 * A decision's deliveries, the recipients it may notify, and the checks of whether anyone was notified of the alarms.
 */
type Alerts = { deliveries: Delivery[]; recipients: KnownRecipients; checks: CheckAlarm[] };

/** The maximum number of deliveries per event that a check examines for attempts. */
const MAX_CHECKED = 10;

/**
 * Whether a delivery is an alarm due immediately. It must not wait for others, and the webhook must not be disabled,
 * fetched, or delayed by a schedule. Canary alarms do not count, because they would hide that no one else is notified.
 */
const isImmediate = (
  { settings }: ProcessDeps,
  delivery: Delivery,
  { webhooks }: Pick<KnownRecipients, 'webhooks'>,
) => {
  const { hit, webhookId } = delivery;
  if (webhookId === null) return !isGathered(delivery);
  const webhook = webhooks.get(webhookId);
  if (!webhook?.isEnabled || isOfCanary(webhook, settings.PUBLIC_URL)) return false;
  return hit !== null && webhook.url !== null && !webhook.retrySchedule?.[0];
};

/**
 * Returns the check for an event's alarms. There is none if the event is not urgent, or if no rule or customer webhook
 * covers it.
 */
const checksOf = (
  { now, settings }: ProcessDeps,
  { event, sensor }: EventContext,
  customerId: number,
  {
    hits,
    ofEvent,
    immediate,
  }: { hits: readonly HitPosition[]; ofEvent: readonly Delivery[]; immediate: readonly Delivery[] },
): CheckAlarm[] => {
  const { happening, uuid, source, requestId } = event;
  const { situation } = happening;
  if (!isUrgent(situation) || (hits.length === 0 && ofEvent.length === 0)) return [];
  const createDate = Math.min(now(), ...hits.map((hit) => hit.createDate));
  const check: CheckAlarm = {
    type: 'check_alarm',
    customerId,
    sensorId: sensor.id,
    uuid: source ?? uuid,
    ...(requestId !== undefined && { requestId }),
    eventUuid: uuid,
    situation,
    createDate,
    at: createDate + settings.UNNOTIFIED_AFTER_SECONDS * 1_000,
    hitIds: hits.map(({ id }) => id),
    ofEvent: ofEvent.flatMap(({ webhookId, id }) => (webhookId === null ? [] : [{ webhookId, deliveryId: id }])),
    immediate: immediate.slice(0, MAX_CHECKED).map(({ webhookId, id }) => ({ webhookId, deliveryId: id })),
    // Without a hit, people acknowledge the fall or the event.
    ...(hits.length === 0 ? { fall: fallOfEvent(event) ?? eventKeyOf(event.id) } : ofFall(event)),
  };
  return [check];
};

/** Whether an event is urgent for a customer and not simulated, and no rule fired for it. */
export const isUnruled = (customerId: number, { happening, rules }: Decided): boolean =>
  customerId !== UNASSIGNED && rules.length === 0 && isUrgent(happening.situation) && !happening.isSimulated;

/**
 * Adds the newest message about a fall that advances with time, if a recipient has the Raw format, which sends nothing
 * else.
 */
const withFallMessage = async (
  { store }: ProcessDeps,
  { customerId, sensor }: SensorContext,
  event: Decided,
  { webhooks }: KnownRecipients,
): Promise<Decided> => {
  const fall = fallOfEvent(event);
  const isNeeded = [...webhooks.values()].some(({ format }) => formats[format].message === 'required');
  if (event.source !== null || event.rules.length === 0 || fall === null || !isNeeded) return event;
  const fallMessage = await store.events.newestMessageOfFall(customerId, sensor.id, fall);
  return fallMessage === null ? event : { ...event, fallMessage };
};

/** Writes all decided hits. */
export const writeHits = async (
  deps: ProcessDeps,
  context: SensorContext,
  decision: Decision,
  rules: ReadonlyMap<number, Rule>,
): Promise<Alerts> => {
  const { sensor, customer, customerId } = context;
  const service = serviceFrom(deps.settings);
  const named = [...rules.values()].flatMap((rule) => rule.recipients);
  const recipients = await readRecipients(deps, context, named, Object.keys(customer?.hooks ?? {}));
  const append = createHitAppender(deps, customerId, decision);
  // The canary has its own alarm.
  const isCanary = [...recipients.webhooks.values()].some((webhook) => isOfCanary(webhook, deps.settings.PUBLIC_URL));
  const deliveries: Delivery[] = [];
  const checks: CheckAlarm[] = [];
  for (const decided of decision.decided) {
    const event = await withFallMessage(deps, context, decided, recipients);
    const eventContext = { service, event, sensor, customer };
    const ofEvent = await customerDeliveries(deps, eventContext, context, recipients);
    deliveries.push(...ofEvent);
    const hits: HitPosition[] = [];
    const byRules: Delivery[] = [];
    for (const ruleId of event.rules) {
      const rule = rules.get(ruleId);
      if (rule) {
        const fired = await fireRule(deps, eventContext, rule, { recipients, append });
        hits.push(fired.hit);
        byRules.push(...fired.deliveries);
      } else {
        hits.push(...(await fireDeletedRule(eventContext, { ruleId, customerId }, append)));
      }
    }
    deliveries.push(...byRules);
    const immediate = byRules.filter((delivery) => isImmediate(deps, delivery, recipients));
    if (!isCanary) checks.push(...checksOf(deps, eventContext, customerId, { hits, ofEvent, immediate }));
  }
  return { deliveries, recipients, checks };
};

/** Enqueues the checks of whether anyone was notified of alarms. Checks that arrive early are requeued. */
export const enqueueChecks = async (
  { enqueue, now }: Pick<ProcessDeps, 'enqueue' | 'now'>,
  checks: readonly CheckAlarm[],
): Promise<void> => {
  for (const check of checks) await enqueue([check], { delaySeconds: (check.at - now()) / 1_000 });
};

/** Counts alarms due immediately. */
export const countImmediateAlarms = (
  deps: ProcessDeps,
  deliveries: readonly Delivery[],
  recipients: Pick<KnownRecipients, 'webhooks'>,
): void => {
  const count = deliveries.filter((delivery) => isImmediate(deps, delivery, recipients)).length;
  if (count > 0) deps.measure('AlarmsToTell', count);
};
