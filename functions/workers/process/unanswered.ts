import { sendNotice } from '#shared/api/notices.ts';
import { isUrgent } from '#shared/domain/rule/alarm.ts';
import { unansweredId } from '#shared/store/rules/end-unnotified.ts';
import type { EscalatingHit } from '#shared/store/rules/escalations.ts';
import { toBots, type UnnotifiedAlarm } from '#shared/store/rules/unnotified-alarm.ts';
import type { ProcessDeps } from './context.ts';
import { emergencyMessages, loadEmergency, notifyContacts } from './emergency-contacts.ts';

/**
 * Reports that no one acknowledged an alarm even though all rounds were sent. Creates an event, and notifies the
 * emergency contacts and the rule managers. Each step can be repeated after a crash. False if the hit has changed since
 * it was read.
 */
export const reportUnanswered = async (deps: ProcessDeps, customerId: number, hit: EscalatingHit): Promise<boolean> => {
  const { store, now, measure, log, failpoint, enqueue } = deps;
  const { id: hitId, sensorId, situation, ruleId, createDate, cause, messages: sent } = hit;
  if (!isUrgent(situation)) return true;
  const alarm: UnnotifiedAlarm = {
    alarmId: unansweredId(hitId),
    customerId,
    sensorId,
    situation,
    eventUuid: cause.uuid,
    hitId,
    ruleId,
    webhookIds: [],
    ...toBots(sent),
    createDate,
    date: hit.unansweredDate ?? now(),
    isUnanswered: true,
  };
  const emergency = await loadEmergency(deps, alarm);
  const messages = emergency ? emergencyMessages(deps, emergency, hitId) : [];
  const notice = await store.alarmRecords.recordUnanswered(alarm, hit, messages);
  if (!notice) return false;
  failpoint('unanswered.recorded');
  if (hit.unansweredDate === undefined) measure('AlarmsUnanswered');
  log('warn', 'nobody acknowledged an alarm', { customerId, sensorId, hitId, situation });
  await sendNotice(deps, notice);
  if (emergency) await notifyContacts(deps, emergency, alarm);
  await enqueue([{ type: 'alert_managers', customerId, uuid: cause.uuid }]);
  return true;
};
