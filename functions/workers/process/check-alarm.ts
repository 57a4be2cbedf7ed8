import { sendNotice } from '#shared/api/notices.ts';
import type { DeliveryState } from '#shared/domain/delivery/states.ts';
import { isAboutSensor, isUnnotified } from '#shared/domain/rule/alarm.ts';
import { nextRound } from '#shared/domain/rule/escalation.ts';
import { isFuture } from '#shared/domain/state/clock.ts';
import { MAX_DELAY_SECONDS } from '#shared/queue/encode.ts';
import type { CheckAlarm } from '#shared/queue/task.ts';
import type { HitItem } from '#shared/store/hits/hit-item.ts';
import { toBots, type UnnotifiedAlarm } from '#shared/store/rules/unnotified-alarm.ts';
import type { ProcessDeps } from './context.ts';
import { type Emergency, emergencyMessages, loadEmergency, notifyContacts } from './emergency-contacts.ts';
import { enqueueChecks, enqueueRound } from './hits.ts';

/** How early (ms) a check may run. Host clocks differ, and queues delay tasks by whole seconds. */
const EARLY_MS = 1_000;
/** How long (s) emails about offline sensors wait for more sensors. */
const GATHER_SECONDS = 8;

/** Whether any delivery of the event to a customer webhook succeeded. */
const isEventNotified = async ({ store }: ProcessDeps, { customerId, ofEvent }: CheckAlarm): Promise<boolean> => {
  for (const { webhookId, deliveryId } of ofEvent)
    if ((await store.deliveries.get(customerId, webhookId, deliveryId))?.state === 'delivered') return true;
  return false;
};

/**
 * Returns an event's alarms that no one was notified of, and whether anyone was notified of another alarm for the
 * event.
 */
const unnotifiedOf = async (
  deps: ProcessDeps,
  task: CheckAlarm,
): Promise<{ alarms: UnnotifiedAlarm[]; isSomebodyNotified: boolean }> => {
  const { store, now } = deps;
  const { customerId, sensorId, situation, eventUuid, createDate, hitIds, ofEvent, fall } = task;
  const found = await Promise.all(hitIds.map((hitId) => store.ruleHits.get(customerId, hitId)));
  const hits = found.filter((hit) => hit !== null);
  // Acknowledging any alarm about an event acknowledges them all.
  if (hits.some(({ acknowledgement }) => acknowledgement)) return { alarms: [], isSomebodyNotified: true };
  const common = { customerId, sensorId, situation, eventUuid, date: now(), ...(fall !== undefined && { fall }) };
  const ofHit = ({ id, ruleId, createDate: hitDate, messages }: HitItem): UnnotifiedAlarm => ({
    ...common,
    alarmId: String(id),
    hitId: id,
    ruleId,
    webhookIds: [],
    ...toBots(messages),
    createDate: hitDate,
  });
  const event: UnnotifiedAlarm = {
    ...common,
    alarmId: eventUuid,
    hitId: null,
    ruleId: null,
    webhookIds: ofEvent.map(({ webhookId }) => webhookId),
    createDate,
  };
  const isOfEvent = ofEvent.length > 0 && !(await isEventNotified(deps, task));
  const alarms = [...(isOfEvent ? [event] : []), ...hits.filter(isUnnotified).map(ofHit)];
  return { alarms, isSomebodyNotified: alarms.length < hits.length + Math.min(1, ofEvent.length) };
};

/** Whether deliveries were due for an event, but none was attempted. An attempt counts once it has ended. */
const isUntold = async ({ store }: ProcessDeps, { customerId, immediate = [] }: CheckAlarm): Promise<boolean> => {
  const found = await Promise.all(
    immediate.map(({ webhookId, deliveryId }) => store.deliveries.get(customerId, webhookId, deliveryId)),
  );
  const isOpen = (state: DeliveryState) => state === 'pending' || state === 'sending';
  return found.length > 0 && found.every((one) => one !== null && isOpen(one.state) && !one.log?.length);
};

/** Moves a hit's next escalation step to now. */
export const hurryEscalation = async (deps: ProcessDeps, customerId: number, hitId: number): Promise<void> => {
  const { store, now } = deps;
  const hit = await store.ruleHits.get(customerId, hitId);
  if (!hit?.escalation || !hit.cause || hit.escalation.open || hit.escalation.at <= now()) return;
  const rule = await store.rules.get(customerId, hit.ruleId);
  if (!rule || nextRound(rule, hit.escalation, hit.createDate)?.kind !== 'step') return;
  const escalating = { ...hit, escalation: hit.escalation, cause: hit.cause };
  const hurried = { ...hit.escalation, at: now(), isHurried: true as const };
  await store.escalations.scheduleRound(customerId, escalating, hurried, now());
  await enqueueRound(deps, { customerId, hitId, uuid: hit.cause.uuid }, now());
};

/**
 * Records an alarm that no one was notified of, and starts the next steps. Each step can be repeated after a crash.
 * Returns the recorded alarm. Null if it was already handled, or if anyone has been notified of it or has acknowledged
 * it in the meantime.
 */
const alert = async (
  deps: ProcessDeps,
  alarm: UnnotifiedAlarm,
  emergency: Emergency | null,
): Promise<UnnotifiedAlarm | null> => {
  const { store, measure, log, failpoint } = deps;
  const { customerId, sensorId, hitId, situation, alarmId } = alarm;
  const messages = emergency && hitId !== null ? emergencyMessages(deps, emergency, hitId) : [];
  const result = await store.alarmRecords.record(alarm, messages);
  if (result.kind !== 'recorded') return null;
  failpoint('alarm.recorded');
  measure('AlarmsUnnotified');
  log('warn', 'nobody was notified of an alarm', { customerId, sensorId, alarmId, situation });
  await sendNotice(deps, result.notice);
  if (hitId !== null) await hurryEscalation(deps, customerId, hitId);
  const recorded = { ...alarm, date: result.notice.receiveDate };
  if (emergency) await notifyContacts(deps, emergency, recorded);
  return recorded;
};

/** Enqueues checks for alarm escalations from before the clock was set back. Queues do not use the clock. */
const correctRounds = async ({ enqueue, now }: ProcessDeps, { customerId, hitIds, createDate, at }: CheckAlarm) => {
  const made = now() - Math.min(at - createDate, MAX_DELAY_SECONDS * 1_000);
  const setBack = Math.max(0, createDate - made);
  await enqueue(hitIds.map((hitId) => ({ type: 'escalate', customerId, hitId, setBack })));
};

/**
 * Checks whether anyone was notified of an event's alarms, or has acknowledged them. An alarm that reached no one is
 * itself an alarm, whatever the cause.
 */
export const checkAlarm = async (deps: ProcessDeps, task: CheckAlarm): Promise<void> => {
  const { now, enqueue, store } = deps;
  // If the alarm date is in the future, the clock has been set back, and the check is not early. The same is true for a
  // check planned later than `latest`.
  const latest = Math.max(now(), task.createDate + deps.settings.UNNOTIFIED_AFTER_SECONDS * 1_000);
  if (isFuture(task.createDate, now())) await correctRounds(deps, task);
  else if (task.at - now() > EARLY_MS && !isFuture(task.at, latest)) return enqueueChecks(deps, [task]);
  const { alarms, isSomebodyNotified } = await unnotifiedOf(deps, task);
  // The contacts get one message, which belongs to a hit if there is one.
  const first = alarms.find(({ hitId }) => hitId !== null) ?? alarms[0];
  if (!first) return;
  const emergency = isSomebodyNotified ? null : await loadEmergency(deps, first);
  const recorded: UnnotifiedAlarm[] = [];
  for (const alarm of alarms) {
    const done = await alert(deps, alarm, alarm === first ? emergency : null);
    if (done) recorded.push(done);
  }
  if (recorded.length === 0) return;
  if (await isUntold(deps, task)) deps.measure('AlarmsUntold');
  const { customerId, situation, uuid, requestId } = task;
  const trace = { ...(uuid !== undefined && { uuid }), ...(requestId !== undefined && { requestId }) };
  const delaySeconds = isAboutSensor(situation) ? GATHER_SECONDS : 0;
  await enqueue([{ type: 'alert_managers', customerId, ...trace }], { delaySeconds });
  for (const alarm of recorded) await store.alarmRecords.finish(alarm);
};
