import { eventOf, type Situation } from '../event/event.ts';
import type { SensorState, Step } from '../sensor/sensor-state.ts';

/**
 * Devices do not report when a weak signal or tilt ends. A report within this time (ms) after the last one belongs to
 * the same occurrence.
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
 * Returns the group an alarm belongs to. Alarms in the same group replace each other; alarms in different groups can be
 * active together.
 */
const groupOf = (alarm: Situation): string => {
  if (heartAlarms.includes(alarm)) return 'heart';
  return alarm === 'vital_signs_weak' ? 'signal' : 'respiration';
};

/**
 * Advances the vital alarms at a sensor. An alarm is reported when it begins, and again only after a reading without an
 * alarm, or after another alarm in the same group.
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
