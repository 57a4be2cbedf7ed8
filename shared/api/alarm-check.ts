import { type HitProgress, isUnnotified, isUrgent } from '../domain/rule/alarm.ts';
import type { RuleHit } from '../domain/rule/rule-hit.ts';
import type { CheckAlarm } from '../queue/task.ts';

type Hit = HitProgress & Pick<RuleHit, 'id' | 'sensorId' | 'sensorEventId' | 'situation' | 'createDate'>;

/**
 * Returns the check, due at `at` (ms), for an alarm that has lost its last successful delivery or acknowledgement.
 * Empty if the hit is not an alarm, or if anyone still counts as notified.
 */
export const alarmChecks = (customerId: number, hit: Hit, at: number): CheckAlarm[] => {
  const { id, sensorId, sensorEventId: eventUuid, situation, createDate } = hit;
  if (!isUrgent(situation) || !isUnnotified(hit)) return [];
  return [
    { type: 'check_alarm', customerId, sensorId, eventUuid, situation, createDate, at, hitIds: [id], ofEvent: [] },
  ];
};
