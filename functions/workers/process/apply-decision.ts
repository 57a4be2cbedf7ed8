import { type Known, knownOf } from '#shared/api/addressees.ts';
import type { Delivery, WebhookDelivery } from '#shared/domain/delivery/delivery.ts';
import { serviceOf } from '#shared/domain/delivery/snapshot.ts';
import type { Decided, Decision } from '#shared/domain/event/decision.ts';
import type { Situation } from '#shared/domain/event/event.ts';
import type { Rule } from '#shared/domain/rule/rule.ts';
import { defaultRoom, normalize } from '#shared/domain/sensor/room-geometry.ts';
import type { SensorRecord } from '#shared/domain/sensor/sensor.ts';
import { inContext, oneOrAll } from '#shared/observability/log.ts';
import { deliverTask } from '#shared/queue/encode.ts';
import type { EventItem } from '#shared/store/sensors/events.ts';
import { appender, fire, fireDeleted, forHooks } from './fire.ts';
import type { ProcessDeps, SensorContext } from './sensor-context.ts';

type Rules = ReadonlyMap<number, Rule>;

/** The rules of a decision. After a crash they are read again; a rule that was deleted meanwhile is missing. */
const rulesOf = async (
  { store }: ProcessDeps,
  { customerId }: SensorContext,
  { decided }: Decision,
  known: Rules,
): Promise<Rules> => {
  const ids = [...new Set(decided.flatMap(({ rules }) => rules))];
  const read = ids.map(async (id) => known.get(id) ?? (await store.rules.get(customerId, id)));
  const rules = (await Promise.all(read)).filter((rule) => rule !== null);
  return new Map(rules.map((rule) => [rule.id, rule]));
};

/** Merges deliveries with the same id (a Raw webhook gets a message once); the merged one reports to the hits of all. */
const merged = (all: readonly Delivery[]): Delivery[] =>
  [...Map.groupBy(all, ({ id }) => id).values()].flatMap(([first, ...others]) => {
    const [hit = null, ...alsoHits] = [first, ...others].flatMap((delivery) => delivery?.hit ?? []);
    return first ? [{ ...first, hit, ...(alsoHits.length > 0 && { alsoHits }) }] : [];
  });

/** Is the delivery fetched from a webhook without an address? */
const isFetched = (delivery: Delivery, { webhooks }: Pick<Known, 'webhooks'>): delivery is WebhookDelivery =>
  delivery.webhookId !== null && webhooks.get(delivery.webhookId)?.url === null;

/**
 * Writes deliveries, and gives those that are to be put on the queue. Those that are fetched are written one after the
 * other, for their order is that of the events.
 */
export const writeDeliveries = async (
  { store }: ProcessDeps,
  deliveries: readonly Delivery[],
  known: Pick<Known, 'webhooks'>,
): Promise<Delivery[]> => {
  const posted = deliveries.filter((delivery) => !isFetched(delivery, known));
  await Promise.all(posted.map((delivery) => store.deliveries.create(delivery, false)));
  for (const delivery of deliveries) if (isFetched(delivery, known)) await store.deliveries.createFetched(delivery);
  return posted;
};

/** Writes the deliveries of a decision, and puts each on the queue that is not fetched. */
const sendOut = async (deps: ProcessDeps, deliveries: readonly Delivery[], known: Known) => {
  deps.failpoint('process.hits_written');
  const posted = await writeDeliveries(deps, deliveries, known);
  deps.failpoint('process.deliveries_written');
  await deps.enqueue(posted.map(deliverTask));
};

/** Counts what the decision's rules are to tell at once: nothing waits for a webhook that is off or fetched, or whose schedule begins later. */
export const countAlarms = (
  { measure }: ProcessDeps,
  deliveries: readonly Delivery[],
  { webhooks }: Pick<Known, 'webhooks'>,
): void => {
  const isNow = ({ hit, webhookId }: Delivery): boolean => {
    if (webhookId === null) return true;
    const webhook = webhooks.get(webhookId);
    return hit !== null && webhook?.isEnabled === true && webhook.url !== null && !webhook.retrySchedule?.[0];
  };
  const count = deliveries.filter(isNow).length;
  if (count > 0) measure('AlarmsToTell', count);
};

/** Updates what the list of sensors shows of a sensor's activity. */
const showActivity = async (
  { store }: ProcessDeps,
  { customerId, sensor }: SensorContext,
  situation: Situation | null,
  time: number,
): Promise<void> => {
  if (situation === 'sensor_active' || situation === 'sensor_inactive')
    await store.sensors.setActive(customerId, sensor.id, situation === 'sensor_active', time);
};

const itemOf = ({ room }: SensorRecord, event: Decided): EventItem => {
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

const applySteps = async (
  deps: ProcessDeps,
  context: SensorContext,
  decision: Decision,
  known: Rules,
): Promise<void> => {
  deps.failpoint('process.decided');
  const { decided } = decision;
  const { sensor, customer, customerId } = context;
  const service = serviceOf(deps.settings);
  const rules = await rulesOf(deps, context, decision, known);
  const named = [...rules.values()].flatMap((rule) => rule.recipients);
  const recipients = await knownOf(deps, customerId, named, Object.keys(customer?.hooks ?? {}));
  const append = appender(deps, customerId, decision);
  const deliveries: Delivery[] = [];
  for (const event of decided) {
    const eventContext = { service, event, sensor, customer };
    deliveries.push(...(await forHooks(deps, eventContext, context, recipients)));
    for (const ruleId of event.rules) {
      const rule = rules.get(ruleId);
      if (rule) deliveries.push(...(await fire(deps, eventContext, rule, { known: recipients, append })));
      else await fireDeleted(eventContext, { ruleId, customerId }, append);
    }
  }
  await sendOut(deps, merged(deliveries), recipients);
  countAlarms(deps, deliveries, recipients);
  for (const { happening, receiveDate } of decided) await showActivity(deps, context, happening.situation, receiveDate);
  deps.failpoint('process.applied');
  await deps.store.events.add(
    customerId,
    sensor.id,
    decided.map((event) => itemOf(sensor, event)),
  );
  const events = decided.map(({ uuid }) => uuid);
  const deliveryIds = deliveries.map(({ id }) => id);
  deps.log('info', 'a decision was applied', { events, ruleIds: [...rules.keys()], deliveries: deliveryIds });
};

/**
 * Applies a decision step by step; every step may have been done before a crash. The events are written last: when they
 * are there, the decision is applied. Meanwhile log lines name the messages that it was made of.
 */
export const applyDecision = (
  deps: ProcessDeps,
  context: SensorContext,
  decision: Decision,
  known: Rules,
): Promise<void> => {
  const { decided } = decision;
  const requestId = oneOrAll(decided.map((event) => event.requestId));
  const uuid = oneOrAll(decided.map((event) => event.source ?? event.uuid));
  const about = { uuid, ...(requestId !== undefined && { requestId }) };
  return inContext(about, () => applySteps(deps, context, decision, known));
};
