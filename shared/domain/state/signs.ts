import { eventOf, type Situation } from '../event/event.ts';
import type { SensorState, Step } from '../sensor/sensor-state.ts';

/**
 * Devices do not report the end of a weak signal or a tilt. A report within so many ms after the last one belongs to
 * the same occurrence.
 */
const LASTS = 3_600_000;

export const signStep = (state: SensorState, situation: Situation, received: number): Step => {
  const before = state.signs?.[situation];
  const next = { ...state, signs: { ...state.signs, [situation]: received } };
  const isSame = before !== undefined && Math.abs(received - before) < LASTS;
  return { state: next, happened: isSame ? [] : [eventOf(situation)] };
};

/**
 * Gives the group of an alarm. Alarms of one group replace each other; alarms of different groups can be active
 * together.
 */
const groupOf = (alarm: Situation): string => {
  if (alarm.startsWith('heart')) return 'heart';
  return alarm === 'vital_signs_weak' ? 'signal' : 'respiration';
};

/**
 * Steps the vital alarms of a sensor. An alarm is reported when it begins, and again only after all was well or after
 * another alarm of its group.
 */
export const vitalStep = (state: SensorState, alarm: Situation | null, hasReading: boolean): Step => {
  if (alarm === null) {
    const { vitals: _, ...well } = state;
    return { state: hasReading ? well : state, happened: [] };
  }
  const group = groupOf(alarm);
  if (state.vitals?.[group] === alarm) return { state, happened: [] };
  return { state: { ...state, vitals: { ...state.vitals, [group]: alarm } }, happened: [eventOf(alarm)] };
};
