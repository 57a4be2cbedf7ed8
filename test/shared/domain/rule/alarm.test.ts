import { describe, expect, test } from 'vitest';
import { kinds, type Situation } from '#shared/domain/kinds.ts';
import {
  type HitProgress,
  isAboutSensor,
  isAlarmAboutPerson,
  isUnnotified,
  isUrgent,
  notifiedDateOf,
  urgentSituationOf,
  urgentSituations,
} from '#shared/domain/rule/alarm.ts';

const situations = Object.keys(kinds) as Situation[];

describe('urgent situations', () => {
  const urgent = ['fall_detected', 'fall_detected_sensitive', 'apnea', 'vital_signs_weak', 'sensor_inactive'];
  test('only falls, vital alarms and offline sensors are urgent', () => {
    expect(situations.filter(isUrgent)).toEqual(situations.filter((situation) => urgent.includes(situation)));
    expect(isUrgent(null)).toBe(false);
  });

  test("urgency depends on the event's type and action", () => {
    for (const situation of situations)
      expect(urgentSituationOf(kinds[situation])).toBe(urgent.includes(situation) ? situation : null);
    expect(urgentSituationOf({ type: kinds.apnea.type, action: kinds.fall_detected.action })).toBeNull();
  });

  test('every urgent situation except an offline sensor is about a person', () => {
    expect(urgentSituations.filter(isAboutSensor)).toEqual(['sensor_inactive']);
    const aboutPeople = situations.filter((situation) => isAlarmAboutPerson(kinds[situation]));
    expect(aboutPeople).toEqual(situations.filter((situation) => urgent.slice(0, -1).includes(situation)));
  });
});

describe('notification date', () => {
  const sent = (updateDate: number) => ({ wasSend: true, updateDate });
  const failed = { wasSend: false, updateDate: 1 };
  test.each<[string, HitProgress, number | null]>([
    ['stays unknown without messages', { messages: [] }, null],
    ['stays unknown while no message has succeeded', { messages: [failed] }, null],
    ['is that of the first successful message', { messages: [failed, sent(7), sent(5)] }, 5],
    ['is that of the only successful message', { messages: [sent(7)] }, 7],
    ['comes from the hit if recorded there', { notifiedDate: 9, messages: [sent(5)] }, 9],
    ['ignores a message that was only written to the outbox', { messages: [{ ...sent(5), outbox: true }] }, null],
  ])("a hit's notification date %s", (_, hit, date) => {
    expect(notifiedDateOf(hit)).toBe(date);
    expect(isUnnotified(hit)).toBe(date === null);
    expect(isUnnotified({ ...hit, acknowledgement: { userId: 1, name: 'n', date: 2 } })).toBe(false);
  });
});
