import type { Decided, Decision } from '#shared/domain/event/decision.ts';
import { fallOfEvent, isRaisedAgain } from '#shared/domain/event/fall-key.ts';
import type { Rule } from '#shared/domain/rule/rule.ts';
import { defaultRoom, normalize } from '#shared/domain/sensor/room-geometry.ts';
import type { SensorRecord } from '#shared/domain/sensor/sensor.ts';
import { oneOrMany, withLogContext } from '#shared/observability/log.ts';
import type { EventItem } from '#shared/store/sensors/events.ts';
import type { StateItem } from '#shared/store/sensors/state-item.ts';
import type { Received } from '#shared/worker/consume.ts';
import { kindOfFailure, RetryLater } from '#shared/worker/failure.ts';
import { loadSensor, type ProcessDeps, type SensorContext, sensorKey } from './context.ts';

export type RulesById = ReadonlyMap<number, Rule>;

/** Loads the rules in a decision that have not been loaded yet. Rules deleted after they fired are missing. */
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

/** Updates the activity shown in the sensor list. */
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
  const fall = fallOfEvent(event);
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
    ...(fall !== null && { fall }),
  };
};

/** Whether any open fall of the sensor has been acknowledged. */
const isAnyAcknowledged = ({ falls, tracks = [] }: StateItem): boolean =>
  [...falls, ...tracks].some((fall) => fall.isAcknowledged);

/** Writes hits, then deliveries, then their tasks, and events last. Once the events exist, the decision is applied. */
const applySteps = async (
  deps: ProcessDeps,
  context: SensorContext,
  decision: Decision,
  known: RulesById,
): Promise<void> => {
  const { sensor, customerId } = context;
  const { decided } = decision;
  deps.failpoint('process.decided');
  // Most messages do not cause notifications, so this code is loaded with the first event.
  const [
    { countImmediateAlarms, enqueueChecks, isUnruled, writeHits },
    { enqueueDeliveries, mergeDeliveries, writeDeliveries },
  ] = await Promise.all([import('./hits.ts'), import('./deliveries.ts')]);
  if (decided.some((event) => isRaisedAgain(fallOfEvent(event) ?? ''))) {
    const { recordAlarms } = await import('./settle-fall.ts');
    await recordAlarms(deps, context, decision);
  }
  const rules = await loadFiredRules(deps, context, decision, known);
  const { deliveries, recipients, checks } = await writeHits(deps, context, decision, rules);
  deps.failpoint('process.hits_written');
  if (isAnyAcknowledged(context.state)) {
    const { settleAcknowledged } = await import('./settle-fall.ts');
    await settleAcknowledged(deps, context, decision);
  }
  const posted = await writeDeliveries(deps, mergeDeliveries(deliveries), recipients);
  deps.failpoint('process.deliveries_written');
  await enqueueDeliveries(deps, posted);
  await enqueueChecks(deps, checks);
  countImmediateAlarms(deps, deliveries, recipients);
  for (const event of decided) await showActivity(deps, context, event);
  deps.failpoint('process.applied');
  const events = decided.map((event) => ({ ...eventItem(sensor, event), isUnruled: isUnruled(customerId, event) }));
  await deps.store.events.add(customerId, sensor.id, events);
  deps.log('info', 'a decision was applied', {
    events: decided.map(({ uuid }) => uuid),
    ruleIds: [...rules.keys()],
    deliveries: deliveries.map(({ id }) => id),
  });
};

/**
 * Applies a decision step by step. Each step may already have been done before a crash. `known` holds the rules loaded
 * to make the decision. Log lines name the messages that caused it.
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
 * Finishes the previous decision, or quarantines it if the decision itself keeps failing, so it no longer holds back
 * the sensor. Returns the resulting state.
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
    await quarantineCause(state.decision, `a decision fails on its own: ${error}`);
    const next = { ...state, decision: null };
    const times = { formerUntil: former?.ttl ?? null };
    if (!(await deps.store.states.decide(sensorKey(context), state.version, next, times)))
      throw new RetryLater('another process has changed the state of the sensor');
    return { ...next, version: state.version + 1 };
  }
};
