import { eventOf, type Situation } from '../event/event.ts';
import type { SensorState, Step } from '../sensor/sensor-state.ts';

/**
 * Devices do not report the end of a weak signal or a tilt. A report within this time (ms) after the last report
 * belongs to the same occurrence.
 */
const OCCURRENCE_MS = 3_600_000;

export const signStep = (state: SensorState, situation: Situation, received: number): Step => {
  const before = state.signs?.[situation];
  const next = { ...state, signs: { ...state.signs, [situation]: received } };
  const isSame = before !== undefined && Math.abs(received - before) < OCCURRENCE_MS;
  return { state: next, events: isSame ? [] : [eventOf(situation)] };
};

const heartAlarms: readonly Situation[] = ['heart_rate_high', 'heart_rate_low'];
/**
 * Returns the group of an alarm. Alarms of one group replace each other; alarms of different groups can be active
 * together.
 */
const groupOf = (alarm: Situation): string => {
  if (heartAlarms.includes(alarm)) return 'heart';
  return alarm === 'vital_signs_weak' ? 'signal' : 'respiration';
};

/**
 * Advances the vital alarms of a sensor. An alarm is reported when it begins, and again only after a reading without an
 * alarm or another alarm of its group.
 */
export const vitalStep = (state: SensorState, alarm: Situation | null, hasReading: boolean): Step => {
  if (alarm === null) {
    const { vitals: _, ...withoutAlarms } = state;
    return { state: hasReading ? withoutAlarms : state, events: [] };
  }
  const group = groupOf(alarm);
  if (state.vitals?.[group] === alarm) return { state, events: [] };
  return { state: { ...state, vitals: { ...state.vitals, [group]: alarm } }, events: [eventOf(alarm)] };
};
