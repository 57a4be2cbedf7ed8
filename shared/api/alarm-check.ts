import { type HitProgress, isUnnotified, isUrgent } from '../domain/rule/alarm.ts';
import type { RuleHit } from '../domain/rule/rule-hit.ts';
import type { CheckAlarm } from '../queue/task.ts';

type Hit = HitProgress & Pick<RuleHit, 'id' | 'sensorId' | 'sensorEventId' | 'situation' | 'createDate'>;

/**
 * Returns the check of an alarm that has lost its last success or its acknowledgement, due at a time (ms). None if the
 * hit is not an alarm, or somebody still counts as notified.
 */
export const alarmChecks = (customerId: number, hit: Hit, at: number): CheckAlarm[] => {
  const { id, sensorId, sensorEventId: eventUuid, situation, createDate } = hit;
  if (!isUrgent(situation) || !isUnnotified(hit)) return [];
  return [
    { type: 'check_alarm', customerId, sensorId, eventUuid, situation, createDate, at, hitIds: [id], ofEvent: [] },
  ];
};
