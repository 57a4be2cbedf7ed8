import { alarmChecks } from '#shared/api/alarm-check.ts';
import { firstDeliveryId } from '#shared/domain/delivery/snapshot.ts';
import type { Decision } from '#shared/domain/event/decision.ts';
import { fallOfEvent, isRaisedAgain } from '#shared/domain/event/fall-key.ts';
import type { Format } from '#shared/domain/formats/format.ts';
import type { SensorState, Step } from '#shared/domain/sensor/sensor-state.ts';
import { answerStep, isAcknowledged, newestKeyOf } from '#shared/domain/state/answers.ts';
import type { CheckAlarm } from '#shared/queue/task.ts';
import type { FallRef } from '#shared/store/rules/fall-answer.ts';
import type { AlarmEvent } from '#shared/store/rules/settle-fall.ts';
import type { NoticeItem } from '#shared/store/sensors/events.ts';
import { type ProcessDeps, type SensorContext, sensorKey } from './context.ts';
import { enqueueChecks } from './hits.ts';

/** Returns the state updated with what people did about a fall, and the resulting events. */
export const withAnswer = async ({ store }: ProcessDeps, ref: FallRef, state: SensorState): Promise<Step> => {
  const { acknowledgement, closure } = await store.fallAnswers.get({ ...ref, fall: newestKeyOf(state, ref.fall) });
  const answer = { isAcknowledged: acknowledgement !== undefined, closedAt: closure?.date ?? null };
  return answerStep(state, ref.fall, answer);
};

/** Returns when (ms) to check whether anyone was notified of an alarm created at `createDate` (ms). */
const checkAt = ({ now, settings }: ProcessDeps, createDate: number): number =>
  Math.max(now(), createDate + settings.UNNOTIFIED_AFTER_SECONDS * 1_000);

/**
 * Updates a fall's hits to match what people did about it. The sweep continues escalations that lost their
 * acknowledgement.
 */
const settleFall = async (deps: ProcessDeps, ref: FallRef): Promise<void> => {
  const { store, now } = deps;
  for (const hit of await store.fallAnswers.settle(ref, now()))
    await enqueueChecks(deps, alarmChecks(ref.customerId, hit, checkAt(deps, hit.createDate)));
};

/** Returns an event's existing deliveries to customer webhooks. */
const deliveriesOf = async (
  { store }: ProcessDeps,
  { customerId, sensorId }: FallRef,
  event: AlarmEvent,
  hooks: Readonly<Record<string, Format>>,
): Promise<CheckAlarm['ofEvent']> => {
  const named = Object.entries(hooks).map(async ([webhookId, format]) => {
    const deliveryId = firstDeliveryId({ ...event, sensorId }, 0, webhookId, format);
    return (await store.deliveries.get(customerId, webhookId, deliveryId)) ? [{ webhookId, deliveryId }] : [];
  });
  return (await Promise.all(named)).flat();
};

/**
 * Checks the event alarms for a fall that lost its acknowledgement. If no one was notified of them, the acknowledgement
 * ended them or kept them from being created.
 */
const checkEvents = async (deps: ProcessDeps, ref: FallRef): Promise<void> => {
  const { store } = deps;
  const { customerId, sensorId } = ref;
  const alarms = await store.fallAnswers.unanswered(ref);
  if (alarms.length === 0) return;
  const { customer } = await store.sensors.getWithContext(customerId, sensorId);
  const hooks = customer?.hooks ?? {};
  for (const { hitIds, situation, ...event } of alarms) {
    const ofEvent = await deliveriesOf(deps, ref, event, hooks);
    const { uuid: eventUuid, receiveDate: createDate } = event;
    const at = checkAt(deps, createDate);
    const task = { ...ref, eventUuid, situation, createDate, at, hitIds, ofEvent };
    if (ofEvent.length > 0) await enqueueChecks(deps, [{ type: 'check_alarm', ...task }]);
  }
};

/**
 * Updates a fall's alarms after a notice that people answered the fall. All decisions before the answer have been
 * applied, so no alarm is missed.
 */
export const followNotice = async (deps: ProcessDeps, ref: FallRef, { notice }: NoticeItem): Promise<void> => {
  await settleFall(deps, ref);
  if (notice === 'fall_changed') await checkEvents(deps, ref);
};

/** Before anyone is notified, records which falls raised another alarm. People have to answer these falls again. */
export const recordAlarms = async (deps: ProcessDeps, context: SensorContext, { decided }: Decision): Promise<void> => {
  const falls = new Set(decided.flatMap((event) => fallOfEvent(event) ?? []));
  for (const fall of falls)
    if (isRaisedAgain(fall)) await deps.store.fallAnswers.recordAlarm({ ...sensorKey(context), fall });
};

/** Acknowledges new hits for falls that have already been acknowledged. The first recipients are still notified. */
export const settleAcknowledged = async (
  deps: ProcessDeps,
  context: SensorContext,
  { decided }: Decision,
): Promise<void> => {
  const { state } = context;
  const fired = decided.filter(({ rules }) => rules.length > 0);
  const falls = new Set(fired.flatMap((event) => fallOfEvent(event) ?? []));
  for (const fall of falls) if (isAcknowledged(state, fall)) await settleFall(deps, { ...sensorKey(context), fall });
};
