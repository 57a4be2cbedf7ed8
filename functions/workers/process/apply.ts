import { eventText, expressesEvent, type KnownRecipients, readRecipients } from '#shared/api/addressees.ts';
import type { Delivery } from '#shared/domain/delivery/delivery.ts';
import { matchesFilters, noFilters } from '#shared/domain/delivery/event-filters.ts';
import {
  type EventContext,
  newDelivery,
  serviceFrom,
  snapshotOf,
  webhookSnapshot,
} from '#shared/domain/delivery/snapshot.ts';
import type { Decided, Decision } from '#shared/domain/event/decision.ts';
import type { Rule } from '#shared/domain/rule/rule.ts';
import { defaultRoom, normalize } from '#shared/domain/sensor/room-geometry.ts';
import type { SensorRecord } from '#shared/domain/sensor/sensor.ts';
import { oneOrMany, withLogContext } from '#shared/observability/log.ts';
import type { EventItem } from '#shared/store/sensors/events.ts';
import type { StateItem } from '#shared/store/sensors/state-item.ts';
import type { Received } from '#shared/worker/attempt.ts';
import { kindOfFailure, RetryLater } from '#shared/worker/failure.ts';
import { loadSensor, type ProcessDeps, type SensorContext, sensorKey } from './context.ts';
import {
  countImmediateAlarms,
  createHitAppender,
  enqueueDeliveries,
  fireDeletedRule,
  fireRule,
  writeDeliveries,
} from './hits.ts';

export type RulesById = ReadonlyMap<number, Rule>;

/** Loads the rules of a decision that are not known yet. A rule that was deleted after it fired is missing. */
const loadFiredRules = async (
  { store }: ProcessDeps,
  { customerId }: SensorContext,
  { decided }: Decision,
  known: RulesById,
): Promise<RulesById> => {
  const ids = [...new Set(decided.flatMap(({ rules }) => rules))];
  const read = ids.map(async (id) => known.get(id) ?? (await store.rules.get(customerId, id)));
  const rules = (await Promise.all(read)).filter((rule) => rule !== null);
  return new Map(rules.map((rule) => [rule.id, rule]));
};

/** Returns the deliveries to customer webhooks, which get every event without a rule. */
const customerDeliveries = async (
  { now }: ProcessDeps,
  eventContext: EventContext,
  { customerId, customer }: SensorContext,
  { webhooks }: KnownRecipients,
): Promise<Delivery[]> => {
  const { happening } = eventContext.event;
  const fitting = Object.entries(customer?.hooks ?? {}).filter(
    ([webhookId, format]) =>
      webhookId !== happening.notTo &&
      expressesEvent(format, eventContext) &&
      matchesFilters(webhooks.get(webhookId) ?? noFilters, happening, eventContext.sensor),
  );
  if (fitting.length === 0) return [];
  const text = await eventText('en', eventContext.event);
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
 * Merges deliveries with the same id: a Raw webhook gets a message once. The merged delivery reports to the hits of all.
 */
const merged = (deliveries: readonly Delivery[]): Delivery[] =>
  [...Map.groupBy(deliveries, ({ id }) => id).values()].flatMap(([first, ...others]) => {
    const [hit = null, ...alsoHits] = [first, ...others].flatMap((delivery) => delivery?.hit ?? []);
    return first ? [{ ...first, hit, ...(alsoHits.length > 0 && { alsoHits }) }] : [];
  });

/** Writes the hits of a decision. Returns its deliveries, and the recipients that it may notify. */
const writeHits = async (
  deps: ProcessDeps,
  context: SensorContext,
  decision: Decision,
  rules: RulesById,
): Promise<{ deliveries: Delivery[]; recipients: KnownRecipients }> => {
  const { sensor, customer, customerId } = context;
  const service = serviceFrom(deps.settings);
  const named = [...rules.values()].flatMap((rule) => rule.recipients);
  const recipients = await readRecipients(deps, customerId, named, Object.keys(customer?.hooks ?? {}));
  const append = createHitAppender(deps, customerId, decision);
  const deliveries: Delivery[] = [];
  for (const event of decision.decided) {
    const eventContext = { service, event, sensor, customer };
    deliveries.push(...(await customerDeliveries(deps, eventContext, context, recipients)));
    for (const ruleId of event.rules) {
      const rule = rules.get(ruleId);
      if (rule) deliveries.push(...(await fireRule(deps, eventContext, rule, { recipients, append })));
      else await fireDeletedRule(eventContext, { ruleId, customerId }, append);
    }
  }
  return { deliveries, recipients };
};

/** Updates the activity that the list of sensors shows. */
const showActivity = async (
  { store }: ProcessDeps,
  { customerId, sensor }: SensorContext,
  { happening, receiveDate }: Decided,
): Promise<void> => {
  const { situation } = happening;
  if (situation === 'sensor_active' || situation === 'sensor_inactive')
    await store.sensors.setActive(customerId, sensor.id, situation === 'sensor_active', receiveDate);
};

const eventItem = ({ room }: SensorRecord, event: Decided): EventItem => {
  const { id, uuid, createDate, receiveDate, source, happening } = event;
  const { type, action, code, point, region } = happening;
  const coordinates = point && normalize(point, room ?? defaultRoom);
  return {
    id,
    uuid,
    createDate,
    receiveDate,
    type,
    action,
    code,
    coordinates,
    ...(region && { region: { index: region.index, name: region.name } }),
    source,
    ...(event.isLong && { isLong: true }),
  };
};

/** Writes hits, then deliveries, then their tasks, and the events last: once these exist, the decision is applied. */
const applySteps = async (
  deps: ProcessDeps,
  context: SensorContext,
  decision: Decision,
  known: RulesById,
): Promise<void> => {
  const { sensor, customerId } = context;
  const { decided } = decision;
  deps.failpoint('process.decided');
  const rules = await loadFiredRules(deps, context, decision, known);
  const { deliveries, recipients } = await writeHits(deps, context, decision, rules);
  deps.failpoint('process.hits_written');
  const posted = await writeDeliveries(deps, merged(deliveries), recipients);
  deps.failpoint('process.deliveries_written');
  await enqueueDeliveries(deps, posted);
  countImmediateAlarms(deps, deliveries, recipients);
  for (const event of decided) await showActivity(deps, context, event);
  deps.failpoint('process.applied');
  const events = decided.map((event) => eventItem(sensor, event));
  await deps.store.events.add(customerId, sensor.id, events);
  deps.log('info', 'a decision was applied', {
    events: decided.map(({ uuid }) => uuid),
    ruleIds: [...rules.keys()],
    deliveries: deliveries.map(({ id }) => id),
  });
};

/**
 * Applies a decision step by step; each step may have been done before a crash. `known` holds the rules that were loaded to
 * make the decision. Log lines name the messages that caused it.
 */
export const applyDecision = (
  deps: ProcessDeps,
  context: SensorContext,
  decision: Decision,
  known: RulesById,
): Promise<void> => {
  const { decided } = decision;
  const requestId = oneOrMany(decided.map((event) => event.requestId));
  const uuid = oneOrMany(decided.map((event) => event.source ?? event.uuid));
  const ids = { uuid, ...(requestId !== undefined && { requestId }) };
  return withLogContext(ids, () => applySteps(deps, context, decision, known));
};

/** Applies the previous decision again if a crash left it incomplete. */
export const finishDecision = async (deps: ProcessDeps, context: SensorContext): Promise<void> => {
  const { customerId, sensorId } = sensorKey(context);
  const { decision } = context.state;
  if (!decision || (await deps.store.events.isApplied(customerId, sensorId, decision, deps.now()))) return;
  const latest =
    context.freshness === 'recent' ? await loadSensor(deps, { customerId, sensorId }, 'latest', context.state) : null;
  await applyDecision(deps, latest?.kind === 'found' ? latest.context : context, decision, new Map());
};

type QuarantineCause = NonNullable<Received<unknown>['quarantineCause']>;

/**
 * Finishes the previous decision, or quarantines it if it keeps failing on its own, so that it no longer holds back the
 * sensor. Returns the state after that.
 */
export const finishOrQuarantine = async (
  deps: ProcessDeps,
  context: SensorContext,
  quarantineCause: QuarantineCause,
): Promise<StateItem> => {
  const { state, former } = context;
  try {
    await finishDecision(deps, context);
    return state;
  } catch (error) {
    if (error instanceof RetryLater || kindOfFailure(error) !== 'other') throw error;
    await quarantineCause(state.decision, `a decision fails by itself: ${error}`);
    const next = { ...state, decision: null };
    const times = { formerUntil: former?.ttl ?? null };
    if (!(await deps.store.states.decide(sensorKey(context), state.version, next, times)))
      throw new RetryLater('another process has changed the state of the sensor');
    return { ...next, version: state.version + 1 };
  }
};
